// gdb-multiarch, driven by a list of commands.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kerr::debug {

/// Whether it is installed.
bool has_gdb();

/// What gdb prints for each command, on both outputs. `target extended-remote` to `port` comes first.
std::vector<std::string> gdb(uint16_t port, const std::vector<std::string>& commands);

/// Whether `text` has the words of `pattern` in their order, where "..." stands for anything and any space for any
/// other.
bool has_words(const std::string& text, const std::string& pattern);

}  // namespace kerr::debug

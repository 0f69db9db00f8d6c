// How the code of every room spells integers and enumerators. docs/architecture.md "One dialect"
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kerr {

/// What a source file's text spells otherwise, a line each: "line: what". Comments are read as code is.
std::vector<std::string> other_dialects(std::string_view text);

/// The same of all sources and headers under `root`, build folders and hidden ones left out: "file:line: what".
std::vector<std::string> other_dialects_under(const std::filesystem::path& root);

}  // namespace kerr

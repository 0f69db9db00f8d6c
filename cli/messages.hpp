// What the command says on standard error.
#pragma once

#include <string>
#include <string_view>

namespace kerr::cli {

/// The text without what a terminal would obey: control characters become '?', and lines of more than 400 bytes are cut.
/// Messages quote files, and a file can be anything.
std::string printable(std::string_view text);

/// Prints "kerr: " and the printable text as a line. Never throws, also where standard error cannot be written.
void say(std::string_view text);

}  // namespace kerr::cli

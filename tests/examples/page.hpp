// Pages that show commands and what they print, held to it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kerr {

/// A line "$ command" of a code block, and the lines below it up to the next one or to the end of the block.
struct Command {
  std::string line;                 // without "$ "; lines that end in a backslash are one
  std::vector<std::string> output;  // as the page has it, without its indentation and without blank lines at the end
};

/// The commands of a page, in its order: of blocks indented by four blanks, and of those between ``` marks.
std::vector<Command> commands_of(std::string_view page);

/// What is different, as a sentence; empty if `printed` is what the page says. On the page "..." stands for anything:
/// in a line for any text, alone in a line for any number of lines.
std::string difference(const std::vector<std::string>& said, const std::vector<std::string>& printed);

/// The lines of a text, without blanks at their ends and without blank lines at its end.
std::vector<std::string> lines_of(std::string_view text);

}  // namespace kerr

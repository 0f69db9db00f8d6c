// How --help looks: wrapped to the terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kerr::cli {

/// Where the second column of an entry begins: of options, and of commands and operands.
inline constexpr size_t kOptionColumn = 28, kCommandColumn = 12;

/// Columns of the terminal: COLUMNS, else what standard output says, else 80; at least 40.
size_t terminal_columns();

/// Prose cut at blanks to lines of at most `columns`, all but the first indented. Words that are longer stay whole, but
/// a list may be cut behind a comma.
std::string wrapped(std::string_view text, size_t columns, size_t first_column, size_t indent);

/// A command line that a shell still understands: cut at blanks outside quotes, with " \" at each cut.
std::string wrapped_command(std::string_view text, size_t columns);

/// A name, and what it is from `column` on.
std::string help_entry(const std::string& name, std::string_view what, size_t columns, size_t column);

/// Prose is wrapped; lines that begin with two blanks are commands.
std::string help_footer(std::string_view text, size_t columns);

}  // namespace kerr::cli

// How --help looks: wrapped to the terminal, options in groups, examples last.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cli/syntax/syntax.hpp"

namespace kerr::cli {

/// Columns of the terminal: COLUMNS, else what standard output says, else 80; at least 40.
size_t terminal_columns();

/// Prose cut at blanks to lines of at most `columns`, all but the first indented. Words that are longer stay whole, but a list
/// may be cut behind a comma.
std::string wrapped(std::string_view text, size_t columns, size_t first_column, size_t indent);

/// A command line that a shell still understands: cut at blanks outside quotes, with " \" at each cut.
std::string wrapped_command(std::string_view text, size_t columns);

/// The help of the command `path`, such as "kerr cq dump". `what`: a sentence; `commands`: its own commands and what they do.
std::string help_text(const Syntax& syntax, const std::string& path, std::string_view what,
                      std::span<const std::pair<std::string, std::string>> commands = {},
                      size_t columns = terminal_columns());

}  // namespace kerr::cli

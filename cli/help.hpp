// How --help looks: wrapped to the terminal, options in groups, examples last.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace kerr::cli {

/// Columns of the terminal: COLUMNS, else what standard output says, else 80; at least 40.
size_t terminal_columns();

/// Prose cut at blanks to lines of at most `columns`, all but the first indented. Words that are longer stay whole, but a list
/// may be cut behind a comma.
std::string wrapped(std::string_view text, size_t columns, size_t first_column, size_t indent);

/// A command line that a shell still understands: cut at blanks outside quotes, with " \" at each cut.
std::string wrapped_command(std::string_view text, size_t columns);

class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(size_t columns = terminal_columns()) : columns_(columns) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::string entry(const std::string& left, std::string_view right, size_t column) const;
  std::string option(const CLI::Option* of, bool positional) const;
  std::string footer(const std::string& text) const;

  const size_t columns_;
};

/// Puts options of a command under a heading of its help. Names that the command has not are passed over.
void group(CLI::App* command, const char* heading, std::initializer_list<const char*> options);

}  // namespace kerr::cli

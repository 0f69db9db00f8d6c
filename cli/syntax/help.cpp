#include "cli/syntax/help.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "isa/text/whole_number.hpp"

namespace kerr::cli {

namespace {

constexpr size_t kLeastColumns = 40, kUsualColumns = 80;
constexpr size_t kNarrowColumn = 6;  // of terminals with less than 60

// Where a line of at most `room` characters may end: at the last blank, or behind the last comma of a list.
size_t cut(std::string_view text, size_t room) {
  if (text.size() <= room) return text.size();
  if (const size_t blank = text.substr(0, room + 1).rfind(' '); blank != std::string_view::npos && blank > 0)
    return blank;
  if (const size_t comma = text.substr(0, room).rfind(','); comma != std::string_view::npos) return comma + 1;
  return std::min({text.find(' '), text.find(','), text.size()});
}

}  // namespace

size_t terminal_columns() {
  if (const char* text = std::getenv("COLUMNS")) {
    if (const auto columns = isa::text::whole_number(text); columns && *columns != 0)
      return static_cast<size_t>(std::clamp<uint64_t>(*columns, kLeastColumns, 1000));
  }
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0)
    return std::max<size_t>(size.ws_col, kLeastColumns);
  return kUsualColumns;
}

std::string wrapped(std::string_view text, size_t columns, size_t first_column, size_t indent) {
  std::string out;
  size_t column = first_column;
  while (true) {
    const size_t end = cut(text, columns > column ? columns - column : 1);
    out += text.substr(0, end);
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (text.empty()) return out;
    out += "\n" + std::string(indent, ' ');
    column = indent;
  }
}

std::string wrapped_command(std::string_view text, size_t columns) {
  if (text.size() <= columns) return std::string(text);
  std::string out;
  size_t column = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find_first_not_of(' ', at), text.size());
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != ' '); ++end) {
      if (text[end] == quote)
        quote = 0;
      else if (quote == 0 && (text[end] == '"' || text[end] == '\''))
        quote = text[end];
    }
    const std::string_view word = text.substr(at, end - at);  // with the blanks before it
    if (at != 0 && column + word.size() + 2 > columns) {      // " \" needs two columns
      out += " \\\n     ";
      column = 5;
    }
    out += word;
    column += word.size();
    at = end;
  }
  return out;
}

std::string help_entry(const std::string& name, std::string_view what, size_t columns, size_t column) {
  if (columns < 60) column = kNarrowColumn;
  const std::string left = "  " + wrapped(name, columns, 2, 6);
  const bool beside = left.find('\n') == std::string::npos && left.size() + 1 < column;
  return left + (beside ? std::string(column - left.size(), ' ') : "\n" + std::string(column, ' ')) +
         wrapped(what, columns, column, column) + "\n";
}

std::string help_footer(std::string_view text, size_t columns) {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    out += (line.starts_with("  ") ? wrapped_command(line, columns) : wrapped(line, columns, 0, 0)) + "\n";
    at = end + 1;
  }
  return out;
}

}  // namespace kerr::cli

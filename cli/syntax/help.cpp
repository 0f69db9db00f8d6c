#include "cli/syntax/help.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "isa/text/whole_number.hpp"

namespace kerr::cli {

namespace {

constexpr size_t kLeastColumns = 40, kUsualColumns = 80;
constexpr size_t kOptionColumn = 28, kCommandColumn = 12, kNarrowColumn = 6;

// Where a line of at most `room` characters may end: at the last blank, or behind the last comma of a list.
size_t cut(std::string_view text, size_t room) {
  if (text.size() <= room) return text.size();
  if (const size_t blank = text.substr(0, room + 1).rfind(' '); blank != std::string_view::npos && blank > 0) return blank;
  if (const size_t comma = text.substr(0, room).rfind(','); comma != std::string_view::npos) return comma + 1;
  return std::min({text.find(' '), text.find(','), text.size()});
}

class Writer {
 public:
  explicit Writer(size_t columns) : columns_(columns) {}

  std::string prose(std::string_view text, size_t indent = 0) const { return wrapped(text, columns_, 0, indent) + "\n"; }

  std::string entry(const std::string& left, std::string_view right, size_t column) const {
    if (columns_ < 60) column = kNarrowColumn;
    std::string out = "  " + wrapped(left, columns_, 2, 6);
    const size_t last_line = out.size() - (out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);
    if (last_line + 1 < column && out.find('\n') == std::string::npos) {
      out += std::string(column - last_line, ' ');
    } else {
      out += "\n" + std::string(column, ' ');
    }
    return out + wrapped(right, columns_, column, column) + "\n";
  }

  std::string option(const Option& of) const {
    std::string left = fmt::format("{}", fmt::join(of.names, ", "));
    if (of.is_operand()) return entry(left, of.help, kCommandColumn);
    if (!of.value_name.empty()) left += " " + of.value_name;
    return entry(left, of.help, kOptionColumn);
  }

  // Prose is wrapped, examples keep their lines.
  std::string footer(const std::string& text) const {
    std::string out;
    for (size_t at = 0; at <= text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = std::string_view(text).substr(at, end - at);
      out += line.starts_with("  ") ? wrapped_command(line, columns_) + "\n" : prose(line);
      at = end + 1;
    }
    return out;
  }

 private:
  const size_t columns_;
};

// In the order in which they come first, but "Options" last.
std::vector<std::string> groups_of(const Syntax& syntax) {
  std::vector<std::string> groups;
  for (const Option& option : syntax.options()) {
    if (!option.is_operand() && std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  }
  std::stable_partition(groups.begin(), groups.end(), [](const std::string& group) { return group != "Options"; });
  return groups;
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
  constexpr std::string_view kNextLine = " \\\n      ";
  const size_t start = std::min(text.find_first_not_of(' '), text.size());
  std::string out(text.substr(0, start));
  size_t column = start;
  bool first = true;
  for (size_t at = start; at < text.size();) {
    size_t end = at;
    for (char quote = 0; end < text.size() && (quote != 0 || text[end] != ' '); ++end) {
      if (text[end] == quote)
        quote = 0;
      else if (quote == 0 && (text[end] == '"' || text[end] == '\''))
        quote = text[end];
    }
    const std::string_view word = text.substr(at, end - at);
    // An option keeps its value beside it where it can; " \" needs two columns.
    if (!first && column + 1 + word.size() + 2 > columns) {
      out += kNextLine;
      column = 6;
    } else if (!first) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    first = false;
    at = end;
    while (at < text.size() && text[at] == ' ') ++at;
  }
  return out;
}

std::string help_text(const Syntax& syntax, const std::string& path, std::string_view what,
                      std::span<const std::pair<std::string, std::string>> commands, size_t columns) {
  const Writer writer(columns);
  std::string usage = "Usage: " + path + " [OPTIONS]", operands;
  for (const Option& option : syntax.options()) {
    if (!option.is_operand()) continue;
    const std::string shown = option.name() + (option.is_many ? "..." : "");
    usage += option.is_required ? " " + shown : " [" + shown + "]";
    operands += writer.option(option);
  }
  if (!commands.empty()) usage += " COMMAND";
  std::string out = writer.prose(what) + "\n" + writer.prose(usage, 6);
  if (!operands.empty()) out += "\n" + operands;
  if (!commands.empty()) out += "\nCommands:\n";
  for (const auto& [name, does] : commands) out += writer.entry(name, does, kCommandColumn);
  for (const std::string& group : groups_of(syntax)) {
    out += fmt::format("\n{}:\n", group);
    for (const Option& option : syntax.options()) {
      if (!option.is_operand() && option.group == group) out += writer.option(option);
    }
  }
  if (!syntax.footer().empty()) out += "\n" + writer.footer(syntax.footer());
  return out;
}

}  // namespace kerr::cli

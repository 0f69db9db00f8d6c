#include "cli/help.hpp"

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

std::string type_of(const CLI::Option* option) {
  if (option->get_type_size() == 0 || option->get_expected_max() == 0) return "";
  std::string type = option->get_type_name();
  if (type.starts_with("TEXT:")) type.erase(0, 5);
  if (type.empty() || type == "TEXT") return "";
  return " " + type;
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

std::string HelpFormatter::entry(const std::string& left, std::string_view right, size_t column) const {
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

std::string HelpFormatter::option(const CLI::Option* of, bool positional) const {
  std::string left = of->get_name(positional, !positional);
  if (const size_t comma = left.find(','); comma != std::string::npos) left.insert(comma + 1, " ");
  if (!positional) left += type_of(of);
  return entry(left, of->get_description(), positional ? kCommandColumn : kOptionColumn);
}

// Prose is wrapped, examples keep their lines.
std::string HelpFormatter::footer(const std::string& text) const {
  std::string out;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view(text).substr(at, end - at);
    out += (line.starts_with("  ") ? wrapped_command(line, columns_) : wrapped(line, columns_, 0, 0)) + "\n";
    at = end + 1;
  }
  return out;
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name, CLI::AppFormatMode) const {
  std::string out = wrapped(app->get_description(), columns_, 0, 0) + "\n\n";
  const auto positionals = app->get_options([](const CLI::Option* o) { return o->get_positional(); });
  const auto commands = app->get_subcommands([](const CLI::App* command) { return !command->get_name().empty(); });

  std::string usage = "Usage: " + name + " [OPTIONS]";
  for (const CLI::Option* o : positionals) {
    const bool many = o->get_expected_max() > 1;
    const std::string shown = o->get_name(true, false) + (many ? "..." : "");
    usage += o->get_required() ? " " + shown : " [" + shown + "]";
  }
  if (!commands.empty()) usage += " COMMAND";
  out += wrapped(usage, columns_, 0, 6) + "\n";
  if (!positionals.empty()) out += "\n";
  for (const CLI::Option* o : positionals) out += option(o, true);

  std::vector<std::string> headings = app->get_groups();
  std::ranges::stable_partition(headings, [](const std::string& heading) { return heading != "Options"; });
  for (const CLI::App* command : commands) {
    if (command == commands.front()) out += "\nCommands:\n";
    out += entry(command->get_name(), command->get_description(), kCommandColumn);
  }
  for (const std::string& heading : headings) {
    const auto options = app->get_options(
        [&](const CLI::Option* o) { return o->nonpositional() && !heading.empty() && o->get_group() == heading; });
    if (options.empty()) continue;
    out += fmt::format("\n{}:\n", heading);
    for (const CLI::Option* o : options) out += option(o, false);
  }
  if (!app->get_footer().empty()) out += "\n" + footer(app->get_footer());
  return out;
}

void group(CLI::App* command, const char* heading, std::initializer_list<const char*> options) {
  for (const char* name : options) {
    if (CLI::Option* option = command->get_option_no_throw(name)) option->group(heading);
  }
}

}  // namespace kerr::cli

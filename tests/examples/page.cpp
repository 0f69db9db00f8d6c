#include "tests/examples/page.hpp"

#include <algorithm>

namespace kerr {
namespace {

constexpr std::string_view kAnything = "...", kIndent = "    ";

// Whether the text is the pattern, in which "..." stands for any text.
bool is(std::string_view pattern, std::string_view text) {
  size_t at = pattern.find(kAnything);
  if (at == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, at))) return false;
  text.remove_prefix(at);
  while (true) {
    pattern.remove_prefix(at + kAnything.size());
    at = pattern.find(kAnything);
    if (at == std::string_view::npos) return text.ends_with(pattern);
    const size_t found = text.find(pattern.substr(0, at));
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + at);
  }
}

bool is_anything(std::string_view line) {
  return line.ends_with(kAnything) && line.find_first_not_of(' ') == line.size() - kAnything.size();
}

void drop_blank_end(std::vector<std::string>& lines) {
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  drop_blank_end(lines);
  return lines;
}

std::vector<Command> commands_of(std::string_view page) {
  std::vector<Command> commands;
  bool fenced = false, open = false, continued = false;
  for (const std::string& whole : lines_of(page)) {
    std::string_view line = whole;
    if (line.starts_with("```")) {
      fenced = !fenced;
      open = continued = false;
      continue;
    }
    if (!fenced && !line.empty()) {
      if (!line.starts_with(kIndent)) {
        open = continued = false;
        continue;
      }
      line.remove_prefix(kIndent.size());
    }
    if (line.starts_with("$ ") && !continued) {
      commands.push_back({std::string(line.substr(2)), {}});
      open = true;
    } else if (continued) {
      const size_t text = std::min(line.find_first_not_of(' '), line.size());
      commands.back().line += line.substr(text);
    } else if (open) {
      commands.back().output.emplace_back(line);
    }
    if (open && commands.back().output.empty()) {
      std::string& command = commands.back().line;
      continued = command.ends_with('\\');
      if (continued) command.pop_back();
    }
  }
  for (Command& command : commands) drop_blank_end(command.output);
  return commands;
}

std::string difference(const std::vector<std::string>& said, const std::vector<std::string>& printed) {
  // fits[i]: the first i lines of the page can be the lines printed so far.
  std::vector<bool> fits(said.size() + 1);
  const auto skip_anything = [&] {
    for (size_t i = 0; i < said.size(); ++i) {
      if (fits[i] && is_anything(said[i])) fits[i + 1] = true;
    }
  };
  fits[0] = true;
  skip_anything();
  for (const std::string& line : printed) {
    size_t next = 0;  // the line of the page that was expected
    for (size_t i = 0; i <= said.size(); ++i) {
      if (fits[i]) next = i;
    }
    std::vector<bool> now(said.size() + 1);
    for (size_t i = 0; i < said.size(); ++i) {
      if (!fits[i]) continue;
      if (is_anything(said[i])) now[i] = true;
      if (is(said[i], line)) now[i + 1] = true;
    }
    fits = std::move(now);
    skip_anything();
    if (std::find(fits.begin(), fits.end(), true) != fits.end()) continue;
    return "printed:   " + line + "\nthe page:  " + (next < said.size() ? said[next] : "(nothing more)");
  }
  if (fits[said.size()]) return "";
  size_t missing = 0;
  for (size_t i = 0; i < said.size(); ++i) {
    if (fits[i]) missing = i;
  }
  return "not printed:  " + said[missing];
}

}  // namespace kerr

#include "check/report/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>

namespace kerr::check {

namespace {

using kerr::report::Json;

constexpr size_t kColumns = 100;

// Below a label of `indent` columns.
std::string paragraph(std::string_view label, std::string_view text, size_t indent) {
  std::string out, line = fmt::format("  {:<{}}", label, indent - 2);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    if (line.size() > indent && line.size() + 1 + word.size() > kColumns) {
      out += line + "\n";
      line.assign(indent, ' ');
    }
    if (line.size() > indent) line += ' ';
    line += word;
    at = end + 1;
  }
  return out + line + "\n";
}

template <class Row>
size_t longest_name(std::span<const Row> rows) {
  size_t longest = 0;
  for (const Row& row : rows) longest = std::max(longest, row.name.size());
  return longest;
}

constexpr const char* heading(Tier tier) {
  return tier == Tier::Promised ? "promised: documents of the hardware say it"
                                : "relied on: stock software depends on it, and silicon was seen to hold it";
}

}  // namespace

std::string explain(Rule rule) {
  const RuleText& text = text_of(rule);
  return fmt::format("{} ({})\n", text.name, name(text.level)) + paragraph("meaning", text.meaning, 12) +
         paragraph("cause", text.cause, 12) + paragraph("mend", text.mend, 12) +
         paragraph("suppress",
                   fmt::format("two lines in the file of --check-suppressions: a comment that says why, and '{} "
                               "PATTERN', a function, file:line, kernel or object",
                               text.name),
                   12);
}

std::string rules_text() {
  const size_t columns = longest_name(rules());
  std::string out;
  for (const Level level : {Level::Error, Level::Warning, Level::Hint}) {
    std::string group;
    for (const RuleText& text : rules())
      if (text.level == level) group += paragraph(text.name, text.meaning, columns + 4);
    if (!group.empty()) out += fmt::format("{}s\n", name(level)) + group;
  }
  return out;
}

Json rules_json() {
  Json out = Json::array();
  for (const RuleText& text : rules())
    out.push_back({{"name", text.name},
                   {"level", name(text.level)},
                   {"meaning", text.meaning},
                   {"cause", text.cause},
                   {"mend", text.mend}});
  return out;
}

std::string edges_text() {
  const size_t columns = longest_name(edges());
  std::string out;
  for (const Tier tier : {Tier::Promised, Tier::Relied}) {
    std::string group;
    for (const EdgeText& text : edges())
      if (text.tier == tier)
        group += paragraph(text.name, fmt::format("{} ({})", text.sentence, text.citation), columns + 4);
    if (!group.empty()) out += fmt::format("{}\n", heading(tier)) + group;
  }
  return out;
}

Json edges_json() {
  Json out = Json::array();
  for (const EdgeText& text : edges())
    out.push_back({{"name", text.name},
                   {"tier", text.tier == Tier::Promised ? "promised" : "relied"},
                   {"citation", text.citation},
                   {"sentence", text.sentence}});
  return out;
}

}  // namespace kerr::check

#include "tests/check/catalogue/findings_text.hpp"

#include <optional>
#include <sstream>

namespace kerr::catalogue {

namespace {

std::string text_of(const Line& line) { return line.file + ":" + std::to_string(line.line); }

// The innermost line in a file of rows, as frames have it last.
std::string place_of(const check::Site& site) {
  if (site.frames.empty()) return site.lane.empty() ? "no line" : site.lane;
  const check::Frame& frame = site.frames.back();
  return text_of({frame.file.substr(frame.file.rfind('/') + 1), frame.line});
}

}  // namespace

std::set<std::string> texts_of(const check::Findings& findings, const Sites& sites) {
  std::set<std::string> texts;
  for (const check::Finding& f : findings.all) {
    if (check::text_of(f.rule).level == check::Level::Hint) continue;
    const std::string first = !sites.first ? "*" : f.first ? place_of(*f.first) : "nothing";
    // A kernel's end has no line.
    const bool ends = f.rule == check::Rule::NocLeft || !sites.then;
    texts.insert(std::string(check::name(f.rule)) + " " + first + " -> " + (ends ? "*" : place_of(f.then)));
  }
  return texts;
}

std::set<std::string> texts_of(const Row& row, const Sites& sites) {
  const auto place = [](const std::optional<Line>& line) { return line ? text_of(*line) : "*"; };
  std::set<std::string> texts;
  std::istringstream rules{std::string(row.rule)};
  for (std::string rule; std::getline(rules >> std::ws, rule, ',');)
    texts.insert(rule + " " + place(sites.first) + " -> " + (rule == "noc-left" ? "*" : place(sites.then)));
  return texts;
}

std::string account_of(const check::Findings& findings) {
  std::string all;
  for (const check::Finding& f : findings.all) {
    all += std::string(check::name(f.rule)) + ": " + f.what + ": " + (f.first ? place_of(*f.first) : "-") + " -> " +
           place_of(f.then) + "\n";
    for (const std::string& line : f.order) all += "    " + line + "\n";
  }
  return all;
}

}  // namespace kerr::catalogue

#include "check/report/rules_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "isa/text/cursor.hpp"
#include "isa/text/whole_number.hpp"

namespace kerr::check {

namespace {

constexpr size_t kLongestLine = 1000, kMostLines = 10'000, kLongestQuote = 60;
constexpr uint64_t kMostAddress = uint64_t{1} << 36, kFlagBytes = 4;

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos ? std::string_view()
                                         : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text.substr(0, kLongestQuote)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  return out + (text.size() > kLongestQuote ? "...'" : "'");
}

// Takes the first word off `text`.
std::string_view word(std::string_view& text) {
  text = trimmed(text);
  const std::string_view first = text.substr(0, text.find_first_of(kBlanks));
  text = trimmed(text.substr(first.size()));
  return first;
}

class Parser {
 public:
  explicit Parser(std::string name) { file_.name = std::move(name); }

  RulesFile parse(std::string_view text) {
    while (!text.empty()) {
      if (++line_ > kMostLines) refuse(fmt::format("has more than {} lines", kMostLines));
      const size_t end = std::min(text.find('\n'), text.size());
      parse_line(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return std::move(file_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw std::invalid_argument(fmt::format("'{}', line {}: {}", file_.name, line_, what));
  }

  void parse_line(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.size() > kLongestLine)
      refuse(fmt::format("has more than {} bytes: it begins {}", kLongestLine, in_quotes(line)));
    for (size_t i = 0; i < line.size(); ++i) {
      const auto byte = static_cast<unsigned char>(line[i]);
      if ((byte < 0x20 && byte != '\t') || byte == 0x7F)
        refuse(fmt::format("byte {} is {:#04x}, which no text has", i + 1, byte));
    }
    line = trimmed(line);
    if (line.empty()) return reason_.clear();
    if (line.starts_with('#')) {
      const std::string_view text = trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
      reason_ += (reason_.empty() || text.empty() ? "" : " ") + std::string(text);
      return;
    }
    std::string_view rest = line;
    const std::string_view first = word(rest);
    const auto kind = annotation_kind(first);
    kind ? add(*kind, rest) : add_suppression(first, rest);
    reason_.clear();
  }

  static std::optional<Annotation::Kind> annotation_kind(std::string_view word) {
    using enum Annotation::Kind;
    for (const Annotation::Kind kind : {Flag, Monotonic, Private, Region})
      if (word == name(kind)) return kind;
    return std::nullopt;
  }

  void add_suppression(std::string_view rule, std::string_view pattern) {
    Suppression s{.pattern = std::string(pattern), .reason = reason_, .line = line_};
    if (rule != "*") {
      s.rule = rule_named(rule);
      if (!s.rule) refuse_rule(rule);
    }
    if (pattern.empty())
      refuse(fmt::format("{} wants a pattern: a function, file:line, kernel or object, in which * is any text",
                         in_quotes(rule)));
    if (reason_.empty())
      refuse(fmt::format("the suppression {} has no reason: the line above it is to be a comment that says why",
                         in_quotes(fmt::format("{} {}", rule, pattern))));
    file_.suppressions.push_back(std::move(s));
  }

  [[noreturn]] void refuse_rule(std::string_view rule) const {
    isa::text::Suggestion suggestion{std::string(rule.substr(0, kLongestQuote))};
    for (const RuleText& known : rules()) suggestion.consider(known.name);
    for (const char* keyword : {"flag", "monotonic", "private", "region"}) suggestion.consider(keyword);
    const std::string near = suggestion.text();
    refuse(
        fmt::format("there is no rule {}{}", in_quotes(rule), near.empty() ? ": 'kerr check rules' lists them" : near));
  }

  uint64_t number(std::string_view text, const char* what, uint64_t least) const {
    if (const auto problem = isa::text::problem_with_number(text, least, kMostAddress))
      refuse(fmt::format("{}{}", what, *problem));
    return *isa::text::whole_number(text);
  }

  void add(Annotation::Kind kind, std::string_view rest) {
    Annotation a{.kind = kind, .line = line_};
    const bool region = kind == Annotation::Kind::Region;
    const std::string_view place = word(rest);
    if (place.empty())
      refuse(fmt::format("'{}' wants {}", name(kind),
                         region ? "NAME ADDRESS BYTES" : "a SYMBOL or ADDRESS, and perhaps BYTES"));
    if (region || place[0] < '0' || place[0] > '9') a.name = place;
    if (region) {
      const std::string_view address = word(rest);
      if (address.empty() || rest.empty()) refuse(fmt::format("region {} wants ADDRESS and BYTES", in_quotes(place)));
      a.address = number(address, "the address", 0);
    } else if (a.name.empty()) {
      a.address = number(place, "the address", 0);
      a.bytes = kFlagBytes;
    }
    if (const std::string_view bytes = word(rest); !bytes.empty()) a.bytes = number(bytes, "the number of bytes", 1);
    if (!rest.empty()) refuse(fmt::format("{} behind the end of '{}'", in_quotes(rest), name(kind)));
    file_.annotations.push_back(std::move(a));
  }

  RulesFile file_;
  size_t line_ = 0;
  std::string reason_;  // of comments that stand right above
};

// "f()" is also "f", "a/b.cpp:3" also "b.cpp:3".
bool matches_place(std::string_view pattern, const Site& site) {
  if (!site.kernel.empty() && matches(pattern, site.kernel)) return true;
  return std::ranges::any_of(site.frames, [&](const Frame& frame) {
    std::string_view function = frame.function;
    if (!function.empty() && matches(pattern, function)) return true;
    if (function.ends_with("()") && matches(pattern, function.substr(0, function.size() - 2))) return true;
    if (frame.file.empty()) return false;
    const std::string place = fmt::format("{}:{}", frame.file, frame.line);
    return matches(pattern, place) || matches(pattern, std::string_view(place).substr(place.rfind('/') + 1));
  });
}

}  // namespace

bool matches(std::string_view pattern, std::string_view text) {
  size_t p = 0, t = 0, star = std::string_view::npos, from = 0;  // the last "*", and where its text ends
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p, ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool Suppression::matches(const Finding& finding) const {
  if (rule && *rule != finding.rule) return false;
  if (finding.first && matches_place(pattern, *finding.first)) return true;
  if (matches_place(pattern, finding.then)) return true;
  return !finding.object.name.empty() && check::matches(pattern, finding.object.name);
}

RulesFile parse_rules_file(std::string_view text, const std::string& name) { return Parser(name).parse(text); }

}  // namespace kerr::check

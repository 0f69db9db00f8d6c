#include "isa/text/cursor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <utility>
#include <vector>

namespace kerr::isa::text {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '\r') return line.substr(0, i);
    if (line[i] == '"') quoted = !quoted;
    if (quoted && line[i] == '\\') ++i;
    if (!quoted && (line[i] == '#' || line.substr(i).starts_with("//"))) return line.substr(0, i);
  }
  // An apostrophe of a comment is no quote, nor is a quote that nobody closes.
  return quoted ? line.substr(0, std::min({line.find('#'), line.find("//"), line.size()})) : line;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// How many edits lead from one word to the other: a letter more, less or another one, or two neighbours exchanged.
size_t edits(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (size_t k = 0; k < b.size(); ++k) {
      next[k + 1] = std::min({row[k] + (a[i] != b[k]), row[k + 1] + 1, next[k] + 1});
      if (i > 0 && k > 0 && a[i] == b[k - 1] && a[i - 1] == b[k])
        next[k + 1] = std::min(next[k + 1], before[k - 1] + 1);
    }
    before = std::exchange(row, next);
  }
  return row.back();
}

}  // namespace

Cursor::Cursor(std::string_view line) : line_(without_comment(line)) {}

void Cursor::skip_blanks() {
  while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
}

std::string Cursor::quoted() {
  skip_blanks();
  const size_t begin = at_;
  if (!take('"')) fail("expected text in quotes");
  std::string out;
  for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
    if (line_[at_] != '\\') {
      out += line_[at_];
      continue;
    }
    const char c = ++at_ < line_.size() ? line_[at_] : ' ';
    if (c != 'n' && c != '"' && c != '\\') fail_at(at_ - 1, "in quotes a backslash stands before n, \" or \\");
    out += c == 'n' ? '\n' : c;
  }
  if (at_ == line_.size()) fail_at(begin, "the text in quotes has no end");
  ++at_;
  return out;
}

bool Cursor::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

size_t Cursor::column() {
  skip_blanks();
  return at_;
}

char Cursor::peek() { return at_end() ? '\0' : line_[at_]; }

bool Cursor::take(char c) {
  if (peek() != c) return false;
  ++at_;
  return true;
}

void Cursor::expect(char c, std::string_view before) {
  if (!take(c)) fail(fmt::format("expected '{}' {}", c, before));
}

std::string_view Cursor::peek_identifier() {
  skip_blanks();
  if (at_ == line_.size() || !is_name_start(line_[at_])) return {};
  size_t end = at_;
  while (end < line_.size() && is_name(line_[end])) ++end;
  return line_.substr(at_, end - at_);
}

std::string_view Cursor::identifier() {
  const std::string_view name = peek_identifier();
  at_ += name.size();
  return name;
}

std::string_view Cursor::rest() {
  skip_blanks();
  return line_.substr(at_);
}

size_t Cursor::count_operands() {
  if (at_end()) return 0;
  int depth = 0;
  size_t count = 1;
  for (const char c : rest()) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth <= 0) ++count;
  }
  return count;
}

int64_t Cursor::number() {
  const size_t start = at_;
  int base = 10;
  if (line_.substr(at_, 2) == "0x" || line_.substr(at_, 2) == "0X")
    base = 16, at_ += 2;
  else if (line_.substr(at_, 2) == "0b" || line_.substr(at_, 2) == "0B")
    base = 2, at_ += 2;
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(line_.data() + at_, line_.data() + line_.size(), value, base);
  at_ = static_cast<size_t>(end - line_.data());
  const bool glued = at_ < line_.size() && is_name(line_[at_]);
  if (error != std::errc{} || glued || value > 0xFFFFFFFF) {
    while (at_ < line_.size() && is_name(line_[at_])) ++at_;
    fail_at(start, fmt::format("'{}' is not a number of at most 32 bits", line_.substr(start, at_ - start)));
  }
  return static_cast<int64_t>(value);
}

int64_t Cursor::term(const Names& name_value, std::string_view known_names) {
  if (take('-')) return -term(name_value, known_names);
  if (is_digit(peek())) return number();
  const size_t start = column();
  const std::string_view name = identifier();
  if (name.empty()) fail("expected a number");
  if (const auto value = name_value(name)) return *value;
  const std::string known = known_names.empty() ? "" : fmt::format("; known: {}", known_names);
  fail_at(start, fmt::format("'{}' is not a number, nor a name with a value{}", name, known));
}

int64_t Cursor::expression(const Names& name_value, std::string_view known_names) {
  int64_t value = term(name_value, known_names);
  for (;;) {
    if (take('+'))
      value += term(name_value, known_names);
    else if (take('-'))
      value -= term(name_value, known_names);
    else if (take('|'))
      value |= term(name_value, known_names);
    else
      return value;
  }
}

void Cursor::fail(std::string message) { fail_at(column(), std::move(message)); }

void Cursor::fail_at(size_t column, std::string message) { throw Mistake{column, std::move(message)}; }

Suggestion::Suggestion(std::string_view word)
    : word_(lower(word)), distance_(std::clamp<size_t>(word.size() / 3, 1, 2) + 1) {}

void Suggestion::consider(std::string_view candidate) {
  if (candidate.size() > word_.size() + 2 || word_.size() > candidate.size() + 2) return;
  const size_t d = edits(word_, lower(candidate));
  if (d < distance_ && d < candidate.size()) distance_ = d, best_ = candidate;
}

std::string Suggestion::text() const { return best_.empty() ? "" : fmt::format("; did you mean '{}'?", best_); }

}  // namespace kerr::isa::text

#include "graph/language/scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>

#include "graph/language/mistake.hpp"

namespace kerr::graph {

namespace {

bool blank(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool continues_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }  // of UTF-8

constexpr std::string_view kNumberExpected = "a number of FP32 is expected";
constexpr size_t kShownBefore = 60, kShownBehind = 30;

}  // namespace

std::string_view Scanner::rest() {
  while (at_ < text_.size() && blank(text_[at_])) ++at_;
  return text_.substr(at_);
}
size_t Scanner::place() { return rest(), at_; }
bool Scanner::at_end() { return rest().empty(); }
char Scanner::peek() { return at_end() ? '\0' : text_[at_]; }

bool Scanner::take(std::string_view sign) {
  if (!rest().starts_with(sign)) return false;
  at_ += sign.size();
  return true;
}

bool Scanner::take_word(std::string_view word) {
  const std::string_view left = rest();
  if (!left.starts_with(word) || (left.size() > word.size() && in_word(left[word.size()]))) return false;
  at_ += word.size();
  return true;
}

void Scanner::expect(std::string_view sign, std::string_view why) {
  if (!take(sign)) fail(fmt::format("'{}' is expected{}{}", sign, why.empty() ? "" : " ", why));
}

std::string_view Scanner::word() {
  const std::string_view left = rest();
  if (left.empty() || digit(left.front())) return {};
  const auto end = std::ranges::find_if_not(left, in_word);
  const std::string_view found(left.begin(), end);
  at_ += found.size();
  return found;
}

double Scanner::number() {
  const std::string_view left = rest();
  const size_t from = at_;
  double value = 0;
  const char kind = left.size() > 1 && left.front() == '0' ? static_cast<char>(std::tolower(left[1])) : '\0';
  if (kind == 'x' || kind == 'o' || kind == 'b') {
    at_ += 2;
    value = prefixed(kind == 'x' ? 16 : kind == 'o' ? 8 : 2);
  } else {
    value = decimal();
  }
  if (value > std::numeric_limits<float>::max()) fail_at(from, std::string(kNumberExpected));
  if (at_ == text_.size() || !in_word(text_[at_])) return value;
  if (text_.substr(at_, 1) == "j") fail("there are no complex numbers");
  fail("an operator is expected between a number and what follows, as in 2 * x");
}

double Scanner::prefixed(int base) {
  std::string digits;
  const size_t from = at_;
  for (; at_ < text_.size() && (std::isxdigit(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'); ++at_)
    if (text_[at_] != '_') digits += text_[at_];
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size())
    fail_at(from, "a number of at most 32 bits is expected");
  return value;
}

double Scanner::decimal() {
  const size_t from = at_;
  std::string digits;
  const auto take_digits = [&] {
    for (; at_ < text_.size(); ++at_) {
      const bool between =
          text_[at_] == '_' && at_ > from && digit(text_[at_ - 1]) && at_ + 1 < text_.size() && digit(text_[at_ + 1]);
      if (!digit(text_[at_]) && !between) return;
      if (!between) digits += text_[at_];
    }
  };
  take_digits();
  const bool octal = digits.size() > 1 && digits.front() == '0' && digits.find_first_not_of('0') != std::string::npos;
  const auto next_is = [&](std::string_view any, size_t ahead = 0) {
    return at_ + ahead < text_.size() && any.find(text_[at_ + ahead]) != std::string_view::npos;
  };
  const bool whole = !next_is(".eE");
  if (next_is(".")) digits += text_[at_++], take_digits();
  const size_t sign = next_is("+-", 1) ? 1 : 0;
  if (next_is("eE") && at_ + 1 + sign < text_.size() && digit(text_[at_ + 1 + sign])) {
    digits += 'e';
    if (sign != 0) digits += text_[at_ + 1];
    at_ += 1 + sign;
    take_digits();
  }
  if (octal && whole)
    fail_at(from, "a number that begins with 0 is read as octal by some: without the 0 it is decimal, with 0o octal");
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) fail_at(from, std::string(kNumberExpected));
  return value;
}

std::string_view Scanner::quoted() {
  const char quote = peek();
  const size_t from = at_, end = text_.find(quote, at_ + 1);
  if (end == std::string_view::npos) fail_at(from, "the quote has no end");
  at_ = end + 1;
  return text_.substr(from + 1, end - from - 1);
}

void Scanner::fail(const std::string& sentence) { fail_at(place(), sentence); }
void Scanner::fail_at(size_t at, const std::string& sentence) { throw Mistake(at, sentence); }

std::string with_place(std::string_view sentence, std::string_view text, size_t at) {
  at = std::min(at, text.size());
  const auto back_to_character = [&](size_t i) {
    while (i > 0 && i < text.size() && continues_character(text[i])) --i;
    return i;
  };
  const size_t place = back_to_character(at);
  const size_t begin = place <= kShownBefore ? 0 : back_to_character(place - kShownBefore);
  const size_t end = back_to_character(std::min(text.size(), place + kShownBehind));
  std::string line(text.substr(begin, end - begin));
  std::ranges::replace_if(
      line, [](char c) { return blank(c) || std::iscntrl(static_cast<unsigned char>(c)) != 0; }, ' ');
  const auto characters = [&](size_t from, size_t to) {
    return std::ranges::count_if(text.substr(from, to - from), [](char c) { return !continues_character(c); });
  };
  const std::string_view cut = begin == 0 ? "" : "... ";
  return fmt::format("{}, at character {}:\n    {}{}{}\n    {}^", sentence, characters(0, place) + 1, cut, line,
                     end == text.size() ? "" : " ...",
                     std::string(cut.size() + static_cast<size_t>(characters(begin, place)), ' '));
}

}  // namespace kerr::graph

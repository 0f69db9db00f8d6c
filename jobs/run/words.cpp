#include "jobs/run/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "isa/text/parts.hpp"
#include "isa/text/whole_number.hpp"

namespace kerr::jobs {

namespace {

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
  throw std::invalid_argument(fmt::format("'{}' {}", text, why));
}

// "16", "-16", "0x10".
uint32_t number(std::string_view text, std::string_view whole) {
  const bool negative = text.starts_with('-');
  const auto magnitude = isa::text::whole_number(text.substr(negative));
  if (!magnitude)
    refuse(whole, "is no word: write a number, the name of a buffer, or a name and a number as in 'buffer+64'");
  constexpr uint64_t kMostNegative = uint64_t{1} << 31;
  if (*magnitude > (negative ? kMostNegative : std::numeric_limits<uint32_t>::max()))
    refuse(whole, "does not fit a word of 32 bits");
  const auto bits = static_cast<uint32_t>(*magnitude);
  return negative ? 0u - bits : bits;
}

bool looks_like_fraction(std::string_view text) {
  return !text.starts_with("0x") && text.find('.') != std::string_view::npos;
}

}  // namespace

bool looks_like_name(std::string_view text) {
  const auto in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 && std::ranges::all_of(text, in_name);
}

void check_name(std::string_view name) {
  if (!looks_like_name(name)) refuse(name, "is no name: letters, digits and _, and no digit first");
  for (const char* taken : {"l1", "dram", "reg", "sem", "all"})
    if (name == taken) refuse(name, "means something else already: choose another name");
}

uint32_t fp32_bits(double number, std::string_view text) {
  const auto value = static_cast<float>(number);
  if (std::isinf(value) && !std::isinf(number)) refuse(text, "is beyond the largest number of fp32");
  return std::bit_cast<uint32_t>(value);
}

Word parse_word(std::string_view text) {
  if (text.empty()) throw std::invalid_argument("a word is missing: write numbers or names with commas between");
  const size_t plus = text.find('+', 1);
  const std::string_view first = text.substr(0, plus);
  if (looks_like_name(first)) {
    Word word{0, std::string(first)};
    if (plus == std::string_view::npos) return word;
    if (text.substr(plus + 1).starts_with('-')) refuse(text, "is no word: behind '+' stands a number without a sign");
    word.value = number(text.substr(plus + 1), text);
    return word;
  }
  if (looks_like_fraction(text)) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) refuse(text, "is no number of fp32");
    return {fp32_bits(value, text), {}};
  }
  return {number(text, text), {}};
}

std::vector<Word> parse_words(std::string_view text) {
  std::vector<Word> words;
  for (const std::string_view word : isa::text::parts(text, ',')) words.push_back(parse_word(word));
  return words;
}

}  // namespace kerr::jobs

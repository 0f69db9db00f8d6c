#include "loops/numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>
#include <system_error>

#include "loops/floats.hpp"

namespace kerr::loops {

namespace {

// So that a number beyond a double's range is beyond it in the direction that its exponent says.
constexpr size_t kLongestNumber = 300;

struct Range {
  int64_t min;
  uint64_t max;
};
Range range_of(Type type) {
  const unsigned bits = 8u * info(type).bytes;
  const uint64_t largest = ~uint64_t{0} >> (64 - bits);
  if (!info(type).is_signed) return {0, largest};
  return {-static_cast<int64_t>(largest >> 1) - 1, largest >> 1};
}

std::optional<uint64_t> integer_of_text(Type type, std::string_view text) {
  const Range range = range_of(type);
  const char* const end = text.data() + text.size();
  if (text.starts_with('-')) {
    int64_t value = 0;
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stopped != end || value < range.min) return std::nullopt;
    return static_cast<uint64_t>(value) & ~uint64_t{0} >> (64 - 8 * info(type).bytes);
  }
  uint64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end || value > range.max) return std::nullopt;
  return value;
}

std::optional<double> double_of_text(std::string_view text) {
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  // std::from_chars knows more words, as "infinity".
  if (text.size() > kLongestNumber || text.find_first_not_of("0123456789.eE+-") != std::string_view::npos)
    return std::nullopt;
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::invalid_argument || stopped != end) return std::nullopt;
  if (error == std::errc()) return value;
  const bool tiny = text.find("e-") != std::string_view::npos || text.find("E-") != std::string_view::npos;
  const double magnitude = tiny ? 0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -magnitude : magnitude;
}

// The nearest float32 of which nothing is lost that rounding to a shorter format needs: if it is not exact, the odd one
// of the two.
uint32_t f32_to_round_again(double value) {
  const auto nearest = static_cast<float>(value);
  uint32_t bits = std::bit_cast<uint32_t>(nearest);
  if (value != value || static_cast<double>(nearest) == value || (bits & 1) != 0) return bits;
  return std::fabs(static_cast<double>(nearest)) > std::fabs(value) ? bits - 1 : bits + 1;
}

uint64_t float_of_double(Type type, double value) {
  switch (type) {
    case Type::F16: return f16_of_f32(f32_to_round_again(value));
    case Type::Bf16: return bf16_rounded(f32_to_round_again(value));
    case Type::F32: return value != value ? kNanF32 : std::bit_cast<uint32_t>(static_cast<float>(value));
    default: return value != value ? kNanF64 : std::bit_cast<uint64_t>(value);
  }
}

double double_of_float(Type type, uint64_t bits) {
  const auto word = static_cast<uint32_t>(bits);
  switch (type) {
    case Type::F16: return as_float(f32_of_f16(word));
    case Type::Bf16: return as_float(f32_of_bf16(word));
    case Type::F32: return as_float(word);
    default: return as_double(bits);
  }
}

template <class Float>
std::string shortest(Float value) {
  std::array<char, 64> buffer;
  std::string text(buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;  // "n": of inf and nan
}

}  // namespace

std::optional<uint64_t> number_of_text(Type type, std::string_view text) {
  if (type == Type::Bool) {
    if (text != "True" && text != "False") return std::nullopt;
    return text == "True";
  }
  if (!info(type).is_float) return integer_of_text(type, text);
  const IeeeFloats floats;
  const std::optional<double> value = double_of_text(text);
  if (!value) return std::nullopt;
  return float_of_double(type, *value);
}

std::string numbers_of(Type type) {
  if (type == Type::Bool) return "True or False";
  if (info(type).is_float) return "a decimal number, inf, -inf or nan";
  return fmt::format("a whole number from {} to {}", range_of(type).min, range_of(type).max);
}

std::string text_of_number(Type type, uint64_t bits) {
  if (type == Type::Bool) return bits != 0 ? "True" : "False";
  if (!info(type).is_float) {
    if (!info(type).is_signed) return fmt::format("{}", bits);
    const unsigned unused = 64u - 8u * info(type).bytes;
    return fmt::format("{}", static_cast<int64_t>(bits << unused) >> unused);
  }
  const IeeeFloats floats;
  const double value = double_of_float(type, bits);
  if (value != value) return "nan";
  // The digits that tell the number from the other float32; all of its own, if a reader that goes through a double
  // would go astray.
  if (type == Type::F32) {
    const std::string text = shortest(static_cast<float>(value));
    if (number_of_text(type, text) == bits) return text;
  }
  return shortest(value);
}

}  // namespace kerr::loops

#include "isa/text/whole_number.hpp"

#include <fmt/format.h>

#include <charconv>
#include <system_error>

namespace kerr::isa::text {

namespace {

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool hexadecimal(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return false;
  text.remove_prefix(2);
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

std::string readable(uint64_t bound) { return bound == ~uint64_t{0} ? "2^64 - 1" : fmt::format("{}", bound); }

}  // namespace

std::optional<uint64_t> whole_number(std::string_view text) {
  const bool hex = hexadecimal(text);
  if (!hex && !all_digits(text)) return std::nullopt;
  if (hex) text.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::string> problem_with_number(std::string_view text, uint64_t least, uint64_t most) {
  if (const auto value = whole_number(text); value && *value >= least && *value <= most) return std::nullopt;
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (!all_digits(digits) && !hexadecimal(digits))
    return fmt::format(" = {} is no whole number (decimal, or hexadecimal behind 0x) from {} to {}", text, least,
                       readable(most));
  return fmt::format(" must be from {} to {}, not {}", least, readable(most), text);
}

}  // namespace kerr::isa::text

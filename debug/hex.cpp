#include "debug/hex.hpp"

#include <charconv>

namespace kerr::debug {

std::optional<uint64_t> number_in(std::string_view digits) {
  uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, 16);
  if (digits.empty() || digits.size() > 16 || digits.front() == '-' || error != std::errc() || stopped != end)
    return std::nullopt;
  return value;
}

std::optional<uint32_t> word_in(std::string_view digits) {
  const auto value = number_in(digits);
  if (!value || *value > ~uint32_t{0}) return std::nullopt;
  return static_cast<uint32_t>(*value);
}

std::optional<std::vector<uint8_t>> bytes_in(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::vector<uint8_t> out;
  out.reserve(digits.size() / 2);
  for (size_t i = 0; i < digits.size(); i += 2) {
    const auto byte = number_in(digits.substr(i, 2));
    if (!byte) return std::nullopt;
    out.push_back(static_cast<uint8_t>(*byte));
  }
  return out;
}

std::string hex_of(std::span<const uint8_t> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  out.reserve(2 * bytes.size());
  for (const uint8_t byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0xF];
  }
  return out;
}

std::string hex_of(std::string_view text) {
  return hex_of(std::span(reinterpret_cast<const uint8_t*>(text.data()), text.size()));
}

std::string hex_of_word(uint32_t word) {
  const uint8_t bytes[4] = {static_cast<uint8_t>(word), static_cast<uint8_t>(word >> 8),
                            static_cast<uint8_t>(word >> 16), static_cast<uint8_t>(word >> 24)};
  return hex_of(bytes);
}

std::string_view take_until(std::string_view& text, char separator) {
  const size_t at = text.find(separator);
  const std::string_view before = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return before;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view next_word(std::string_view& text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  return take_until(text, ' ');
}

std::optional<uint32_t> count_in(std::string_view text) {
  if (take_prefix(text, "0x")) return word_in(text);
  uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<uint64_t>(c - '0');
    if (value > ~uint32_t{0}) return std::nullopt;
  }
  return text.empty() ? std::nullopt : std::optional(static_cast<uint32_t>(value));
}

}  // namespace kerr::debug

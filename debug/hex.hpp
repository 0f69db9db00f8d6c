// Hexadecimal numbers and bytes, as the remote serial protocol writes them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::debug {

/// A whole text of 1 to 16 hexadecimal digits; nothing else is a number.
std::optional<uint64_t> number_in(std::string_view digits);
/// The same, at most 32 bits.
std::optional<uint32_t> word_in(std::string_view digits);
/// A number of up to 32 bits as a person types it: decimal, or 0x...
std::optional<uint32_t> count_in(std::string_view text);
/// Bytes in memory order, two digits each; nothing if one is missing.
std::optional<std::vector<uint8_t>> bytes_in(std::string_view digits);

std::string hex_of(std::span<const uint8_t> bytes);
std::string hex_of(std::string_view text);
/// Little-endian, eight digits.
std::string hex_of_word(uint32_t word);

/// What stands before the first `separator`, which is taken off `text` with it; all of it if there is none.
std::string_view take_until(std::string_view& text, char separator);
/// Up to the next space, behind any that come first.
std::string_view next_word(std::string_view& text);
/// Takes a prefix off. False: it is not there.
bool take_prefix(std::string_view& text, std::string_view prefix);

}  // namespace kerr::debug

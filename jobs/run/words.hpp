// Words of arguments as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kerr::jobs {

/// A number, or the address of a buffer of the run and a number.
struct Word {
  uint32_t value = 0;
  std::string name;  // of the buffer; empty: only the number
};

/// "16", "0x10", "-1" (two's complement), "1.5" (its FP32 bits), "buffer", "buffer+0x40". Throws std::invalid_argument.
Word parse_word(std::string_view text);
/// The same, joined by commas.
std::vector<Word> parse_words(std::string_view text);

/// The FP32 bits of a number. Throws std::invalid_argument, with `text` in it, if it has none.
uint32_t fp32_bits(double number, std::string_view text);

/// Letters, digits and '_', not beginning with a digit, and no word that means something else in a place. Throws
/// std::invalid_argument.
void check_name(std::string_view name);
bool looks_like_name(std::string_view text);

}  // namespace kerr::jobs

// Whole numbers as people write them in options, environment variables and texts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kerr::isa::text {

/// Decimal digits, or hexadecimal ones behind 0x, and nothing else: no sign, no blank. Leading zeros mean nothing.
/// Nothing for other text and for numbers beyond 64 bits.
std::optional<uint64_t> whole_number(std::string_view text);

/// Why `text` is no number from `least` to `most`, as what follows the name of an option or a variable:
/// " must be from 1 to 256, not 257", " = x is no whole number". Nothing if it is one.
std::optional<std::string> problem_with_number(std::string_view text, uint64_t least, uint64_t most);

}  // namespace kerr::isa::text

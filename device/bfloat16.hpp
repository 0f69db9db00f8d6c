// Numbers of 16 bits as the upper half of a float, compared and converted without floats.
#pragma once

#include <cstdint>

inline constexpr uint16_t NEG_INF_BFLOAT16 = 0xFF80, POS_INF_BFLOAT16 = 0x7F80, NAN_BFLOAT16 = 0x7FFF,
                          BFLOAT16_SIGN_MASK = 0x8000;

// In an order that integers have: magnitudes of negative numbers count down. Zeros of both signs differ.
constexpr int32_t bfloat16_rank(uint16_t x) { return x & BFLOAT16_SIGN_MASK ? -1 - (x & 0x7FFF) : x; }
constexpr bool bfloat16_greater(uint16_t a, uint16_t b) { return bfloat16_rank(a) > bfloat16_rank(b); }

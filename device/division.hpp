// Products and quotients under the names of tt-metal's helpers. A hart multiplies by an instruction, and the compiler
// makes a multiplication of a division by a constant.
#pragma once

#include <stdint.h>

#include "device/hart.hpp"

FORCE_INLINE uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }
template <uint32_t divisor>
FORCE_INLINE uint32_t udivsi3_const_divisor(uint32_t n) {
  return n / divisor;
}
template <uint32_t divisor>
FORCE_INLINE uint32_t umodsi3_const_divisor(uint32_t n) {
  return n % divisor;
}

#define KERR_FAST_DIVISION(divisor) \
  FORCE_INLINE uint32_t fast_udiv_##divisor(uint32_t n) { return n / divisor; }
KERR_FAST_DIVISION(7)
KERR_FAST_DIVISION(12)
KERR_FAST_DIVISION(20)
KERR_FAST_DIVISION(48)
KERR_FAST_DIVISION(56)
KERR_FAST_DIVISION(63)
KERR_FAST_DIVISION(70)
KERR_FAST_DIVISION(72)
KERR_FAST_DIVISION(80)
KERR_FAST_DIVISION(94)
KERR_FAST_DIVISION(108)
KERR_FAST_DIVISION(110)
KERR_FAST_DIVISION(117)
KERR_FAST_DIVISION(120)
KERR_FAST_DIVISION(124)
KERR_FAST_DIVISION(126)
KERR_FAST_DIVISION(130)
KERR_FAST_DIVISION(140)
#undef KERR_FAST_DIVISION

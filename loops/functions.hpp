// What exp2, log2 and sin of loop programs are made of. Each is one fixed sequence of integer operations, on fixed-point
// numbers of the width of its type: a multiplication for each term of a polynomial, no rounding but the last. So every
// machine gives the same bits, and a hart, which has integer multipliers, is quick.
//
// The polynomials are minimax, found by the Remez exchange in 200 bits.
#pragma once

#include <cstdint>

namespace kerr::loops {

/// As exp2_f32, log2_f32 and sin_f32 of loops/arithmetic.hpp, in float64.
uint64_t exp2_f64(uint64_t bits);
uint64_t log2_f64(uint64_t bits);
uint64_t sin_f64(uint64_t bits);

// Coefficients for float32, that of the lowest power first. "2^-31" says what one unit is.
namespace f32_functions {

// (2^f - 1) / f for f in [0, 1), 2^-32. Error of 2^f: 2^-28.3. The sum is below 2^32.
inline constexpr uint32_t kExp2[] = {0xB1721501, 0x3D7FB4E6, 0x0E3419A9, 0x027A7712, 0x00515CC9, 0x000E4889};

// log2(1 + r) / r for r in [0, 0.4143) and log2(1 - r) / -r for r in [0, 0.2929), 2^-31. Relative error: 2^-30.3. All but
// the first are signed.
inline constexpr uint32_t kLog2Above[] = {0xB8AA3B27, -0x5C551ABEu, 0x3D8D7FD1, -0x2E1EF6AEu,
                                          0x247A93A3, -0x1C3A2B48u, 0x11F3A2E8, -0x065F8837u};
inline constexpr uint32_t kLog2Below[] = {0xB8AA3B27, 0x5C5520F3, 0x3D8D27CC,   0x2E42F6EC,
                                          0x23B539B1, 0x2726D0DD, -0x041028DEu, 0x4AF878A9};

// sin(f pi/2) / f and (1 - cos(f pi/2)) / f^2 in powers of f^2, for f^2 in [0, 1/4], 2^-31; the signs alternate. Relative
// error of the sine: 2^-28.2, of the cosine 2^-34.
inline constexpr uint32_t kSin[] = {0xC90FDA97, 0x52AEEE40, 0x0A32F48F, 0x0096C981};
inline constexpr uint32_t kCos[] = {0x9DE9E63F, 0x20783BDA, 0x02AB8CC8, 0x001D9F7C};

// 64 zeros and the first bits of 2/pi behind the binary point.
inline constexpr uint32_t kTwoOverPi[] = {0, 0, 0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041};

}  // namespace f32_functions

}  // namespace kerr::loops

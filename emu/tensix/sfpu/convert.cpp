// Conversions between integers and FP32, and rounding to fewer bits.   docs/hardware/tensix-math.md 10.6
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr std::uint32_t kSign = 0x80000000;

// Sign-magnitude to FP32. `rounds_up` decides about the eight bits that do not fit.
template <class F>
std::uint32_t float_of(std::uint32_t c, F rounds_up) {
  const std::uint32_t magnitude = c & ~kSign;
  if (magnitude == 0) return c;
  const auto zeros = static_cast<std::uint32_t>(std::countl_zero(magnitude));
  const std::uint32_t n = magnitude << zeros;
  return (c & kSign) + ((157 - zeros) << 23) + (n >> 8) + (rounds_up(n) ? 1 : 0);
}

// FP32 to fewer mantissa bits: `dropped` bits go, compared with a threshold of as many bits.
std::uint32_t shortened(std::uint32_t c, unsigned dropped, std::uint32_t threshold) {
  const std::uint32_t e = c >> 23 & 0xFF;
  if (e == 0) return 0;
  if (e == 255) return c & 0xFF800000;
  const std::uint32_t rest = c & ((1u << dropped) - 1);
  return c - rest + (rest >= threshold >> (23 - dropped) ? 1u << dropped : 0);
}

// A 23-bit fixed-point magnitude to a clamped integer; the result is sign-magnitude.
std::uint32_t clamped(std::uint32_t sign, std::uint64_t fixed, std::uint32_t threshold, std::uint32_t most) {
  const std::uint64_t r = (fixed >> 23) + ((fixed & 0x7FFFFF) >= threshold ? 1 : 0);
  const auto value = static_cast<std::uint32_t>(std::min<std::uint64_t>(r, most));
  return value == 0 ? 0 : sign | value;
}

std::uint32_t integer_of(std::uint32_t c, bool is_unsigned, std::uint32_t threshold, std::uint32_t most) {
  const int e = static_cast<int>(c >> 23 & 0xFF) - 127;
  const std::uint32_t sign = is_unsigned ? 0 : c & kSign;
  if (e < -1) return 0;
  if (e >= 16) return sign | most;
  const std::uint64_t m = 0x800000 | (c & 0x7FFFFF);
  return clamped(sign, e >= 0 ? m << e : m >> -e, threshold, most);
}

}  // namespace

Issue Sfpu::exec(int, const SFPCAST& i) {
  return compute(i, [&](unsigned lane) {
    const std::uint32_t c = lregs_[i.lreg_src_c][lane];
    const std::uint32_t random = i.instr_mod1 & 1 ? next_random(lane) : 0;
    switch (i.instr_mod1 & 3) {
      case 0: return float_of(c, [](std::uint32_t n) { return (n & 0x80) && (n & 0x17F); });
      case 1: return float_of(c, [&](std::uint32_t n) { return (n & 0xFE) > (random >> 9 & 0xFE); });
      case 2: return c >> 31 ? 0 - c : c;
      default: return c >> 31 ? kSign | (0 - c) : c;
    }
  });
}

Issue Sfpu::exec(int, const SFP_STOCH_RND& i) {
  enum : unsigned { kNearest, kStochastic, kToZero };
  if (i.lreg_dest < kFirstTemplate) {
    if (i.rnd_mode > kToZero)
      return Issue::unsupported(fmt::format("SFP_STOCH_RND with rnd_mode = {} is not modelled", i.rnd_mode));
    if (i.instr_mod1 >= 8 && i.instr_mod1 != 12 && i.instr_mod1 != 13) {
      return Issue::undefined(fmt::format("SFP_STOCH_RND has no instr_mod1 {}", i.instr_mod1));
    }
  }
  return compute(i, [&](unsigned lane) -> std::uint32_t {
    const std::uint32_t c = lregs_[i.lreg_src_c][lane], random = next_random(lane);
    const std::uint32_t threshold = i.rnd_mode == kNearest  ? 0x400000
                                    : i.rnd_mode == kToZero ? 0x7FFFFF
                                                            : random & 0x7FFFFF;
    switch (i.instr_mod1 & 7) {
      case 0: return shortened(c, 13, threshold);
      case 1: return shortened(c, 16, threshold);
      case 2: return integer_of(c, true, threshold, 255);
      case 3: return integer_of(c, false, threshold, 127);
      case 6: return integer_of(c, true, threshold, 65535);
      case 7: return integer_of(c, false, threshold, 32767);
      default: {  // 4, 5: integer, divided by a power of two
        const unsigned shift = i.instr_mod1 & 8 ? i.imm8_math : lregs_[i.lreg_src_b][lane] & 31;
        const bool is_unsigned = (i.instr_mod1 & 1) == 0;
        const std::uint64_t fixed = (std::uint64_t{c & ~kSign} << 23) >> shift;
        return clamped(is_unsigned ? 0 : c & kSign, fixed, threshold, is_unsigned ? 255 : 127);
      }
    }
  });
}

}  // namespace kerr::emu::tensix

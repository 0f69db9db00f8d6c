// FP32 arithmetic, all of it through one multiply-add.   docs/hardware/tensix-math.md 10.3, 10.4
#include <fmt/format.h>

#include "emu/tensix/math/fma.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;
using math::fma;

namespace {

constexpr std::uint32_t kSign = 0x80000000, kOne = 0x3F800000;
constexpr unsigned kIndirectA = 4, kIndirectD = 8;

std::uint32_t negate_if(bool negate, std::uint32_t v) { return negate ? v ^ kSign : v; }

// Coefficient bytes of SFPLUT and halves of SFPLUTFP32.
std::uint32_t from_lut8(std::uint32_t v) {
  return v == 0xFF ? 0 : (v & 0x80) << 24 | (127 - (v >> 4 & 7)) << 23 | (v & 15) << 19;
}
std::uint32_t from_lut16(std::uint32_t h) {
  const std::uint32_t e = h >> 10 & 0x1F;
  return (h & 0x8000) << 16 | (e == 31 ? 0 : 112 + e) << 23 | (h & 0x3FF) << 13;
}

std::uint32_t reciprocal(std::uint32_t x) {  // x is positive
  if (x < 0x00800000) return 0x7F800000;
  if (x >= 0x7E800000) return 0;
  const std::uint32_t q = 257 + 2 * (x >> 16 & 0x7F);
  const std::uint32_t mantissa = (131072 + q) / (2 * q) - 128;
  return (253 - (x >> 23)) << 23 | mantissa << 16;
}

}  // namespace

template <class Instruction, class F>
Issue Sfpu::compute_indirect(const Instruction& i, unsigned vd, unsigned modifier, F value) {
  if (vd >= kFirstTemplate) return store_template(vd, i.encode());
  if (!(modifier & kIndirectD)) {
    if (Issue refused = check_writable(vd); !refused.is_done()) return refused;
  }
  const LReg selector = lregs_[7];
  LReg result{};
  for_each_enabled([&](unsigned lane) { result[lane] = value(lane); });
  Issue refused = Issue::done();
  for_each_enabled([&](unsigned lane) {
    const unsigned d = modifier & kIndirectD ? selector[lane] & 15 : vd;
    if (d >= kGeneral) return;
    if (modifier & kIndirectD) {
      if (Issue no = check_writable(d); !no.is_done()) refused = std::move(no);
    }
    lregs_[d][lane] = result[lane];
  });
  return refused;
}

Issue Sfpu::exec(int, const SFPMAD& i) {
  const unsigned m = i.instr_mod1;
  return compute_indirect(i, i.lreg_dest, m, [&](unsigned lane) {
    const unsigned va = m & kIndirectA ? lregs_[7][lane] & 15 : i.lreg_src_a;
    return fma(negate_if(m & 1, lregs_[va][lane]), lregs_[i.lreg_src_b][lane],
               negate_if(m & 2, lregs_[i.lreg_src_c][lane]));
  });
}

// The same operation under two more names. A template keeps the name, so the word is that of the instruction itself.
Issue Sfpu::exec(int thread, const SFPADD& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  return exec(thread, SFPMAD{i.instr_mod1, i.lreg_dest, i.lreg_src_c, i.lreg_src_b, i.lreg_src_a});
}
Issue Sfpu::exec(int thread, const SFPMUL& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  return exec(thread, SFPMAD{i.instr_mod1, i.lreg_dest, i.lreg_src_c, i.lreg_src_b, i.lreg_src_a});
}

Issue Sfpu::exec(int, const SFPMULI& i) {
  return compute_indirect(i, i.lreg_dest, i.instr_mod1, [&](unsigned lane) {
    return fma(i.imm16_math << 16, negate_if(i.instr_mod1 & 2, lregs_[i.lreg_dest][lane]), 0);
  });
}
Issue Sfpu::exec(int, const SFPADDI& i) {
  return compute_indirect(i, i.lreg_dest, i.instr_mod1, [&](unsigned lane) {
    return fma(i.imm16_math << 16, kOne, negate_if(i.instr_mod1 & 2, lregs_[i.lreg_dest][lane]));
  });
}

// 23 x 23 bits, the low or the high half. An addend would go through the floating-point adder.
Issue Sfpu::exec(int, const SFPMUL24& i) {
  const unsigned m = i.instr_mod1;
  if (i.lreg_dest < kFirstTemplate) {
    bool added = false;
    for_each_enabled([&](unsigned lane) { added |= (lregs_[i.lreg_src_c][lane] & 0x7F800000) != 0; });
    if (added)
      return Issue::unsupported(
          fmt::format("SFPMUL24 with an addend (LReg {} is not zero) is not modelled", i.lreg_src_c));
  }
  return compute_indirect(i, i.lreg_dest, m, [&](unsigned lane) {
    const unsigned va = m & kIndirectA ? lregs_[7][lane] & 15 : i.lreg_src_a;
    const std::uint32_t a = lregs_[va][lane], b = lregs_[i.lreg_src_b][lane];
    if (!(m & 1)) return a * b & 0x7FFFFF;
    return static_cast<std::uint32_t>(std::uint64_t{a & 0x7FFFFF} * (b & 0x7FFFFF) >> 23);
  });
}

// A piecewise line over |LReg3|: slope and offset as bytes of LReg 0, 1 or 2.
Issue Sfpu::exec(int, const SFPLUT& i) {
  constexpr unsigned kKeepSign = 4;
  return compute_indirect(i, i.lreg_ind, i.instr_mod0, [&](unsigned lane) {
    const std::uint32_t sign = lregs_[3][lane] & kSign, x = lregs_[3][lane] & ~kSign;
    const std::uint32_t line = lregs_[x < kOne ? 0 : x < 0x40000000 ? 1 : 2][lane];
    const std::uint32_t d = fma(from_lut8(line >> 8 & 0xFF), x, from_lut8(line & 0xFF));
    return i.instr_mod0 & kKeepSign ? (d & ~kSign) | sign : d;
  });
}

Issue Sfpu::exec(int, const SFPLUTFP32& i) {
  constexpr unsigned kKeepSign = 4;
  const unsigned kind = i.instr_mod1 & ~kKeepSign;
  return compute_indirect(i, i.lreg_dest, i.instr_mod1, [&](unsigned lane) {
    const std::uint32_t sign = lregs_[3][lane] & kSign, x = lregs_[3][lane] & ~kSign;
    const unsigned third = x < kOne ? 0 : x < 0x40000000 ? 1 : 2;
    const auto half_of = [&](unsigned reg, bool high) {
      return from_lut16(high ? lregs_[reg][lane] >> 16 : lregs_[reg][lane] & 0xFFFF);
    };
    std::uint32_t slope, offset;
    if ((kind & 10) == 10) {
      slope = half_of(third, true);
      offset = half_of(third, false);
    } else if (kind & 2) {  // six pieces: two to a register
      const std::uint32_t last = kind & 1 ? 0x40800000 : 0x40400000;
      const bool high = third == 0 ? x >= 0x3F000000 : third == 1 ? x >= 0x3FC00000 : x >= last;
      slope = half_of(third, high);
      offset = half_of(4 + third, high);
    } else {
      slope = lregs_[third][lane];
      offset = lregs_[4 + third][lane];
    }
    const std::uint32_t d = fma(slope, x, offset);
    return i.instr_mod1 & kKeepSign ? (d & ~kSign) | sign : d;
  });
}

// Approximate reciprocal, seven mantissa bits.
Issue Sfpu::exec(int, const SFPARECIP& i) {
  if (i.instr_mod1 > 1 && i.lreg_dest < kFirstTemplate) {
    return Issue::unsupported(
        fmt::format("SFPARECIP with instr_mod1 = {} (exponential) is not modelled", i.instr_mod1));
  }
  return compute(i, [&](unsigned lane) {
    const std::uint32_t c = lregs_[i.lreg_c][lane];
    if (i.instr_mod1 == 0) return (c & kSign) | reciprocal(c & ~kSign);
    return lregs_[i.imm12][lane] & kSign ? reciprocal(c & ~kSign) : c;  // the field holds VB here
  });
}

}  // namespace kerr::emu::tensix

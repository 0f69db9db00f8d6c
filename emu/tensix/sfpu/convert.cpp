// Conversions between integers and FP32, and rounding to fewer bits.   docs/hardware/tensix-math.md 10.6
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

// Only mode 1 takes random numbers: the ISA page of mode 3 has none, though 9.4 says "odd Mod1".
Issue Sfpu::perform(const SFPCAST& i, const Operands& r, LaneMask lanes) {
  switch (i.instr_mod1 & 3) {
    case 0: return write(LaneValue::CastNearest, r, lanes);
    case 1: {
      if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
      const LaneMask active = lanes & enabled_;
      const LReg random_numbers = random(active);
      if (writable(r.vd)) {
        const LReg& c = in(r.vc);
        (*kernels_)[LaneValue::CastStochastic](lregs_[r.vd], c, random_numbers, c, 0, active);
      }
      return Issue::done();
    }
    case 2: return write(LaneValue::CastAbsolute, r, lanes);
    default: return write(LaneValue::CastComplement, r, lanes);
  }
}

// Only the two modes that shift look at the bit that chooses where the amount comes from.
bool Sfpu::odd_mode(const SFP_STOCH_RND& i) {
  enum : unsigned { kDescale = 4 };
  return (i.instr_mod1 & kImmediateAmount) && (i.instr_mod1 & 6) != kDescale;
}

Issue Sfpu::perform(const SFP_STOCH_RND& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kNearest = 0, kToZero = 2 };
  constexpr uint32_t kThresholdBits = 0x7FFFFF;
  constexpr LaneValue kByMod[] = {LaneValue::RoundTo10Bits, LaneValue::RoundTo7Bits,   LaneValue::FloatToUint8,
                                  LaneValue::FloatToInt8,   LaneValue::DescaleToUint8, LaneValue::DescaleToInt8,
                                  LaneValue::FloatToUint16, LaneValue::FloatToInt16};
  const LaneValue value = kByMod[i.instr_mod1 & 7];
  if (tolerance_.strict() && odd_mode(i))
    return Issue::undefined(fmt::format("SFP_STOCH_RND has no instr_mod1 {}", i.instr_mod1));
  if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);

  const LaneMask active = lanes & enabled_;
  LReg threshold = random(active);  // drawn even if it is not used
  if (i.rnd_mode == kNearest) {
    threshold.fill(0x400000);
  } else if (i.rnd_mode == kToZero) {
    threshold.fill(kThresholdBits);
  } else {  // 1; the published model treats 3 alike
    for (uint32_t& t : threshold) t &= kThresholdBits;
  }
  if (writable(r.vd)) {
    const LReg amount = i.instr_mod1 & kImmediateAmount ? filled(i.imm8_math) : in(r.vb);
    (*kernels_)[value](lregs_[r.vd], threshold, amount, in(r.vc), 0, active);
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix

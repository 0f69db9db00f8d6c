// FP32 arithmetic, all of it through one multiply-add, and its relatives.   docs/hardware/tensix-math.md 10.3, 10.4
#include "emu/tensix/sfpu/lane_functions.hpp"
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;
using lane::kSign;

namespace {

// Bits of instr_mod1.
enum : unsigned { kNegateA = 1, kNegateC = 2, kIndirectA = 4, kIndirectD = 8 };

}  // namespace

// LReg[vd] gets what write_to(register, lanes) leaves there; vd comes from LReg[7] lane by lane if asked. Within
// macros a result arrives a cycle later than others.
template <class F>
Issue Sfpu::mad_result(const Operands& r, bool indirect_vd, LaneMask lanes, F write_to) {
  const LaneMask active = lanes & enabled_;
  indirect_vd = indirect_vd && r.vd != kMacroRegister;
  if (!indirect_vd && undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
  if (!indirect_vd && !scheduled_) {
    if (writable(r.vd)) write_to(lregs_[r.vd], active);
    return Issue::done();
  }
  MadResult& result = mad_new_;
  result.lanes = active;
  result.operands = r;
  result.indirect = indirect_vd;
  if (indirect_vd) {
    result.selector = in(7);
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned vd = result.selector[l] & 15;
      if ((active >> l & 1) && undefined_with_dest_index(vd, 1u << l)) return fault_with_dest_index(vd);
    }
  }
  write_to(result.value, kAllLanes);
  if (scheduled_) {
    result_new_ = true;
  } else {
    commit(result);
  }
  return Issue::done();
}

void Sfpu::commit(const MadResult& result) {
  if (result.indirect) {
    for_each_lane(result.lanes, [&](unsigned l) {
      const unsigned vd = result.selector[l] & 15;
      if (vd < kGeneral) lregs_[vd][l] = result.value[l];
    });
  } else if (writable(result.operands.vd)) {
    move(lregs_[result.operands.vd], result.value, result.lanes);
  }
}

Issue Sfpu::multiply_add(unsigned modifier, const Operands& r, LaneMask lanes) {
  LReg gathered;
  const LReg* x = &in(r.va);
  if (modifier & kIndirectA) {
    for (unsigned l = 0; l < kLanes; ++l) gathered[l] = in(in(7)[l] & 15)[l];
    x = &gathered;
  }
  return mad_result(r, modifier & kIndirectD, lanes, [&](LReg& d, LaneMask active) {
    kernels_->multiply_add(d, *x, in(r.vb), in(r.vc), modifier & kNegateA ? kSign : 0, modifier & kNegateC ? kSign : 0,
                           active);
  });
}

// One operation under three names: software gives ADD a factor of 1.0 and MUL an addend of 0.
Issue Sfpu::perform(const SFPMAD& i, const Operands& r, LaneMask lanes) { return multiply_add(i.instr_mod1, r, lanes); }
Issue Sfpu::perform(const SFPADD& i, const Operands& r, LaneMask lanes) { return multiply_add(i.instr_mod1, r, lanes); }
Issue Sfpu::perform(const SFPMUL& i, const Operands& r, LaneMask lanes) { return multiply_add(i.instr_mod1, r, lanes); }

// The +0 that is added turns a product of -0 into +0.
Issue Sfpu::perform(const SFPMULI& i, const Operands& r, LaneMask lanes) {
  return mad_result(r, i.instr_mod1 & kIndirectD, lanes, [&](LReg& d, LaneMask active) {
    kernels_->multiply_add_immediate(d, in(r.vc), i.imm16_math << 16, in(kZero), i.instr_mod1 & kNegateC ? kSign : 0, 0,
                                     active);
  });
}
Issue Sfpu::perform(const SFPADDI& i, const Operands& r, LaneMask lanes) {
  return mad_result(r, i.instr_mod1 & kIndirectD, lanes, [&](LReg& d, LaneMask active) {
    kernels_->multiply_add_immediate(d, in(kOne), i.imm16_math << 16, in(r.vc), 0, i.instr_mod1 & kNegateC ? kSign : 0,
                                     active);
  });
}

// 23 x 23 bits. An addend goes through the float adder, which nobody should use.
Issue Sfpu::perform(const SFPMUL24& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kUpper = 1 };
  LReg a = in(r.va);
  if (i.instr_mod1 & kIndirectA) {
    for (unsigned l = 0; l < kLanes; ++l) a[l] = in(in(7)[l] & 15)[l];
  }
  const LaneValue product = i.instr_mod1 & kUpper ? LaneValue::Multiply24High : LaneValue::Multiply24Low;
  (*kernels_)[product](a, a, in(r.vb), a, 0, kAllLanes);
  return mad_result(r, i.instr_mod1 & kIndirectD, lanes, [&](LReg& d, LaneMask active) {
    (*kernels_)[LaneValue::Multiply24Add](d, a, a, in(r.vc), 0, active);
  });
}

// slope * |LReg 3| + offset
Issue Sfpu::piecewise(const Operands& r, const LReg& slope, const LReg& offset, bool keep_sign, bool indirect_vd,
                      LaneMask lanes) {
  const LReg& x = in(3);
  LReg magnitude = x, result = x;
  (*kernels_)[LaneValue::AndImmediate](magnitude, x, x, x, lane::kMagnitude, kAllLanes);
  kernels_->multiply_add(result, slope, magnitude, offset, 0, 0, kAllLanes);
  if (keep_sign) (*kernels_)[LaneValue::SetSignFromFloat](result, x, x, result, 0, kAllLanes);
  return mad_result(r, indirect_vd, lanes, [&](LReg& d, LaneMask active) { move(d, result, active); });
}

// Three entries of two bytes, chosen by |x|: slope and offset.
Issue Sfpu::perform(const SFPLUT& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kKeepSign = 4, kIndirect = 8 };
  LReg entry = in(3);
  (*kernels_)[LaneValue::EntryOfThree](entry, in(0), in(1), in(2), 0, kAllLanes);
  LReg slope = entry, offset = entry;
  (*kernels_)[LaneValue::FromLut8High](slope, entry, entry, entry, 0, kAllLanes);
  (*kernels_)[LaneValue::FromLut8Low](offset, entry, entry, entry, 0, kAllLanes);
  return piecewise(r, slope, offset, i.instr_mod0 & kKeepSign, i.instr_mod0 & kIndirect, lanes);
}

// Three entries of FP32 pairs, of FP16 pairs, or six of FP16 pairs. The bits that ask for the second overlap those
// for an indirect VD: a bug of the chip, so both happen.
Issue Sfpu::perform(const SFPLUTFP32& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kSixEntries = 2, kSixEntriesTo4 = 3, kThreeHalves = 10, kKeepSign = 4, kIndirect = 8 };
  constexpr uint32_t kThree = 0x40400000, kFour = 0x40800000;
  const LaneKernels& k = *kernels_;
  LReg slope = in(3), offset = in(3);
  if ((i.instr_mod1 & kThreeHalves) == kThreeHalves) {
    k[LaneValue::EntryOfThree](offset, in(0), in(1), in(2), 0, kAllLanes);
    k[LaneValue::FromLut16High](slope, offset, offset, offset, 0, kAllLanes);
    k[LaneValue::FromLut16Low](offset, offset, offset, offset, 0, kAllLanes);
  } else if (i.instr_mod1 & kSixEntries) {
    const uint32_t last = (i.instr_mod1 & kSixEntriesTo4) == kSixEntriesTo4 ? kFour : kThree;
    k[LaneValue::EntryOfSix](slope, in(0), in(1), in(2), last, kAllLanes);
    k[LaneValue::EntryOfSix](offset, in(4), in(5), in(6), last, kAllLanes);
  } else {
    k[LaneValue::EntryOfThree](slope, in(0), in(1), in(2), 0, kAllLanes);
    k[LaneValue::EntryOfThree](offset, in(4), in(5), in(6), 0, kAllLanes);
  }
  return piecewise(r, slope, offset, i.instr_mod1 & kKeepSign, i.instr_mod1 & kIndirect, lanes);
}

Issue Sfpu::perform(const SFPARECIP& i, const Operands& r, LaneMask lanes) {
  constexpr LaneValue kByMod[] = {LaneValue::Reciprocal, LaneValue::ReciprocalIfNegative};
  return write(i.instr_mod1 < 2 ? kByMod[i.instr_mod1] : LaneValue::Exponential, r, lanes);
}

}  // namespace kerr::emu::tensix

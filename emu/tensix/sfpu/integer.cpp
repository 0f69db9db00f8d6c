// Integers, bits and the fields of floats, one cycle each.   docs/hardware/tensix-math.md 10.5
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr uint32_t kNoMantissaBit = 0, kHiddenBit = 1u << 23;

uint32_t sign_extended(uint32_t imm12) { return imm12 & 0x800 ? imm12 | 0xFFFFF000 : imm12; }

}  // namespace

// Bit 3 inverts F after all else, even if nothing else writes it.
Issue Sfpu::perform(const SFPIADD& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kImmediate = 1, kSubtract = 2, kKeepF = 4, kInvertF = 8 };
  const LaneMask active = lanes & enabled_;
  const LaneValue value = i.instr_mod1 & kImmediate  ? LaneValue::AddImmediate
                          : i.instr_mod1 & kSubtract ? LaneValue::Subtract
                                                     : LaneValue::Add;
  Issue issue = write(value, r, lanes, sign_extended(i.imm12));
  if (r.vd < kGeneral && issue.is_done()) {
    const LReg& result = lregs_[r.vd];
    LaneMask f = i.instr_mod1 & kKeepF ? flags_.f : (*kernels_)[LaneCondition::Negative](result, result);
    if (i.instr_mod1 & kInvertF) f = ~f;
    set_f(active, f);
  }
  return issue;
}

// Bit 2, the value from VC, counts with an immediate amount only; bit 3 not at all.
Issue Sfpu::perform(const SFPSHFT& i, const Operands& r, LaneMask lanes) {
  const bool immediate = i.instr_mod1 & 1, arithmetic = i.instr_mod1 & 2;
  if (!immediate) return write(arithmetic ? LaneValue::ShiftArithmetic : LaneValue::Shift, r, lanes);
  Operands source = r;
  if (i.instr_mod1 & 4) source.vb = r.vc;
  return write(arithmetic ? LaneValue::ShiftArithmeticImmediate : LaneValue::ShiftImmediate, source, lanes,
               sign_extended(i.imm12));
}

// AND and OR take VB only if Mod1[0] is set, else the destination - also in a macro, where others take the template's.
Issue Sfpu::perform(const SFPAND& i, const Operands& r, LaneMask lanes) {
  return write(LaneValue::And, {r.va, i.instr_mod1 & 1 ? r.vb : r.vd, r.vc, r.vd}, lanes);
}
Issue Sfpu::perform(const SFPOR& i, const Operands& r, LaneMask lanes) {
  return write(LaneValue::Or, {r.va, i.instr_mod1 & 1 ? r.vb : r.vd, r.vc, r.vd}, lanes);
}
Issue Sfpu::perform(const SFPXOR&, const Operands& r, LaneMask lanes) { return write(LaneValue::Xor, r, lanes); }
Issue Sfpu::perform(const SFPNOT&, const Operands& r, LaneMask lanes) { return write(LaneValue::Not, r, lanes); }

Issue Sfpu::perform(const SFPLZ& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kSetF = 2, kWithoutSign = 4, kInvertF = 8 };
  const LaneMask active = lanes & enabled_;
  const uint32_t mask = i.instr_mod1 & kWithoutSign ? 0x7FFFFFFF : ~0u;
  LReg masked = in(r.vc);
  (*kernels_)[LaneValue::AndImmediate](masked, masked, masked, masked, mask, kAllLanes);
  Issue issue = write(LaneValue::LeadingZeros, r, lanes, mask);
  if (r.vd < kGeneral && issue.is_done()) {
    LaneMask f = i.instr_mod1 & kSetF ? (*kernels_)[LaneCondition::NotZero](masked, masked) : flags_.f;
    if (i.instr_mod1 & kInvertF) f = ~f;
    set_f(active, f);
  }
  return issue;
}

Issue Sfpu::perform(const SFPABS& i, const Operands& r, LaneMask lanes) {
  return write(i.instr_mod1 & 1 ? LaneValue::AbsoluteFloat : LaneValue::AbsoluteInteger, r, lanes);
}

Issue Sfpu::perform(const SFPEXEXP& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kKeepBias = 1, kSetF = 2, kInvertF = 8 };
  const LaneMask active = lanes & enabled_;
  Issue issue = write(LaneValue::ExtractExponent, r, lanes, i.instr_mod1 & kKeepBias ? 0 : 127);
  if (r.vd < kGeneral && issue.is_done()) {
    const LReg& result = lregs_[r.vd];
    LaneMask f = i.instr_mod1 & kSetF ? (*kernels_)[LaneCondition::Negative](result, result) : flags_.f;
    if (i.instr_mod1 & kInvertF) f = ~f;
    set_f(active, f);
  }
  return issue;
}

Issue Sfpu::perform(const SFPEXMAN& i, const Operands& r, LaneMask lanes) {
  return write(LaneValue::ExtractMantissa, r, lanes, i.instr_mod1 & 1 ? kNoMantissaBit : kHiddenBit);
}

Issue Sfpu::perform(const SFPSETEXP& i, const Operands& r, LaneMask lanes) {
  if (i.instr_mod1 & 1) return write(LaneValue::SetExponent, r, lanes, i.imm12);
  return write(i.instr_mod1 & 2 ? LaneValue::SetExponentFromFloat : LaneValue::SetExponentFromInteger, r, lanes);
}

Issue Sfpu::perform(const SFPSETMAN& i, const Operands& r, LaneMask lanes) {
  if (i.instr_mod1 & 1) return write(LaneValue::SetMantissa, r, lanes, i.imm12 << 11);
  return write(LaneValue::SetMantissaFromFloat, r, lanes);
}

Issue Sfpu::perform(const SFPSETSGN& i, const Operands& r, LaneMask lanes) {
  if (i.instr_mod1 & 1) return write(LaneValue::SetSign, r, lanes, i.imm12 << 31);
  return write(LaneValue::SetSignFromFloat, r, lanes);
}

Issue Sfpu::perform(const SFPDIVP2& i, const Operands& r, LaneMask lanes) {
  return write(i.instr_mod1 & 1 ? LaneValue::AddToExponent : LaneValue::SetExponent, r, lanes, i.imm12);
}

}  // namespace kerr::emu::tensix

// Moves between registers and between lanes.   docs/hardware/tensix-math.md 10.7, 10.8
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

// The lane to the left within a row; the last one for the first.
unsigned left_of(unsigned lane) { return lane % kLaneColumns == 0 ? lane + kLaneColumns - 1 : lane - 1; }

LReg rotated_right(const LReg& v) {
  LReg r;
  for (unsigned l = 0; l < kLanes; ++l) r[l] = v[left_of(l)];
  return r;
}

}  // namespace

Issue Sfpu::perform(const SFPMOV& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kNegate = 1, kAllEnabled = 2, kSpecial = 8 };
  enum : unsigned { kSequence = 4, kMisc = 8, kRandom = 9, kConfig = 15 };
  if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
  if (!(i.instr_mod1 & kSpecial)) {
    const LaneMask active = i.instr_mod1 == kAllEnabled ? lanes : lanes & enabled_;
    const LReg& c = in(r.vc);
    const LaneValue value = i.instr_mod1 & kNegate ? LaneValue::Negate : LaneValue::Move;
    if (writable(r.vd)) (*kernels_)[value](lregs_[r.vd], c, c, c, 0, active);
    return Issue::done();
  }
  const LaneMask active = lanes & enabled_;
  LReg special = r.vc == kRandom ? random(active) : filled(0);
  if (r.vc != kRandom) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const MacroConfig& m = macros_[l % kLaneColumns];
      if (r.vc < kSequence) special[l] = m.templates[r.vc];
      if (r.vc >= kSequence && r.vc < kMisc) special[l] = m.sequences[r.vc - kSequence];
      if (r.vc == kMisc) special[l] = m.misc;
      if (r.vc == kConfig) special[l] = lane_config_.column(l);
    }
  }
  if (writable(r.vd)) move(lregs_[r.vd], special, active);
  return Issue::done();
}

// LRegs 0..3 and 4..7: a 4 x 4 transposition over register and lane row, in each column. A half of an exchange
// happens if its destination lane is enabled.
Issue Sfpu::perform(const SFPTRANSP&, const Operands&, LaneMask lanes) {
  const LaneMask active = lanes & enabled_;
  for (unsigned base = 0; base < kGeneral; base += 4) {
    const std::array<LReg, 4> old{in(base), in(base + 1), in(base + 2), in(base + 3)};
    for (unsigned reg = 0; reg < 4; ++reg) {
      LReg turned;
      for (unsigned l = 0; l < kLanes; ++l) {
        turned[l] = old[l / kLaneColumns][reg * kLaneColumns + l % kLaneColumns];
      }
      move(lregs_[base + reg], turned, active);
    }
  }
  return Issue::done();
}

// VD and VC change places, always or by comparison. With ENABLE_DEST_INDEX the registers four further follow.
Issue Sfpu::perform(const SFPSWAP& i, const Operands& r, LaneMask lanes) {
  // Lanes in which VD gets the smaller value; none from 9 on.
  constexpr LaneMask kSmallerInVd[] = {0,          0xFFFFFFFF, 0x0000FFFF, 0x00FF00FF, 0xFF0000FF,
                                       0x000000FF, 0x0000FF00, 0x00FF0000, 0xFF000000};
  LaneMask swap = kAllLanes;
  if (i.instr_mod1 != 0) {
    const LaneMask c_smaller = (*kernels_)[LaneCondition::SmallerInSwap](in(r.vd), in(r.vc));
    const LaneMask smaller_in_vd = i.instr_mod1 < std::size(kSmallerInVd) ? kSmallerInVd[i.instr_mod1] : 0;
    swap = ~(c_smaller ^ smaller_in_vd) ^ lane_config_.exchange_b_c;
  }
  swap &= lanes & enabled_;
  const auto exchange = [&](unsigned x, unsigned y, unsigned limit, LaneMask where) {
    if (where == 0) return;
    const LReg old_x = in(x), old_y = in(y);
    if (x < limit) move(lregs_[x], old_y, where);
    if (y < limit) move(lregs_[y], old_x, where);
  };
  const LaneMask indexed = swap & lane_config_.enable_dest_index;
  exchange(r.vd, r.vc, kGeneral, swap & ~indexed);
  exchange(r.vd, r.vc, 4, indexed);
  exchange(4 + (r.vd & 3), 4 + (r.vc & 3), kGeneral, indexed);
  return Issue::done();
}

Issue Sfpu::perform(const SFPSHFT2& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kCopy4, kChainedCopy4, kRotateAndCopy4, kRotate, kShiftLanes, kShiftBits, kShiftBitsImmediate };
  const LaneMask active = lanes & enabled_;
  const auto copy_4 = [&](const LReg& last) {
    for (unsigned reg = 0; reg < 3; ++reg) move(lregs_[reg], in(reg + 1), active);
    move(lregs_[3], last, active);
    return Issue::done();
  };
  const auto result = [&](const LReg& value) {
    if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
    if (writable(r.vd)) move(lregs_[r.vd], value, active);
    return Issue::done();
  };
  switch (i.instr_mod1) {
    case kCopy4: return copy_4(filled(0));
    case kChainedCopy4: {  // the old LReg 0, one row up
      LReg up = filled(0);
      std::copy(in(0).begin() + kLaneColumns, in(0).end(), up.begin());
      return copy_4(up);
    }
    case kRotateAndCopy4: return copy_4(rotated_right(in(r.vc)));
    case kRotate: return result(rotated_right(in(r.vc)));
    case kShiftLanes: {
      LReg shifted = rotated_right(in(r.vc));
      for (unsigned l = 0; l < kLanes; l += kLaneColumns) shifted[l] = 0;
      return result(shifted);
    }
    case kShiftBits: return write(LaneValue::Shift, r, lanes);
    case kShiftBitsImmediate:  // the register number is the low part of the amount
      return write(LaneValue::ShiftImmediate, r, lanes, i.imm12 & 0x800 ? i.imm12 | 0xFFFFF000 : i.imm12);
    default: return Issue::undefined(fmt::format("SFPSHFT2 has no instr_mod1 {}", i.instr_mod1));
  }
}

}  // namespace kerr::emu::tensix

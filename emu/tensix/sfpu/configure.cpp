// SFPCONFIG: constants, lane configuration, macro state.   docs/hardware/tensix-math.md 9.3, 10.9
#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr uint32_t kDefaults[] = {0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};  // LReg 11..14
constexpr unsigned kFirstSequence = 4, kMisc = 8, kFirstProgrammable = 11, kLaneConfig = 15;
constexpr uint32_t kMiscBits = 0xFFF;
constexpr uint32_t kBeyondImmediate = 0x30000;  // bits of LaneConfig that Imm16 cannot reach

uint32_t changed_config(unsigned operation, uint32_t old, uint32_t value) {
  switch (operation) {
    case 0: return value;
    case 1: return old | value;
    case 2: return old & value;
    default: return old ^ value;
  }
}

}  // namespace

// A column of lanes takes the value of its first row, if that lane is enabled - ROW_MASK does not count here.
Issue Sfpu::perform(const SFPCONFIG& i, const Operands& r, LaneMask) {
  enum : unsigned { kImmediate = 1, kLaneMask = 8 };
  const bool immediate = i.instr_mod1 & kImmediate;
  const unsigned operation = i.instr_mod1 >> 1 & 3;
  const LReg& source = in(0);
  const auto takes_part = [&](unsigned c) {
    if ((i.instr_mod1 & kLaneMask) && !(i.imm16_math >> 2 * c & 1)) return false;
    return !(flags_.u >> c & 1) || (flags_.f >> c & 1);
  };
  const auto lane_config = [&](unsigned c) {
    const uint32_t old = lane_config_.column(c);
    if (!immediate) return changed_config(operation, old, source[c]) & LaneConfig::kBits;
    return (changed_config(operation, old, i.imm16_math) & ~kBeyondImmediate) | (old & kBeyondImmediate);
  };
  for (unsigned c = 0; c < kLaneColumns; ++c) {
    if (!takes_part(c)) continue;
    MacroConfig& macro = macros_[c];
    if (r.vd < kFirstSequence) {
      macro.templates[r.vd] = source[c];
    } else if (r.vd < kMisc) {
      macro.sequences[r.vd - kFirstSequence] = immediate ? i.imm16_math : source[c];
    } else if (r.vd == kMisc) {
      macro.misc = changed_config(operation, macro.misc, immediate ? i.imm16_math : source[c]) & kMiscBits;
    } else if (r.vd >= kFirstProgrammable && r.vd < kLaneConfig) {
      const uint32_t value = immediate ? kDefaults[r.vd - kFirstProgrammable] : source[c];
      for (unsigned l = c; l < kLanes; l += kLaneColumns) lregs_[r.vd][l] = value;
    } else if (r.vd == kLaneConfig) {
      lane_config_.set(c, lane_config(c));
    }
  }
  flags_changed();
  return Issue::done();
}

}  // namespace kerr::emu::tensix

// SFPCONFIG: constants, lane configuration, macro state.   docs/hardware/tensix-math.md 9.3, 10.9
#include <fmt/format.h>

#include <algorithm>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

constexpr std::uint32_t kDefaults[] = {0xBF800000, 0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};  // LReg 11..14
constexpr unsigned kFirstSequence = 4, kMisc = 8, kFirstConstant = 11, kLaneConfig = 15;
constexpr std::uint32_t kMiscBits = 0xFFF;
constexpr std::uint32_t kModelledLaneConfig = 1u << 2 | 1u << 8;  // ENABLE_DEST_INDEX, EXCHANGE_SRCB_SRCC

std::uint32_t combine(unsigned op, std::uint32_t old, std::uint32_t value) {
  switch (op) {
    case 0: return value;
    case 1: return old | value;
    case 2: return old & value;
    default: return old ^ value;
  }
}

}  // namespace

Issue Sfpu::exec(int, const SFPCONFIG& i) {
  const bool immediate = i.instr_mod1 & 1;
  const unsigned operation = i.instr_mod1 >> 1 & 3;
  if (i.instr_mod1 & 8)
    return Issue::unsupported("SFPCONFIG with a lane mask in Imm16 (instr_mod1 bit 3) is not modelled");

  if (i.config_dest >= kFirstConstant && i.config_dest < kLaneConfig) {
    LReg& reg = lregs_[i.config_dest];
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (is_enabled(lane % 8)) reg[lane] = immediate ? kDefaults[i.config_dest - kFirstConstant] : lregs_[0][lane % 8];
    }
    return Issue::done();
  }
  if (i.config_dest == 9 || i.config_dest == 10) return Issue::done();

  // The rest exists once a lane on the chip; here all lanes must agree.
  const std::uint32_t value = immediate && i.config_dest >= kMisc ? i.imm16_math : lregs_[0][0];
  const bool uniform =
      std::all_of(lregs_[0].begin(), lregs_[0].begin() + 8, [&](std::uint32_t v) { return v == lregs_[0][0]; });
  if ((enabled() & 0xFF) != 0xFF || (!uniform && !(immediate && i.config_dest >= kMisc))) {
    return Issue::unsupported(
        fmt::format("SFPCONFIG of destination {} with lanes that differ is not modelled", i.config_dest));
  }
  if (i.config_dest < kFirstSequence) {
    templates_[i.config_dest] = value;
  } else if (i.config_dest < kMisc) {
    sequences_[i.config_dest - kFirstSequence] = value;
  } else if (i.config_dest == kMisc) {
    misc_ = combine(operation, misc_, value) & kMiscBits;
  } else {
    std::uint32_t bits = combine(operation, lane_config_, value) & 0x3FFFF;
    if (immediate) bits = (bits & 0xFFFF) | (lane_config_ & 0x30000);
    if (bits & ~kModelledLaneConfig) {
      return Issue::unsupported(fmt::format(
          "LaneConfig = {:#x}: only ENABLE_DEST_INDEX (bit 2) and EXCHANGE_SRCB_SRCC (bit 8) are modelled", bits));
    }
    lane_config_ = bits;
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix

#include "emu/tensix/sfpu/sfpu.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {

namespace {

// LReg 8..14 after reset. 12 is 1/512, not the 1/65536 of the ISA text: tensix-math.md 1.5 gives the reasons.
constexpr std::array<std::uint32_t, 7> kConstants{0x3F56594B, 0,          0x3F800000, 0xBF800000,
                                                  0x3B000000, 0xBF2CC4C7, 0xBEB08FF9};
constexpr unsigned kFirstConstant = 8, kFirstWritableConstant = 11, kLaneNumber = 15, kLaneConfig = 15;

// Imm16 of SFPLOADI mode 1: a 16-bit float with five exponent bits, none of them special.
std::uint32_t from_fp16(std::uint32_t imm) {
  return (imm & 0x8000) << 16 | ((imm >> 10 & 0x1F) + 112) << 23 | (imm & 0x3FF) << 13;
}

}  // namespace

void Sfpu::reset() {
  for (LReg& reg : lregs_) reg.fill(0);
  for (unsigned i = 0; i < kConstants.size(); ++i) lregs_[kFirstConstant + i].fill(kConstants[i]);
  for (unsigned lane = 0; lane < kLanes; ++lane) lregs_[kLaneNumber][lane] = 2 * lane;
  flags_ = 0;
  use_flags_ = false;
}

Issue Sfpu::exec(int, const isa::tensix::SFPENCC& i) {
  if (i.instr_mod1 & 2) {
    use_flags_ = i.imm12 & 1;
  } else if (i.instr_mod1 & 1) {
    use_flags_ = !use_flags_;
  }
  flags_ = (i.instr_mod1 & 8) && !(i.imm12 & 2) ? 0 : ~0u;
  return Issue::done();
}

Issue Sfpu::exec(int, const isa::tensix::SFPLOADI& i) {
  if (i.lreg_ind >= kFirstConstant) {
    return Issue::unsupported(fmt::format("SFPLOADI to LReg {}: constants cannot be loaded, macro templates are not modelled", i.lreg_ind));
  }
  LReg& reg = lregs_[i.lreg_ind];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(enabled() >> lane & 1)) continue;
    std::uint32_t& value = reg[lane];
    switch (i.instr_mod0) {
      case 0: value = i.imm16 << 16; break;
      case 1: value = from_fp16(i.imm16); break;
      case 2: value = i.imm16; break;
      case 4: value = static_cast<std::uint32_t>(static_cast<std::int16_t>(i.imm16)); break;
      case 8: value = i.imm16 << 16 | (value & 0xFFFF); break;
      case 10: value = (value & 0xFFFF0000) | i.imm16; break;
      default: return Issue::undefined(fmt::format("SFPLOADI has no mode {}", i.instr_mod0), "Modes are 0, 1, 2, 4, 8 and 10.");
    }
  }
  return Issue::done();
}

// LReg 11..14 from LReg 0 or back to the built-in value; LaneConfig only to its reset value 0.
Issue Sfpu::exec(int, const isa::tensix::SFPCONFIG& i) {
  const bool immediate = i.instr_mod1 & 1;
  if (i.instr_mod1 & 8) return Issue::unsupported("SFPCONFIG with a lane mask in Imm16 (instr_mod1 bit 3) is not modelled");
  if (i.config_dest == kLaneConfig && immediate && i.instr_mod1 == 1 && i.imm16_math == 0) return Issue::done();
  if (i.config_dest < kFirstWritableConstant || i.config_dest >= kLaneNumber) {
    return Issue::unsupported(fmt::format("SFPCONFIG of destination {} (macro, sequence or lane configuration) is not modelled", i.config_dest));
  }
  LReg& reg = lregs_[i.config_dest];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const unsigned column = lane % 8;
    if (!(enabled() >> column & 1)) continue;
    reg[lane] = immediate ? kConstants[i.config_dest - kFirstConstant] : lregs_[0][column];
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix

// The vector unit. So far: lane predication by SFPENCC, constants by SFPLOADI and SFPCONFIG - what base firmware sends at boot. Every
// other SFP instruction faults as Unsupported.   docs/hardware/tensix-math.md 1.5, 9, 10
#pragma once

#include <array>
#include <cstdint>

#include "emu/tensix/issue.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Sfpu {
 public:
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kLRegs = 17;
  using LReg = std::array<std::uint32_t, kLanes>;  // lane l sits at row l / 8, column l % 8

  Sfpu() { reset(); }
  /// Leaving soft reset bit 10 (docs/hardware/tile.md 3.1).
  void reset();

  Issue exec(int, const isa::tensix::SFPENCC& i);
  Issue exec(int, const isa::tensix::SFPLOADI& i);
  Issue exec(int, const isa::tensix::SFPCONFIG& i);
  Issue exec(int, const isa::tensix::SFPNOP&) { return Issue::done(); }

  const LReg& lreg(unsigned index) const { return lregs_[index]; }
  /// One bit a lane: the lanes that an instruction works on.
  std::uint32_t enabled() const { return use_flags_ ? flags_ : ~0u; }
  std::uint32_t flags() const { return flags_; }
  bool use_flags() const { return use_flags_; }

 private:
  std::array<LReg, kLRegs> lregs_;
  std::uint32_t flags_;  // F of each lane
  bool use_flags_;       // U; SFPENCC, SFPPUSHC and SFPPOPC act on all lanes alike, so one bit is enough
};

}  // namespace kerr::emu::tensix

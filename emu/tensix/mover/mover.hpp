// The mover: bulk copies and zero fills of L1 and of configuration, for XMOV and for the commands of TDMA-RISC.
// docs/hardware/tensix-datapath.md 13
#pragma once

#include <cstdint>

#include "emu/memory/l1.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// Addresses and size in bytes, multiples of 16. "L0" in the hardware's names is configuration, not a memory.
struct MoverJob {
  enum Direction : uint8_t { ZeroL1, L1ToConfig, ZeroConfig, L1ToL1 };

  uint64_t destination = 0;  // L1, or an offset into the space of the configuration window
  uint64_t source = 0;       // L1; unused by the zero fills
  uint32_t bytes = 0;
  Direction direction = ZeroL1;
};

/// A job takes effect whole when it starts. A copy goes upwards in units of 16 bytes, so one that overlaps its own
/// source repeats it (what silicon does then is not published).
class Mover {
 public:
  Mover(Config& config, L1& l1) : config_(config), l1_(l1) {}

  Issue exec(int thread, const isa::tensix::XMOV& i);

  /// Faults, without any effect: a range beyond L1 or beyond configuration.
  Issue run(const MoverJob& job);

 private:
  Issue to_l1(const MoverJob& job, bool copy);
  Issue to_config(const MoverJob& job, bool copy);

  Config& config_;
  L1& l1_;
};

}  // namespace kerr::emu::tensix

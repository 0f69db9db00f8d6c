// What a hart asks of the tile's interrupt controller.   docs/hardware/tile.md 1.10
#pragma once

#include <cstdint>

#include "emu/agent.hpp"

namespace kerr::emu {

/// Implemented by Pic (emu/tile). Whoever runs a hart asks where it may be interrupted: in exact timing the hart
/// itself.
class Interrupts {
 public:
  /// Something may interrupt `hart`. TRISCs have no interrupts.
  virtual bool enabled(arch::Hart hart) const = 0;
  /// Something is raised that `hart` has enabled.
  virtual bool pending(arch::Hart hart) const = 0;
  /// Takes the next one in turn: its number goes to INT_NO. Precondition: pending().
  virtual uint32_t next_handler(arch::Hart hart) = 0;

 protected:
  ~Interrupts() = default;
};

}  // namespace kerr::emu

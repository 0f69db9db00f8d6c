// Code that is longer than the replay buffer, cut into phases that fit: each runs over a block of groups of lanes
// before the next one begins, and what later phases need waits in Dst. A hart then pushes a phase's words once for a
// block instead of once for each group.   docs/hardware/tensix-datapath.md 4
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/vector/code.hpp"
#include "kernels/vector/emit.hpp"

namespace kerr::kernels::vector {

struct Phases {
  std::vector<Emitted> phases;  // each with a slot to spare
  uint32_t groups = 32;         // in a block: 32, 16, 8 or 4, those of a tile
  uint32_t first_place = ~0u;   // from this row of the section on values wait in the same places in every block
  uint32_t words() const;       // for one group, all together
  /// What stands for the word in a block's phase, where rows count from the block's first one.
  uint32_t word_for(const Word& word, uint32_t block) const;
};

/// `operands`: the code loads tiles 0 up to this in `mode`, all 32 bits of them, and stores tile 0 in its last step. It
/// may use all `tiles` of the section. Nothing if registers or Dst are too few.
std::optional<Phases> emit_phases(const Code& code, uint32_t operands, uint32_t tiles, DstMode mode);

}  // namespace kerr::kernels::vector

// What soft reset does to the coprocessor.   docs/hardware/tile.md 3.1
#include "arch/tile_registers.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/resources.hpp"

namespace kerr::emu {
namespace {

using isa::tensix::Unit;

constexpr uint32_t bit(Unit unit) { return 1u << static_cast<unsigned>(unit); }

// Units that start nothing while these bits are set.
uint32_t held_units(uint32_t bits) {
  uint32_t units = 0;
  if (bits & arch::kSoftResetUnpackers) units |= bit(Unit::Unpack);
  if (bits & arch::kSoftResetPackers) units |= bit(Unit::Pack);
  if (bits & arch::kSoftResetMover) units |= bit(Unit::Mover);
  if (bits & arch::kSoftResetTdma) units |= bit(Unit::Scalar) | bit(Unit::Pack) | bit(Unit::Unpack) | bit(Unit::Mover);
  if (bits & arch::kSoftResetThcon) units |= bit(Unit::Scalar);
  if (bits & arch::kSoftResetMath) units |= bit(Unit::Fpu) | bit(Unit::Sfpu);
  return units;
}

}  // namespace

void Coprocessor::reset(uint32_t before, uint32_t after) {
  const uint32_t entered = after & ~before;
  const uint32_t left = before & ~after;

  holds.set_in_reset(held_units(after));
  for (int thread = 0; thread < kThreads; ++thread) {
    const auto trisc = static_cast<size_t>(arch::Hart::Trisc0) + static_cast<size_t>(thread);
    if (entered >> arch::kSoftResetBit[trisc] & 1) threads[thread].front.drop_before_mop();
  }
  if (entered & arch::kSoftResetPackers) {
    packer.reset();
    state.packer_signals.clear_accumulated();
    state.packer_signals.last_size = 0;
  }
  if (left & arch::kSoftResetPackers) state.packer_signals.l1_offset = 0;
  if (entered & arch::kSoftResetThcon) {
    state.config.reset();
    holds.set_free();
  }
  if (left & arch::kSoftResetMath) {
    sfpu.reset();
    tell_of_progress(sfpu.macro_thread());  // it may have waited for what is forgotten now
  }
  if (entered & arch::kSoftResetMath) state.src_a.reset_columns(0, math::kColumns);
  if (entered & arch::kSoftResetSrcAOwnership) state.src_a.reset_ownership();
  if (entered & arch::kSoftResetSrcB) {
    state.src_b.reset_ownership();
    state.src_b.reset_columns(0, math::kColumns);
  }
  if (entered & arch::kSoftResetPackerDst) {
    state.dst.set_valid(0, tensix::Dst::kRows, true);
    state.packer_signals.clear_histogram();
  }
  for (unsigned group = 0; group < 4; ++group) {
    if (entered & arch::kSoftResetSrcAColumns << group) state.src_a.reset_columns(4 * group, 4);
  }
}

}  // namespace kerr::emu

// What soft reset does to the coprocessor.   docs/hardware/tile.md 3.1
#include <algorithm>

#include "emu/tensix/parts.hpp"
#include "isa/tensix/resources.hpp"

namespace kerr::emu {
namespace {

using isa::tensix::Unit;

// Bits of SOFT_RESET_0.
enum Bit : unsigned {
  kUnpackers = 1u << 0 | 1u << 1 | 1u << 7,
  kPackers = 0xFu << 2,
  kMover = 1u << 6,
  kTdma = 1u << 8,
  kThcon = 1u << 9,
  kMath = 1u << 10,
  kTrisc0 = 1u << 12,
  kSrcAOwnership = 1u << 15,
  kSrcB = 1u << 16,
  kDst = 1u << 17,
  kSrcAColumns = 1u << 19,  // .. bit 22, four columns each
};

constexpr uint32_t bit(Unit unit) { return 1u << static_cast<unsigned>(unit); }

// Units that start nothing while these bits are set.
uint32_t held_units(uint32_t bits) {
  uint32_t units = 0;
  if (bits & kUnpackers) units |= bit(Unit::Unpack);
  if (bits & kPackers) units |= bit(Unit::Pack);
  if (bits & kMover) units |= bit(Unit::Mover);
  if (bits & kTdma) units |= bit(Unit::Scalar) | bit(Unit::Pack) | bit(Unit::Unpack) | bit(Unit::Mover);
  if (bits & kThcon) units |= bit(Unit::Scalar);
  if (bits & kMath) units |= bit(Unit::Fpu) | bit(Unit::Sfpu);
  return units;
}

// Clears the columns [first, first + count) of both banks.
void clear_columns(tensix::SrcRegister& src, unsigned first, unsigned count) {
  for (unsigned b = 0; b < 2; ++b) {
    math::SrcBank& bank = src.bank(b);
    for (auto& row : bank.cells) std::fill_n(row + first, count, 0);
    bank.changed();
  }
}

}  // namespace

void Coprocessor::Parts::soft_reset(uint32_t before, uint32_t after) {
  const uint32_t entered = after & ~before;
  const uint32_t left = before & ~after;

  holds.set_in_reset(held_units(after));
  for (int thread = 0; thread < kThreads; ++thread) {
    if (entered & kTrisc0 << thread) threads[static_cast<size_t>(thread)].front.drop_before_mop();
  }
  if (entered & kPackers) {
    packer.reset();
    state.packer_signals.clear_accumulated();
    state.packer_signals.last_size = 0;
  }
  if (left & kPackers) state.packer_signals.l1_offset = 0;
  if (entered & kThcon) {
    state.config.clear_thcon();
    holds.set_free();
  }
  if (left & kMath) {
    sfpu.reset();
    tell_of_progress(sfpu.macro_thread());  // it may have waited for what is forgotten now
  }
  if (entered & kMath) clear_columns(state.src_a, 0, math::kColumns);
  if (entered & kSrcAOwnership) state.src_a.reset_ownership();
  if (entered & kSrcB) {
    state.src_b.reset_ownership();
    clear_columns(state.src_b, 0, math::kColumns);
  }
  if (entered & kDst) {
    state.dst.set_valid(0, tensix::Dst::kRows, true);
    state.packer_signals.clear_histogram();
  }
  for (unsigned group = 0; group < 4; ++group) {
    if (entered & kSrcAColumns << group) clear_columns(state.src_a, 4 * group, 4);
  }
}

}  // namespace kerr::emu

// TRISC1 of flat programs: phase after phase on a block of groups, out of the replay buffer.
#include <algorithm>

#include "kernels/blocks/compute.hpp"
#include "kernels/blocks/dst_section.hpp"
#include "kernels/blocks/frame.hpp"
#include "kernels/blocks/vector_unit.hpp"
#include "kernels/elementwise/flat_streams.hpp"

namespace kerr::kernels::elementwise {

using namespace isa::reg;
namespace tx = isa::tensix;

namespace {

constexpr Windows kWindows{zero, t4, t5};
constexpr isa::Reg kTiles = a2, kGroups = a3;
constexpr DstSection kDst{kWindows, a7};

// Words of the longest phase, and the step to the next group: one MOP plays them all.
uint32_t length_of(const vector::Phases& code) {
  size_t longest = 0;
  for (const vector::Emitted& phase : code.phases) longest = std::max(longest, phase.words.size());
  return static_cast<uint32_t>(longest) + 1;
}

// Plays what is recorded for each group of a block.
void configure_playing(Stream& a, const vector::Phases& code) {
  const uint32_t nop = tensix_nop(), play = tx::REPLAY{.len = length_of(code), .start_idx = 0}.encode();
  configure_mop(a, kWindows, {code.groups, 1, nop, nop, nop, play, nop, play, play});
}

void record(Stream& a, const vector::Emitted& phase, uint32_t length) {
  a.tensix(tx::REPLAY{.load_mode = 1, .len = length, .start_idx = 0});
  for (size_t missing = length - 1 - phase.words.size(); missing != 0; --missing) a.tensix(tx::SFPNOP{});
  compute_group(a, phase);
}

void select_block(Stream& a, uint32_t first_row) {
  a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kCfg});
  a.addi(t0, kDst.word, static_cast<int32_t>(first_row));
  a.sw(t0, kWindows.push);
}

}  // namespace

Kernel flat_math(const Traffic& traffic, const vector::Phases& code) {
  Stream a = begin_kernel("flat_math");
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  configure_math(a, traffic, kDst);
  const bool play = std::ranges::all_of(code.phases, &vector::Emitted::replays), one = play && code.phases.size() == 1;
  if (play) configure_playing(a, code);
  if (one) record(a, code.phases[0], length_of(code));
  const uint32_t blocks = kGroupsOfTile / code.groups;
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, traffic, kDst);
    for (uint32_t block = 0; block < blocks; ++block) {
      if (block != 0) select_block(a, block * kTileRows / blocks);
      for (const vector::Emitted& phase : code.phases) {
        if (play) {
          if (!one) record(a, phase, length_of(code));
          a.tensix(tx::MOP{.mop_type = 1});
        } else {
          a.repeat(kGroups, code.groups, [&] { compute_group(a, phase); });
        }
        a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
      }
    }
    kDst.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise

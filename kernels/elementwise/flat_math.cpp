// TRISC1 of flat programs: phase after phase on a block of groups, out of the replay buffer.
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

bool replays(const vector::Emitted& phase) { return phase.words.size() < vector::kReplaySlots; }
tx::REPLAY replay(const vector::Emitted& phase, bool record) {
  return {.load_mode = record, .len = static_cast<uint32_t>(phase.words.size()) + 1, .start_idx = 0};
}
void record(Stream& a, const vector::Emitted& phase) {
  a.tensix(replay(phase, true));
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
  const bool one = code.phases.size() == 1 && replays(code.phases[0]);
  if (one) record(a, code.phases[0]);
  const uint32_t blocks = kGroupsOfTile / code.groups;
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, traffic, kDst);
    for (uint32_t block = 0; block < blocks; ++block) {
      if (block != 0) select_block(a, block * kTileRows / blocks);
      for (const vector::Emitted& phase : code.phases) {
        if (!one && replays(phase)) record(a, phase);
        a.repeat(kGroups, code.groups, [&] {
          if (replays(phase)) {
            a.tensix(replay(phase, false));
          } else {
            compute_group(a, phase);
          }
        });
        a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
      }
    }
    kDst.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise

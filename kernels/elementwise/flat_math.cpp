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
constexpr isa::Reg kTiles = a2, kCounter = a3;
constexpr DstSection kDst{kWindows, a7};

uint32_t longest_of(const vector::Phases& code) {
  size_t longest = 0;
  for (const vector::Emitted& phase : code.phases) longest = std::max(longest, phase.words.size());
  return static_cast<uint32_t>(longest);
}

// Plays what is recorded for each group of a block.
void configure_playing(Stream& a, const Windows& windows, uint32_t groups, uint32_t length) {
  const uint32_t nop = tensix_nop(), play = tx::REPLAY{.len = length, .start_idx = 0}.encode();
  configure_mop(a, windows, {groups, 1, nop, nop, nop, play, nop, play, play});
}

void select_rows(Stream& a, const DstSection& dst, uint32_t first_row) {
  a.tensix(tx::STALLWAIT{.wait_res = until::kSfpu, .stall_res = stall::kCfg});
  a.addi(t0, dst.word, static_cast<int32_t>(first_row));
  a.sw(t0, dst.windows.push);
}

}  // namespace

PageCode::PageCode(const vector::Phases& code, const DstSection& dst, isa::Reg counter, uint32_t groups)
    : code_(code),
      dst_(dst),
      counter_(counter),
      groups_(groups),
      plays_(std::ranges::all_of(code.phases, &vector::Emitted::replays)),
      length_(longest_of(code) + 1) {}

void PageCode::open(Stream& a, uint32_t others) {
  if (!plays_) return;
  stays_ = code_.phases.size() == 1 && length_ + others <= vector::kReplaySlots;
  configure_playing(a, dst_.windows, groups_of_block(), length_);
  if (stays_) record(a, code_.phases[0], 0);
}

void PageCode::record(Stream& a, const vector::Emitted& phase, uint32_t block) const {
  a.tensix(tx::REPLAY{.load_mode = 1, .len = length_, .start_idx = 0});
  for (size_t missing = length_ - 1 - phase.words.size(); missing != 0; --missing) a.tensix(tx::SFPNOP{});
  vector::Emitted here = phase;
  for (vector::Word& word : here.words) word.word = code_.word_for(word, block);
  compute_group(a, here);
}

void PageCode::compute(Stream& a) const {
  const uint32_t blocks = kGroupsOfTile / code_.groups;
  for (uint32_t block = 0; block * code_.groups < groups_; ++block) {
    if (block != 0) select_rows(a, dst_, block * kTileRows / blocks);
    for (const vector::Emitted& phase : code_.phases) {
      if (plays_) {
        if (!stays_) record(a, phase, block);
        a.tensix(tx::MOP{.mop_type = 1});
      } else {
        a.repeat(counter_, groups_of_block(), [&] { compute_group(a, phase); });
      }
      a.tensix(tx::SETRWC{.bit_mask = kDstCounter});
    }
  }
}

uint32_t PageCode::words() const {
  const uint32_t blocks = (groups_ + code_.groups - 1) / code_.groups;
  uint32_t phases = 0;
  for (const vector::Emitted& phase : code_.phases)
    phases += plays_ ? length_ : static_cast<uint32_t>(phase.words.size());
  return blocks * phases;
}

Kernel flat_math(const Traffic& traffic, const vector::Phases& code, uint32_t groups) {
  Stream a = begin_kernel("flat_math");
  a.lw(kTiles, a0, kArgTiles);
  kWindows.open(a);
  configure_math(a, traffic, kDst);
  PageCode page(code, kDst, kCounter, groups);
  page.open(a);
  a.repeat_argument(kTiles, kArgTiles, [&] {
    kDst.acquire(a);
    take_operands(a, traffic, kDst);
    page.compute(a);
    kDst.release(a);
  });
  return end_kernel(a);
}

}  // namespace kerr::kernels::elementwise

namespace kerr::kernels {

uint32_t flat_code_words(const vector::Phases& code, const FlatShape& shape) {
  using namespace elementwise;
  return PageCode(code, kDst, kCounter, shape.groups()).words();
}

}  // namespace kerr::kernels

// Tiles from circular buffers to Dst.   docs/hardware/kernels.md 3.3, 3.8, 3.11
#pragma once

#include "device/compute/start.hpp"

namespace kerr::device {

/// Moves `groups` times 8 rows of each of `banks` banks of SrcA to Dst. A Dst of 32 bits gets the sum with zeros in
/// SrcB, since MOVA2D does not widen.
FORCE_INLINE LoopMop copy_mop(uint32_t buffer, uint32_t banks, uint32_t groups) {
  const bool widens = kDst32 && format_in_l1(buffer) != Format::Int16;
  LoopMop mop{
      .outer = banks,
      .inner = groups,
      .start = tensix::STALLWAIT().wait_res(until::kSrcAValid | until::kSrcBValid).stall_res(stall::kMath).word(),
      .end0 = clear_word(kClearSrcA | kClearSrcB, kSourceCounters)};
  mop.loop(widens ? tensix::ELWADD().addr_mode(2).word() : tensix::MOVA2D().instr_mod(2).addr_mode(2).word());
  return mop;
}

// A bank of SrcB that holds nothing is handed over with each of SrcA.
FORCE_INLINE void configure_copy(uint32_t buffer, bool transposes) {
  if constexpr (kUnpacks) {
    const bool straight = goes_straight_to_dst(buffer) && !transposes;
    set_to_dst(straight, buffer);
    set_transposing(transposes);
    set_datums(1, kFaceDatums);
    LoopMop mop{.outer = 4};
    if (straight) {
      mop.loop(unpack_to_dst_word());
    } else if (!transposes) {
      mop.start = unpack_word(kToSrcA, 1);
      mop.loop(unpack_nothing_word(kToSrcB));
    } else {  // faces 0, 2, 1, 3
      record_replay(0, 2, [] {
        ttinsn(unpack_nothing_word(kToSrcB));
        ttinsn(unpack_word(kToSrcA, 2));
      });
      mop = {.outer = 2, .inner = 2};
      mop.loop(replay_word(0, 2));
      mop.end0 = tensix::SETADCZW().bit_mask(1).ch0_z(1).cnt_set_mask(1).word();
    }
    configure_mop(mop);
  }
  if constexpr (kCalculates) {
    set_address_modifier(2, {.a = {8}, .dst = {8}});
    set_address_modifier(3, {});
    reset_counters(kAllCounters);
    configure_mop(copy_mop(buffer, 4, 2));
  }
}

FORCE_INLINE void copy_one(uint32_t buffer, uint32_t page, uint32_t tile, bool transposed) {
  check_pages(buffer);
  check_dst_tile(tile);
  const bool straight = goes_straight_to_dst(buffer) && !transposed;
  if constexpr (kUnpacks) straight ? unpack_to_dst(buffer, page, tile) : unpack_one(buffer, page);
  if constexpr (kCalculates) {
    if (straight) return take_unpacked(tile);
    select_dst_tile(tile);
    run_mop();
    reset_counters(kDstCounter);
  }
}

}  // namespace kerr::device

namespace ckernel {

ALWI void reconfig_data_format_srca(uint32_t buffer) {
  using namespace kerr::device;
  if constexpr (kUnpacks) {
    set_to_dst(false, buffer);
    change_source_format<kToSrcA>(buffer);
  }
}
ALWI void reconfig_data_format_srcb(uint32_t buffer) {
  using namespace kerr::device;
  if constexpr (kUnpacks) change_source_format<kToSrcB>(buffer);
}

/// To be called before copy_tile(); `transpose`: copy_tile() transposes whole tiles.
ALWI void copy_tile_to_dst_init_short(uint32_t buffer, uint32_t transpose = 0, uint32_t = 0) {
  kerr::device::configure_copy(buffer, transpose != 0);
}
ALWI void copy_tile_init(uint32_t buffer) { kerr::device::configure_copy(buffer, false); }
ALWI void copy_tile_to_dst_init_short() { copy_tile_init(0); }
ALWI void copy_tile_init() { copy_tile_init(0); }
ALWI void copy_tile_to_dst_init_short_with_dt(uint32_t, uint32_t buffer, uint32_t transpose = 0) {
  reconfig_data_format_srca(buffer);
  copy_tile_to_dst_init_short(buffer, transpose);
}

/// Page `page` of those that have come becomes tile `tile` of Dst.
ALWI void copy_tile(uint32_t buffer, uint32_t page, uint32_t tile) {
  KERR_USES(kerr::device::Use::CircularBuffer, buffer);
  kerr::device::copy_one(buffer, page, tile, false);
}
ALWI void copy_block_matmul_partials(uint32_t buffer, uint32_t page, uint32_t tile, uint32_t tiles) {
  for (uint32_t i = 0; i < tiles; ++i) copy_tile(buffer, page + i, tile + i);
}

/// One operand and one result: start-up, and what copy_tile() needs.
ALWI void unary_op_init_common(uint32_t in = 0, uint32_t out = 16) {
  kerr::device::start_up(in, in, out);
  copy_tile_init(in);
}
ALWI void init_sfpu(uint32_t in = 0, uint32_t out = 16) { unary_op_init_common(in, out); }

}  // namespace ckernel

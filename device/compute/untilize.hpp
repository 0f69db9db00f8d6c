// Tiles to blocks that lie in L1 row by row: the packer takes a row of each face.
#pragma once

#include "device/compute/tilize.hpp"

namespace kerr::device {

/// Address modifier 1: the next face; 2: the next row of the first one.
FORCE_INLINE void configure_pack_single_rows() {
  using namespace thread_cfg;
  stall_wait(stall::kCfg, until::kPack0);
  set_thread_config(ADDR_MOD_PACK_SEC1_ZsrcIncr.word, ADDR_MOD_PACK_SEC1_ZsrcIncr.of(1));
  set_thread_config(ADDR_MOD_PACK_SEC2_YsrcIncr.word,
                    ADDR_MOD_PACK_SEC2_YsrcIncr.of(0) | ADDR_MOD_PACK_SEC2_ZsrcClear.of(1));
}

/// Tiles `tile` to `tile` + `tiles` - 1 of Dst side by side: 32 rows from `address` on, `row16` (of 16 bytes) apart.
FORCE_INLINE void pack_side_by_side(uint32_t tile, uint32_t tiles, uint32_t address, uint32_t row16) {
  constexpr uint32_t kOneRow = 1, kRight = 1, kLeft = 2;
  for (uint32_t row = 0; row < 32; ++row, address += row16) {
    set_pack_address(address);
    select_pack_row((row & 15) + (row & 16) * 2);  // past the upper faces
    for (uint32_t i = 0; i < tiles; ++i) {
      issue(tensix::SETADC().value(tile + i).dimension(3).cnt_set_mask(kPackerCounters));
      issue(tensix::PACR().read_intf_sel(kOneRow).addr_mode(kRight));
      i + 1 == tiles ? issue(tensix::PACR().read_intf_sel(kOneRow).addr_mode(kLeft).last(1))
                     : issue(tensix::PACR().read_intf_sel(kOneRow).addr_mode(kLeft));
    }
  }
  select_pack_row(0);
  issue(tensix::SETADCZW().bit_mask(0b1111).cnt_set_mask(kPackerCounters));
}

}  // namespace kerr::device

namespace ckernel {

/// What pack_untilize_dest() needs, instead of pack_tile(), until pack_untilize_uninit().
template <uint32_t block_columns = 8, uint32_t all_columns = block_columns, auto... options>
ALWI void pack_untilize_dest_init(uint32_t = 16, uint32_t = 16, uint32_t = 4) {
  if constexpr (kerr::device::kPacks) kerr::device::configure_pack_single_rows();
}
ALWI void pack_untilize_uninit(uint32_t = 16) {
  if constexpr (kerr::device::kPacks) {
    kerr::device::stall_wait(kerr::device::stall::kCfg, kerr::device::until::kPack0);
    kerr::device::configure_pack_rows();
  }
}

/// Tiles of Dst, `rows` of `block_columns` each, to the pages reserved, where rows of numbers are `all_columns` tiles
/// long; this block is number `block` from the left.
template <uint32_t block_columns = 8, uint32_t all_columns = block_columns, auto... options>
ALWI void pack_untilize_dest(uint32_t out, uint32_t rows = 1, uint32_t block = 0, uint32_t = 16, uint32_t = 4,
                             uint32_t tile = 0) {
  using namespace kerr::device;
  if constexpr (kPacks) {
    const uint32_t row16 = all_columns * 2 * datum_bytes(out);
    for (uint32_t row = 0; row < rows; ++row) {
      pack_side_by_side(
          tile + row * block_columns, block_columns,
          circular_buffer(out).fifo_wr_ptr + 32 * row * row16 + block * block_columns * 2 * datum_bytes(out), row16);
    }
  }
}

template <uint32_t block_columns = 8, uint32_t all_columns = block_columns, auto... options>
ALWI void pack_untilize_dst_init_short(uint32_t out = 16, uint32_t = 16, uint32_t = 4) {
  pack_untilize_dest_init<block_columns, all_columns>(out);
}
template <uint32_t block_columns = 8, uint32_t all_columns = block_columns, auto... options>
ALWI void pack_untilize_dst(uint32_t out, uint32_t rows = 1, uint32_t block = 0, uint32_t = 16, uint32_t = 4) {
  pack_untilize_dest<block_columns, all_columns>(out, rows, block);
}

/// The same from a circular buffer, through halves of Dst that it takes itself.
template <uint32_t block_columns = 8, uint32_t all_columns = block_columns>
ALWI void pack_untilize_init(uint32_t in, uint32_t out) {
  copy_tile_init(in);
  pack_untilize_dest_init<block_columns, all_columns>(out);
}
template <uint32_t block_columns = 8, uint32_t all_columns = block_columns>
ALWI void pack_untilize_block(uint32_t in, uint32_t rows, uint32_t out, uint32_t block = 0) {
  static_assert(block_columns <= kerr::device::kDstTiles, "half of Dst has fewer tiles than the block");
  for (uint32_t row = 0; row < rows; ++row) {
    tile_regs_acquire();
    for (uint32_t column = 0; column < block_columns; ++column) copy_tile(in, column, column);
    tile_regs_commit();
    tile_regs_wait();
    pack_untilize_dest<block_columns, all_columns>(out, 1, block);
    tile_regs_release();
  }
}

/// The older names: a block of any number of tiles side by side.
ALWI void untilize_init(uint32_t in) {
  copy_tile_init(in);
  pack_untilize_dest_init<>();
}
ALWI void untilize_init(uint32_t in, uint32_t out) {
  kerr::device::start_up(in, in, out);
  untilize_init(in);
}
ALWI void untilize_init_short(uint32_t in) { untilize_init(in); }
template <uint32_t = 1>
ALWI void untilize_block(uint32_t in, uint32_t tiles, uint32_t out) {
  using namespace kerr::device;
  for (uint32_t first = 0; first < tiles; first += kDstTiles) {
    const uint32_t now = tiles - first < kDstTiles ? tiles - first : kDstTiles;
    tile_regs_acquire();
    for (uint32_t i = 0; i < now; ++i) copy_tile(in, first + i, i);
    tile_regs_commit();
    tile_regs_wait();
    if constexpr (kPacks) {
      pack_side_by_side(0, now, circular_buffer(out).fifo_wr_ptr + first * 2 * datum_bytes(out),
                        tiles * 2 * datum_bytes(out));
    }
    tile_regs_release();
  }
}
ALWI void untilize_uninit(uint32_t) { pack_untilize_uninit(); }

}  // namespace ckernel

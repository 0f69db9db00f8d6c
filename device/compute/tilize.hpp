// Blocks that lie in L1 row by row, to tiles.   docs/hardware/kernels.md 3.10
#pragma once

#include "device/compute/copy.hpp"
#include "device/compute/pack.hpp"

namespace kerr::device {

constexpr uint32_t datum_bytes(uint32_t buffer) { return arch::datum_bits(format_in_l1(buffer)) / 8; }

// From row to row, in units of 16 bytes.
inline constexpr ConfigField kTilizeStride =
    arch::joined(cfg::THCON_SEC0_REG2_Shift_amount_cntx0, cfg::THCON_SEC0_REG2_Shift_amount_cntx2);

/// The unpacker reads 32 rows of 32 datums, `block` tiles apart; a row becomes two rows of SrcA or Dst.
FORCE_INLINE void configure_unpack_rows(uint32_t buffer, uint32_t block) {
  const uint32_t format = arch::code_of(format_in_l1(buffer));
  const bool straight = goes_straight_to_dst(buffer);
  set_to_dst(straight, buffer);
  set_transposing(false);
  stall_wait(stall::kCfg, until::kUnpack0);
  drain();
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format,
               cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format.of(format) |
                   cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed.of(1) |
                   cfg::THCON_SEC0_REG0_TileDescriptor_x_dim.of(kTileDatums));
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_y_dim,
               cfg::THCON_SEC0_REG0_TileDescriptor_y_dim.of(1) | cfg::THCON_SEC0_REG0_TileDescriptor_z_dim.of(1));
  store_config(cfg::THCON_SEC0_REG2_Out_data_format,
               srca_target_word(straight ? format : arch::code_of(format_in_source(buffer)), false) |
                   cfg::THCON_SEC0_REG2_Tileize_mode.of(1) | kTilizeStride.of(block * 32 * datum_bytes(buffer) / 16));
  store_config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0.of(kTileDatums) |
                                                          cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1.of(kTileDatums));
  set_datums(1, kTileDatums);
  LoopMop mop;
  if (straight) {
    mop.loop(unpack_to_dst_word());
  } else {
    mop.start = unpack_word(kToSrcA, 1);
    mop.loop(unpack_nothing_word(kToSrcB));
  }
  configure_mop(mop);
}
/// Tiles face by face again.
FORCE_INLINE void configure_unpack_faces(uint32_t buffer) {
  set_to_dst(false, buffer);
  stall_wait(stall::kCfg, until::kUnpack0);
  drain();
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format,
               cfg::THCON_SEC0_REG0_TileDescriptor_in_data_format.of(arch::code_of(format_in_l1(buffer))) |
                   cfg::THCON_SEC0_REG0_TileDescriptor_is_uncompressed.of(1));
  store_config(cfg::THCON_SEC0_REG0_TileDescriptor_y_dim,
               cfg::THCON_SEC0_REG0_TileDescriptor_y_dim.of(1) | cfg::THCON_SEC0_REG0_TileDescriptor_z_dim.of(kFaces));
  store_config(cfg::THCON_SEC0_REG2_Out_data_format, srca_target_word(arch::code_of(format_in_source(buffer)), false));
  store_config(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0, cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0.of(kFaceDatums) |
                                                          cfg::THCON_SEC0_REG5_Tile_x_dim_cntx1.of(kFaceDatums));
  set_datums(1, kFaceDatums);
}

/// A whole tile in one bank of SrcA.
FORCE_INLINE void configure_copy_of_rows(uint32_t buffer) {
  configure_copy(buffer, false);
  configure_mop(copy_mop(buffer, 1, 8));
}

FORCE_INLINE void select_pack_row(uint32_t row) {
  issue(tensix::SETADC().value(row).dimension(1).cnt_set_mask(kPackerCounters));
}

/// A tile of Dst that lies row by row, each row as two of 16: face after face, even and odd rows of the upper, then the
/// lower half.
FORCE_INLINE void pack_rows_as_faces(uint32_t tile, uint32_t address) {
  constexpr uint32_t kEven = 0b0101, kOdd = 0b1010;
  issue(tensix::SETADC().value(tile).dimension(3).cnt_set_mask(kPackerCounters));
  set_pack_address(address);
  for (uint32_t first = 0; first <= 32; first += 32) {
    select_pack_row(first);
    for (int i = 0; i < 8; ++i) issue(tensix::PACR().read_intf_sel(kEven));
    select_pack_row(first);
    for (int i = 0; i < 7; ++i) issue(tensix::PACR().read_intf_sel(kOdd));
    first == 0 ? issue(tensix::PACR().read_intf_sel(kOdd)) : issue(tensix::PACR().read_intf_sel(kOdd).last(1));
  }
  select_pack_row(0);
  issue(tensix::SETADCZW().bit_mask(0b0101).cnt_set_mask(kPackerCounters));
}

}  // namespace kerr::device

namespace ckernel {

/// Blocks of `block` tiles side by side, whose 32 rows follow each other, from now on. Formats of 16 and 32 bits.
ALWI void tilize_init_short(uint32_t in, uint32_t block, uint32_t = 16) {
  if constexpr (kerr::device::kUnpacks) kerr::device::configure_unpack_rows(in, block);
  if constexpr (kerr::device::kCalculates) kerr::device::configure_copy_of_rows(in);
}
ALWI void tilize_init(uint32_t in, uint32_t block, uint32_t out = 16) {
  kerr::device::start_up(in, in, out);
  tilize_init_short(in, block, out);
}
ALWI void tilize_init_short_with_dt(uint32_t, uint32_t in, uint32_t block, uint32_t out = 16) {
  reconfig_data_format_srca(in);
  tilize_init_short(in, block, out);
}

/// Takes halves of Dst itself. The tiles go to pages `out_page` and up of those reserved.
ALWI void tilize_block(uint32_t in, uint32_t block, uint32_t out, uint32_t in_page = 0, uint32_t out_page = 0) {
  using namespace kerr::device;
  for (uint32_t i = 0; i < block; ++i) {
    tile_regs_acquire();
    if constexpr (kUnpacks) {
      const uint32_t address = page_address(in, in_page) + i * 2 * datum_bytes(in);
      goes_straight_to_dst(in) ? unpack_address_to_dst(address, 0) : unpack_address(address);
    }
    if constexpr (kCalculates) {
      if (goes_straight_to_dst(in)) {
        take_unpacked(0);
      } else {
        select_dst_tile(0);
        run_mop();
        reset_counters(kDstCounter);
      }
    }
    tile_regs_commit();
    tile_regs_wait();
    if constexpr (kPacks) {
      const kerr::arch::CbInterface& cb = circular_buffer(out);
      pack_rows_as_faces(0, cb.fifo_wr_ptr + (out_page + i) * cb.fifo_page_size);
    }
    tile_regs_release();
  }
}

/// Tiles again.
ALWI void tilize_uninit(uint32_t in, uint32_t = 16) {
  if constexpr (kerr::device::kUnpacks) kerr::device::configure_unpack_faces(in);
}
ALWI void tilize_uninit_with_dt(uint32_t, uint32_t in, uint32_t out = 16) { tilize_uninit(in, out); }

}  // namespace ckernel

// Tiles of Dst to circular buffers.   docs/hardware/kernels.md 3.7
#pragma once

#include "device/compute/packer.hpp"

namespace ckernel {

/// Tile `tile` of Dst to the next page of those reserved, or to page `page` of them.
template <bool out_of_order = false>
ALWI void pack_tile(uint32_t tile, uint32_t buffer, uint32_t page = 0) {
  if constexpr (kerr::device::kPacks) {
    kerr::device::check_pages(buffer);
    kerr::arch::CbInterface& cb = kerr::device::circular_buffer(buffer);
    uint32_t address = cb.fifo_wr_ptr;
    if constexpr (out_of_order) {
      address += page * cb.fifo_page_size;
    } else {
      address += cb.fifo_wr_tile_ptr;
      cb.fifo_wr_tile_ptr += cb.fifo_page_size;
    }
    kerr::device::pack_one(tile, address);
  }
}
/// `tiles` of them, one after the other.
ALWI void pack_tile_block(uint32_t tile, uint32_t buffer, uint32_t tiles) {
  for (uint32_t i = 0; i < tiles; ++i) pack_tile(tile + i, buffer);
}
ALWI void matmul_pack_tile(uint32_t tile, uint32_t buffer, uint32_t tiles) { pack_tile_block(tile, buffer, tiles); }

/// Tiles are packed for another buffer, whose format may be another, from now on.
template <bool = false>
ALWI void pack_reconfig_data_format(uint32_t buffer) {
  if constexpr (kerr::device::kPacks) kerr::device::change_pack_format(buffer);
}
template <bool = false>
ALWI void pack_reconfig_data_format(uint32_t old, uint32_t buffer) {
  if (kerr::device::kFormats.of[old] != kerr::device::kFormats.of[buffer]) pack_reconfig_data_format(buffer);
}

/// Packed tiles are added to what lies in L1 (1), or written over it (0). BF16 and FP32 only.
ALWI void pack_reconfig_l1_acc(uint32_t on) {
  if constexpr (kerr::device::kPacks) kerr::device::accumulate_in_l1(on != 0);
}

}  // namespace ckernel

// Rectangles of tiles of a matrix. Kerr's own: tt-metal has a loop in each kernel.
#pragma once

#include "device/noc/pages.hpp"

/// Reads `rows` x `columns` tiles, of which `first` is the upper left one and `stride` the number from one row of the
/// matrix to the next, to L1 from `dst_local_l1_addr` on, row by row. Issues reads: noc_async_read_barrier() waits for
/// them.
template <class AddrGen>
inline void noc_async_read_tile_block(uint32_t first, uint32_t rows, uint32_t columns, uint32_t stride,
                                      const AddrGen& addrgen, uint32_t dst_local_l1_addr, uint8_t noc = noc_index) {
  for (uint32_t row = 0; row < rows; ++row, first += stride) {
    for (uint32_t i = 0; i < columns; ++i, dst_local_l1_addr += addrgen.bytes())
      noc_async_read_tile(first + i, addrgen, dst_local_l1_addr, 0, noc);
  }
}
/// Writes such tiles from L1.
template <class AddrGen>
inline void noc_async_write_tile_block(uint32_t first, uint32_t rows, uint32_t columns, uint32_t stride,
                                       const AddrGen& addrgen, uint32_t src_local_l1_addr, uint8_t noc = noc_index) {
  for (uint32_t row = 0; row < rows; ++row, first += stride) {
    for (uint32_t i = 0; i < columns; ++i, src_local_l1_addr += addrgen.bytes())
      noc_async_write_tile(first + i, addrgen, src_local_l1_addr, noc);
  }
}

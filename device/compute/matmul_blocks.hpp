// A core's part of a product that is larger than Dst. Kerr's own: tt-metal has it as a kernel (bmm_large_block_zm).
#pragma once

#include "device/compute/circular_buffers.hpp"
#include "device/compute/copy.hpp"
#include "device/compute/matmul.hpp"
#include "device/compute/pack.hpp"
#include "device/compute/tile_registers.hpp"

namespace kerr {

/// Circular buffers. `sums` holds what waits for the next block of K: pages of the format in which they are added up,
/// as many as `product` has; it may be another id of the same pages (host::Program::alias_circular_buffer()).
struct MatmulBuffers {
  uint32_t left, right, product, sums;
};

/// In tiles. The product comes sub-block by sub-block, row by row of sub-blocks; one fits into half of Dst.
struct MatmulShape {
  uint32_t blocks, depth;  // of K, and their tiles of K
  uint32_t down, across;   // sub-blocks of the product
  uint32_t rows, columns;  // their tiles
};

/// Takes `blocks` times down * rows x depth tiles of `left` and depth x across * columns tiles of `right`, row by row,
/// and multiplies. From one block of K to the next the packer adds sub-blocks up in L1, and the last block begins with
/// these sums.
ALWI void matmul_blocks(const MatmulBuffers& buffers, const MatmulShape& shape) {
  const auto [left, right, product, sums] = buffers;
  const auto [blocks, depth, down, across, rows, columns] = shape;
  const uint32_t tiles = rows * columns, width = across * columns, all = down * across * tiles;
  mm_block_init(left, right, product, 0, columns, rows, depth);
  for (uint32_t block = 0; block < blocks; ++block) {
    const bool last = block + 1 == blocks;
    const uint32_t to = last ? product : sums;
    cb_wait_front(left, down * rows * depth);
    cb_wait_front(right, depth * width);
    pack_reconfig_l1_acc(block > 0 && !last);
    for (uint32_t i = 0; i < down * across; ++i) {
      const uint32_t y = i / across * rows, x = i % across * columns;
      tile_regs_acquire();
      if (last && block > 0) {
        copy_tile_to_dst_init_short(sums);
        cb_wait_front(sums, tiles);
        copy_block_matmul_partials(sums, 0, 0, tiles);
        cb_pop_front(sums, tiles);
        mm_block_init_short(left, right, 0, columns, rows, depth);
      }
      for (uint32_t k = 0; k < depth; ++k)
        matmul_block(left, right, y * depth + k, k * width + x, 0, 0, columns, rows, depth);
      tile_regs_commit();
      cb_reserve_back(to, tiles);
      tile_regs_wait();
      pack_tile_block(0, to, tiles);
      tile_regs_release();
      cb_push_back(to, tiles);
    }
    if (block + 2 < blocks) {  // the next block's sums take the same pages
      cb_wait_front(sums, all);
      cb_pop_front(sums, all);
    }
    cb_pop_front(left, down * rows * depth);
    cb_pop_front(right, depth * width);
  }
}

}  // namespace kerr

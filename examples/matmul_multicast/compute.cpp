// A core's part of C, in sub-blocks that fit into half of Dst. From one K block to the next the packer adds them up in
// L1, and the last K block begins with these sums.
#include <kerr/device/compute.hpp>

constexpr uint32_t kA = 0, kB = 1, kC = 2, kSums = 3;  // circular buffers

void kernel_main() {
  const uint32_t blocks = get_common_arg_val<uint32_t>(0),
                 depth = get_common_arg_val<uint32_t>(1);  // of K, and their tiles of K
  const uint32_t down = get_common_arg_val<uint32_t>(2), across = get_common_arg_val<uint32_t>(3);   // sub-blocks
  const uint32_t rows = get_common_arg_val<uint32_t>(4), columns = get_common_arg_val<uint32_t>(5);  // their tiles
  const uint32_t tiles = rows * columns, width = across * columns, all = down * across * tiles;
  mm_block_init(kA, kB, kC, 0, columns, rows, depth);
  for (uint32_t block = 0; block < blocks; ++block) {
    const bool last = block + 1 == blocks;
    cb_wait_front(kA, down * rows * depth);
    cb_wait_front(kB, depth * width);
    pack_reconfig_l1_acc(block > 0 && !last);
    for (uint32_t i = 0; i < down * across; ++i) {
      const uint32_t y = i / across * rows, x = i % across * columns;
      tile_regs_acquire();
      if (last && block > 0) {
        copy_tile_to_dst_init_short(kSums);
        cb_wait_front(kSums, tiles);
        copy_block_matmul_partials(kSums, 0, 0, tiles);
        cb_pop_front(kSums, tiles);
        mm_block_init_short(kA, kB, 0, columns, rows, depth);
      }
      for (uint32_t k = 0; k < depth; ++k)
        matmul_block(kA, kB, y * depth + k, k * width + x, 0, 0, columns, rows, depth);
      tile_regs_commit();
      cb_reserve_back(last ? kC : kSums, tiles);
      tile_regs_wait();
      pack_tile_block(0, last ? kC : kSums, tiles);
      tile_regs_release();
      cb_push_back(last ? kC : kSums, tiles);
    }
    if (block + 2 < blocks) {  // the next block's sums take the same pages
      cb_wait_front(kSums, all);
      cb_pop_front(kSums, all);
    }
    cb_pop_front(kA, down * rows * depth);
    cb_pop_front(kB, depth * width);
  }
}

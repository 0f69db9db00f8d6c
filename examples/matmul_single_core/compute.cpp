// Each tile of C: the sum of `depth` products of tiles, in Dst.
#include <kerr/device/compute.hpp>

void kernel_main() {
  const uint32_t tiles = get_arg_val<uint32_t>(0), depth = get_arg_val<uint32_t>(1);
  constexpr uint32_t cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_c = tt::CBIndex::c_2;
  mm_init(cb_a, cb_b, cb_c);
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    tile_regs_acquire();
    for (uint32_t k = 0; k < depth; ++k) {
      cb_wait_front(cb_a, 1);
      cb_wait_front(cb_b, 1);
      matmul_tiles(cb_a, cb_b, 0, 0, 0);
      cb_pop_front(cb_a, 1);
      cb_pop_front(cb_b, 1);
    }
    tile_regs_commit();
    cb_reserve_back(cb_c, 1);
    tile_regs_wait();
    pack_tile(0, cb_c);
    tile_regs_release();
    cb_push_back(cb_c, 1);
  }
}

// exp of each element, on the vector unit.
#include <kerr/device/compute.hpp>

void kernel_main() {
  const uint32_t tiles = get_arg_val<uint32_t>(0);
  constexpr uint32_t cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
  init_sfpu(cb_in, cb_out);
  exp_tile_init();
  for (uint32_t i = 0; i < tiles; ++i) {
    cb_wait_front(cb_in, 1);
    tile_regs_acquire();
    copy_tile(cb_in, 0, 0);
    exp_tile(0);
    tile_regs_commit();
    cb_pop_front(cb_in, 1);
    cb_reserve_back(cb_out, 1);
    tile_regs_wait();
    pack_tile(0, cb_out);
    tile_regs_release();
    cb_push_back(cb_out, 1);
  }
}

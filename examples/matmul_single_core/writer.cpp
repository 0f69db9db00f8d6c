// The tiles of C to DRAM, in their order.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(2), tiles = get_arg_val<uint32_t>(3) * get_arg_val<uint32_t>(4);
  constexpr uint32_t cb_c = tt::CBIndex::c_2;
  const uint32_t bytes = get_tile_size(cb_c);
  const InterleavedAddrGenFast<true> c = {address, bytes, get_dataformat(cb_c)};
  for (uint32_t tile = 0; tile < tiles; ++tile) {
    cb_wait_front(cb_c, 1);
    noc_async_write_tile(tile, c, get_read_ptr(cb_c));
    noc_async_write_barrier();
    cb_pop_front(cb_c, 1);
  }
}

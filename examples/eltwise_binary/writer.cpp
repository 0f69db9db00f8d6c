// Tiles of the result, one at a time.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0), tiles = get_arg_val<uint32_t>(1);
  constexpr uint32_t cb_out = tt::CBIndex::c_16;
  const InterleavedAddrGenFast<true> out = {address, static_cast<uint32_t>(get_tile_size(cb_out)),
                                            get_dataformat(cb_out)};
  for (uint32_t i = 0; i < tiles; ++i) {
    cb_wait_front(cb_out, 1);
    noc_async_write_tile(i, out, get_read_ptr(cb_out));
    noc_async_write_barrier();
    cb_pop_front(cb_out, 1);
  }
}

// A tile of the operand at a time.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t address = get_arg_val<uint32_t>(0), tiles = get_arg_val<uint32_t>(1);
  constexpr uint32_t cb_in = tt::CBIndex::c_0;
  const InterleavedAddrGenFast<true> in = {address, static_cast<uint32_t>(get_tile_size(cb_in)), get_dataformat(cb_in)};
  for (uint32_t i = 0; i < tiles; ++i) {
    cb_reserve_back(cb_in, 1);
    noc_async_read_tile(i, in, get_write_ptr(cb_in));
    noc_async_read_barrier();
    cb_push_back(cb_in, 1);
  }
}

// A tile of each operand at a time.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t address_a = get_arg_val<uint32_t>(0), address_b = get_arg_val<uint32_t>(1);
  const uint32_t tiles = get_arg_val<uint32_t>(2);
  constexpr uint32_t cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1;
  const uint32_t bytes = get_tile_size(cb_a);
  const InterleavedAddrGenFast<true> a = {address_a, bytes, get_dataformat(cb_a)};
  const InterleavedAddrGenFast<true> b = {address_b, bytes, get_dataformat(cb_b)};
  for (uint32_t i = 0; i < tiles; ++i) {
    cb_reserve_back(cb_a, 1);
    cb_reserve_back(cb_b, 1);
    noc_async_read_tile(i, a, get_write_ptr(cb_a));
    noc_async_read_tile(i, b, get_write_ptr(cb_b));
    noc_async_read_barrier();
    cb_push_back(cb_a, 1);
    cb_push_back(cb_b, 1);
  }
}

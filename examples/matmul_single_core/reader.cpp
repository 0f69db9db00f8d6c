// For each tile of C, the tiles of A's row and of B's column that make it.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t address_a = get_arg_val<uint32_t>(0), address_b = get_arg_val<uint32_t>(1);
  const uint32_t rows = get_arg_val<uint32_t>(3), columns = get_arg_val<uint32_t>(4), depth = get_arg_val<uint32_t>(5);
  constexpr uint32_t cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1;
  const uint32_t bytes = get_tile_size(cb_a);
  const InterleavedAddrGenFast<true> a = {address_a, bytes, get_dataformat(cb_a)};
  const InterleavedAddrGenFast<true> b = {address_b, bytes, get_dataformat(cb_b)};
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t column = 0; column < columns; ++column) {
      for (uint32_t k = 0; k < depth; ++k) {
        cb_reserve_back(cb_a, 1);
        cb_reserve_back(cb_b, 1);
        noc_async_read_tile(row * depth + k, a, get_write_ptr(cb_a));
        noc_async_read_tile(k * columns + column, b, get_write_ptr(cb_b));
        noc_async_read_barrier();
        cb_push_back(cb_a, 1);
        cb_push_back(cb_b, 1);
      }
    }
  }
}

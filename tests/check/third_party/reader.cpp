// Uses what it reads before it has come.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t from = get_arg_val<uint32_t>(0);
  const uint32_t to = get_arg_val<uint32_t>(1);
  noc_async_read(get_noc_addr(2, 2, from), to, 64);
  const uint32_t word = *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to);  // too early
  noc_async_read_barrier();
  *reinterpret_cast<volatile tt_l1_ptr uint32_t*>(to + 64) = word;
}

// Copies pages of one DRAM buffer to another, each through the same place in L1.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t l1 = get_arg_val<uint32_t>(0);
  const uint32_t source = get_arg_val<uint32_t>(1);
  const uint32_t target = get_arg_val<uint32_t>(2);
  const uint32_t pages = get_arg_val<uint32_t>(3);
  const uint32_t page_bytes = get_arg_val<uint32_t>(4);

  const InterleavedAddrGen<true> in = {.bank_base_address = source, .page_size = page_bytes};
  const InterleavedAddrGen<true> out = {.bank_base_address = target, .page_size = page_bytes};
  for (uint32_t page = 0; page < pages; ++page) {
    noc_async_read_page(page, in, l1);
    noc_async_read_barrier();
    noc_async_write_page(page, out, l1);
    noc_async_write_barrier();
  }
}

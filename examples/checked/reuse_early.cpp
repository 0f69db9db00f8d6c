// Writes two pages of DRAM from the same place in L1.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t place = get_arg_val<uint32_t>(0);
  const InterleavedAddrGen<true> out = {.bank_base_address = get_arg_val<uint32_t>(1), .page_size = 2048};
  const bool mended = get_arg_val<uint32_t>(2) != 0;
  volatile uint32_t* const words = reinterpret_cast<volatile uint32_t*>(place);

  words[0] = 1;
  noc_async_write_page(0, out, place);
  if (mended) noc_async_writes_flushed();
  words[0] = 2;
  noc_async_write_page(1, out, place);
  noc_async_write_barrier();
}

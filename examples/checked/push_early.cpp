// Brings a page of DRAM into circular buffer 0.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const InterleavedAddrGen<true> in = {.bank_base_address = get_arg_val<uint32_t>(0), .page_size = 2048};
  const bool mended = get_arg_val<uint32_t>(1) != 0;

  cb_reserve_back(0, 1);
  noc_async_read_page(0, in, get_write_ptr(0));
  if (mended) noc_async_read_barrier();
  cb_push_back(0, 1);
  noc_async_read_barrier();
}

// Sends 16 bytes to DRAM and takes them back, 64 bytes further on.
#include "dataflow_api.h"

void kernel_main() {
  const uint32_t from = get_arg_val<uint32_t>(0);
  const uint64_t there = get_noc_addr_from_bank_id<true>(0, 0x100040);
  *reinterpret_cast<volatile uint32_t*>(from) = 42;
  noc_async_write(from, there, 16);
  noc_async_write_barrier();
  noc_async_read(there, from + 64, 16);
  noc_async_read_barrier();
}

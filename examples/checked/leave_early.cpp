// Adds one to semaphore 0 of another core.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1);
  const bool mended = get_arg_val<uint32_t>(2) != 0;

  noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), 1);
  if (mended) noc_async_atomic_barrier();
}

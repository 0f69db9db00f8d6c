// Each core adds its share to a total that one of them keeps, which waits until all have.
// Arguments: the share, column and row of who keeps the total. Common: how many cores there are, where the result goes.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t share = get_arg_val<uint32_t>(0);
  const uint32_t x = get_arg_val<uint32_t>(1), y = get_arg_val<uint32_t>(2);
  noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(0)), share);
  noc_async_atomic_barrier();
  noc_semaphore_inc(get_noc_addr(x, y, get_semaphore(1)), 1);
  noc_async_atomic_barrier();
  if (my_x[noc_index] != x || my_y[noc_index] != y) return;
  noc_semaphore_wait(reinterpret_cast<volatile uint32_t*>(get_semaphore(1)), get_common_arg_val<uint32_t>(0));
  *reinterpret_cast<volatile uint32_t*>(get_common_arg_val<uint32_t>(1)) =
      *reinterpret_cast<volatile uint32_t*>(get_semaphore(0));
}

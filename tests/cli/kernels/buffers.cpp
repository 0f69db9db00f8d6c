// Uses a circular buffer, three arguments and a semaphore, and says so.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t pages = get_arg_val<uint32_t>(0) + get_arg_val<uint32_t>(1) + get_arg_val<uint32_t>(2);
  cb_wait_front(4, pages);
  noc_semaphore_wait(reinterpret_cast<volatile tt_l1_ptr uint32_t*>(get_semaphore(1)), 1);
}

// Gives the compute harts pages that lie in L1 already: arguments are pairs, a circular buffer and how many pages.
#include <kerr/device/dataflow.hpp>

void kernel_main() {
  const uint32_t buffers = get_arg_val<uint32_t>(0);
  for (uint32_t i = 0; i < buffers; ++i) {
    const uint32_t id = get_arg_val<uint32_t>(1 + 2 * i), pages = get_arg_val<uint32_t>(2 + 2 * i);
    cb_push_back(static_cast<int32_t>(id), static_cast<int32_t>(pages));
  }
}

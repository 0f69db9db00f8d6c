// As a kernel of tt-metal would: its headers, no others. Writes the pages of circular buffer 0 one behind the other to
// L1 of another tile.
#include "dataflow_api.h"
#include "debug/dprint.h"
#include "hostdevcommon/common_values.hpp"

void kernel_main() {
  const auto x = get_arg_val<uint32_t>(0), y = get_arg_val<uint32_t>(1), to = get_arg_val<uint32_t>(2);
  for (uint32_t page = 0; page < 3; ++page) {
    cb_wait_front(0, 1);
    noc_async_write(get_read_ptr(0), get_noc_addr(x, y, to + 64 * page), 64);
    noc_async_write_barrier();
    cb_pop_front(0, 1);
  }
}

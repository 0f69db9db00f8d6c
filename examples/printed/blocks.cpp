// Says which of its blocks it is at.
#include "kerr/device/print.hpp"

void kernel_main() {
  const uint32_t blocks = get_arg_val<uint32_t>(0);
  for (uint32_t block = 0; block < blocks; ++block) {
    KERR_PRINT("block {} of {}", block, blocks);
    if (block == 2) KERR_PRINT("the {} has {:.2f} times {:#x}", "third", 0.75f, blocks << 8);
  }
}

// A core's part of C, sub-block by sub-block: device/compute/matmul_blocks.hpp has the loops.
#include <kerr/device/compute.hpp>

void kernel_main() {
  const auto arg = [](uint32_t i) { return get_common_arg_val<uint32_t>(i); };
  kerr::matmul_blocks(
      {.left = 0, .right = 1, .product = 2, .sums = 3},
      {.blocks = arg(0), .depth = arg(1), .down = arg(2), .across = arg(3), .rows = arg(4), .columns = arg(5)});
}

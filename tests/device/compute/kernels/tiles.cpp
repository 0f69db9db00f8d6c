// The code of case number argument 0 of tile_cases.def.
#include <kerr/device/compute.hpp>

namespace {

void calculate(uint32_t number) {
  uint32_t i = 0;
#define X(reference, ...) \
  if (i++ == number) {    \
    __VA_ARGS__;          \
    return;               \
  }
#include "tile_cases.def"
}

}  // namespace

void kernel_main() {
  constexpr uint32_t kX = 0, kY = 1, kOnes = 2, kOut = 16;
  const uint32_t number = get_arg_val<uint32_t>(0);
  binary_op_init_common(kX, kY, kOut);
  cb_wait_front(kX, 2);
  cb_wait_front(kY, 1);
  cb_wait_front(kOnes, 1);
  calculate(number);
  tile_regs_commit();
  cb_pop_front(kX, 2);
  cb_pop_front(kY, 1);
  tile_regs_wait();
  cb_reserve_back(kOut, 1);
  pack_tile(0, kOut);
  cb_push_back(kOut, 1);
  tile_regs_release();
}

// Case number argument 0 of integer_cases.def.
#include <kerr/device/compute.hpp>

namespace {

void calculate(uint32_t number) {
  uint32_t i = 0;
#define X(value, ...)  \
  if (i++ == number) { \
    __VA_ARGS__;       \
    return;            \
  }
#include "integer_cases.def"
}

}  // namespace

void kernel_main() {
  constexpr uint32_t kIn = 0, kOut = 16;
  const uint32_t number = get_arg_val<uint32_t>(0);
  unary_op_init_common(kIn, kOut);
  cb_wait_front(kIn, 3);
  tile_regs_acquire();
  for (uint32_t tile = 0; tile < 3; ++tile) copy_tile(kIn, tile, tile);
  calculate(number);
  tile_regs_commit();
  cb_pop_front(kIn, 3);
  tile_regs_wait();
  cb_reserve_back(kOut, 1);
  pack_tile(0, kOut);
  cb_push_back(kOut, 1);
  tile_regs_release();
}

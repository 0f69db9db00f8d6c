// The code of case number argument 0 of tile_cases.def.
#include <kerr/device/compute.hpp>

namespace {

// Works on a face of two tiles; all of it is exact.
[[maybe_unused]] void branches(uint32_t tile_x, uint32_t tile_y, uint32_t to) {
  for (uint32_t i = 0; i < 8; ++i) {
    vFloat x = dst_reg[32 * tile_x + i], y = dst_reg[32 * tile_y + i];
    v_if(x < 0.0f) { x = -x; }
    v_elseif(x == 0.5f) { x = x * 2.0f + 0.25f; }
    v_else {
      vFloat square = y * y;
      v_if(x >= sfpi::vConst1) { x = square; }
      v_else { x -= 1.0f; }
      v_endif;
    }
    v_endif;
    dst_reg[32 * to + i] = x;
  }
}
[[maybe_unused]] void magnitude_plus(float number) {
  for (uint32_t i = 0; i < 8; ++i) {
    dst_reg[0] = sfpi::abs(dst_reg[0]) + number;
    dst_reg++;
  }
}

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

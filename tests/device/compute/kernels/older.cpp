// As compute kernels of tt-metal's older releases are written: their headers, names, default arguments and helpers.
#include <cstdint>

#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_unary/sfpu_split_includes.h"
#include "compute_kernel_api/matmul.h"
#include "compute_kernel_api/tile_move_copy.h"
#include "debug/dprint.h"
#include "mod_div_lib.h"

namespace NAMESPACE {
void MAIN {
  const uint32_t depth = get_arg_val<uint32_t>(0), exponent = get_arg_val<uint32_t>(1);
  const uint32_t pages = mulsi3(udivsi3_const_divisor<2>(2 * depth), 1) + umodsi3_const_divisor<4>(8);
  mm_init();
  acquire_dst(tt::DstMode::Half);
  cb_wait_front(tt::CB::c_in0, pages);
  cb_wait_front(tt::CB::c_in1, pages);
  for (uint32_t k = 0; k < pages; ++k) matmul_tiles(tt::CB::c_in0, tt::CB::c_in1, k, k, 0, false);
  if (exponent != 0) {
    power_tile_init();
    power_tile(0, exponent);
  }
  cb_pop_front(tt::CB::c_in0, pages);
  cb_pop_front(tt::CB::c_in1, pages);
  cb_reserve_back(tt::CB::c_out0, 1);
  pack_tile(0, tt::CB::c_out0);
  cb_push_back(tt::CB::c_out0, 1);
  release_dst(tt::DstMode::Half);
  DPRINT << "product of " << pages << ENDL();
}
}  // namespace NAMESPACE

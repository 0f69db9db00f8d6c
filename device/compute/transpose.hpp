// Tiles whose rows become columns on their way to SrcA. 16 bits a datum; of FP32 19 bits are left (TF32).
#pragma once

#include "device/compute/copy.hpp"

namespace ckernel {

ALWI void transpose_wh_init_short(uint32_t in = 0) { kerr::device::configure_copy(in, true); }
ALWI void transpose_wh_init(uint32_t in, uint32_t out = 16) {
  kerr::device::start_up(in, in, out);
  transpose_wh_init_short(in);
}
ALWI void transpose_wh_tile(uint32_t in, uint32_t page, uint32_t tile) { kerr::device::copy_one(in, page, tile, true); }

}  // namespace ckernel

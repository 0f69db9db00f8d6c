// Steps of the catalogue's compute kernels. Not in the file of the rows: see dataflow.cpp.
#pragma once

#include <kerr/device/compute.hpp>

#include "tests/check/catalogue/kernels/selected_row.hpp"

namespace kerr::catalogue {

using namespace kerr::device;

/// Rows of coprocessor.cpp; nothing for others.
void run_coprocessor(uint32_t selector);

FORCE_INLINE void start() {
  unary_op_init_common(kFirstBuffer, kPackedBuffer);
  copy_tile_init(kFirstBuffer);
}
FORCE_INLINE void to_dst() {
  tile_regs_acquire();
  copy_tile(kFirstBuffer, 0, 0);
  tile_regs_commit();
}
FORCE_INLINE void begin_to_pack() {
  tile_regs_wait();
  cb_reserve_back(kPackedBuffer, 1);
}
// Time for the coprocessor to do what was issued: then the mistake is hidden.
FORCE_INLINE void settle() {
  for (uint32_t i = 0; i < 3000; ++i) asm volatile("nop");
}
// What a push or pop leaves out: the hart changes the counter itself, behind nothing.
FORCE_INLINE void count(uint32_t buffer, int counter) { mmio(buffer_counter(buffer, counter)) = 1; }

}  // namespace kerr::catalogue

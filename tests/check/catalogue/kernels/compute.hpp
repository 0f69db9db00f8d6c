// Steps of the catalogue's compute kernels. Not in the file of the rows: see dataflow.cpp.
#pragma once

#include <kerr/device/compute.hpp>

#include "tests/check/catalogue/kernels/selected_row.hpp"

namespace kerr::catalogue {

using namespace kerr::device;

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
// Zeros in a bank of SrcA, or SrcB, handed over.
FORCE_INLINE void give_bank(uint32_t unpacker) {
  if constexpr (kUnpacks) issue_word(unpack_nothing_word(unpacker));
}
FORCE_INLINE void move_tile(uint32_t tile) {
  if constexpr (kCalculates) {
    select_dst_tile(tile);
    run_mop();
    reset_counters(kDstCounter);
  }
}
/// L1 that nobody has written, at first.
FORCE_INLINE uint32_t untouched() { return get_arg_val<uint32_t>(kUntouched); }
FORCE_INLINE void pack_tile_to_scratch(uint32_t tile) {
  if constexpr (kPacks) pack_one(tile, untouched() / 16);
}
FORCE_INLINE void set_address_of(uint32_t address) {
  mmio(arch::kConfigBase + 4u * kBaseOfSrcA.word) = address / 16 - 1;
}
// A face of SrcA from slot `from` of the scratch, by context 0.
FORCE_INLINE void unpack_face() { ttinsn(unpack_word(kToSrcA, 0)); }
FORCE_INLINE void set_address(uint32_t from) { set_address_of(get_arg_val<uint32_t>(kScratch) + kSlotBytes * from); }
// What a push or pop leaves out: the hart changes the counter itself, behind nothing.
FORCE_INLINE void count(uint32_t buffer, int counter) { mmio(buffer_counter(buffer, counter)) = 1; }

}  // namespace kerr::catalogue

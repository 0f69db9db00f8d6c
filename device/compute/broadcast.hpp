// Element-wise operations whose second operand is one row, one column or one element, and tiles filled with those.
#pragma once

#include "device/compute/binary.hpp"

namespace ckernel {

/// Start-up and init in one.
template <EltwiseBinaryType operation, BroadcastType broadcast>
ALWI void init_bcast(uint32_t in0, uint32_t in1, uint32_t out = 16) {
  kerr::device::start_up(in0, in1, out);
  kerr::device::init_elements<operation, broadcast>(in0, false);
}
template <EltwiseBinaryType operation, BroadcastType broadcast>
ALWI void any_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) {
  kerr::device::elements<operation, broadcast>(in0, in1, page0, page1, tile);
}

/// One row, column or element of a page everywhere in a tile of Dst: its sum with zeros in SrcA.
template <BroadcastType broadcast>
ALWI void unary_bcast_init(uint32_t in, uint32_t out) {
  using namespace kerr::device;
  start_up(in, in, out);
  if constexpr (kUnpacks) configure_operand_faces(broadcast, unpack_nothing_word(kToSrcA));
  if constexpr (kCalculates) configure_elements<ELWADD, broadcast>(false);
}
template <BroadcastType broadcast>
ALWI void unary_bcast(uint32_t in, uint32_t page, uint32_t tile) {
  using namespace kerr::device;
  check_pages(in);
  if constexpr (kUnpacks) {
    const uint32_t address = page_address(in, page);
    begin_unpack(nullptr, &address);
    run_mop();
    end_unpack();
  }
  if constexpr (kCalculates) {
    select_dst_tile(tile);
    calculate_elements<ELWADD, broadcast>();
  }
}

#define KERR_BROADCAST_OPERATION(name, operation)                                                           \
  template <BroadcastType broadcast>                                                                        \
  ALWI void name##_tiles_bcast(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) { \
    any_tiles_bcast<operation, broadcast>(in0, in1, page0, page1, tile);                                    \
  }
#define KERR_BROADCAST(name, operation, kind, broadcast)                                                           \
  ALWI void name##_bcast_##kind##_init_short(uint32_t in0 = 0, uint32_t = 1) {                                     \
    kerr::device::init_elements<operation, BroadcastType::broadcast>(in0, false);                                  \
  }                                                                                                                \
  ALWI void name##_tiles_bcast_##kind##_init_short(uint32_t in0 = 0, uint32_t in1 = 1) {                           \
    name##_bcast_##kind##_init_short(in0, in1);                                                                    \
  }                                                                                                                \
  ALWI void name##_tiles_bcast_##kind(uint32_t in0, uint32_t in1, uint32_t page0, uint32_t page1, uint32_t tile) { \
    any_tiles_bcast<operation, BroadcastType::broadcast>(in0, in1, page0, page1, tile);                            \
  }
#define KERR_BROADCASTS(name, operation)     \
  KERR_BROADCAST_OPERATION(name, operation)  \
  KERR_BROADCAST(name, operation, rows, ROW) \
  KERR_BROADCAST(name, operation, cols, COL) \
  KERR_BROADCAST(name, operation, scalar, SCALAR)
KERR_BROADCASTS(add, ELWADD)
KERR_BROADCASTS(sub, ELWSUB)
KERR_BROADCASTS(mul, ELWMUL)
#undef KERR_BROADCASTS
#undef KERR_BROADCAST
#undef KERR_BROADCAST_OPERATION

// Calls of the vendor's inner layer that its kernels make, in MATH((...)) and UNPACK((...)).
template <EltwiseBinaryType operation, BroadcastType broadcast, auto...>
ALWI void llk_math_eltwise_binary_init(uint32_t accumulate = 0) {
  kerr::device::init_elements<operation, broadcast>(0, accumulate != 0);
}
template <BroadcastType broadcast>
ALWI void llk_unpack_AB_init(uint32_t in0, uint32_t) {
  kerr::device::init_elements<ELWADD, broadcast>(in0, false);
}

}  // namespace ckernel

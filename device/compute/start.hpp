// What a kernel does once, before all else: the settings of unpackers, Dst and packer for the formats of its buffers.
#pragma once

#include "device/compute/tile_registers.hpp"

namespace kerr::device {

/// `to_a`, `to_b`: buffers whose tiles go to SrcA and SrcB; `out`: one that is packed to.
FORCE_INLINE void start_up(uint32_t to_a, uint32_t to_b, uint32_t out) {
  KERR_USES(Use::CircularBuffer, to_a);
  KERR_USES(Use::CircularBuffer, to_b);
  KERR_USES(Use::CircularBuffer, out);
  if constexpr (kUnpacks) configure_unpackers(to_a, to_b);
  if constexpr (kCalculates) configure_dst(format_in_l1(to_a) == Format::Int8 && format_in_l1(to_b) == Format::Int8);
  if constexpr (kPacks) configure_packer(out);
  if constexpr (kPacks) begin_halves();
}

}  // namespace kerr::device

namespace ckernel {

/// Two operands: `in0` goes to SrcA, `in1` to SrcB (of a product the other way round: mm_init()).
ALWI void compute_kernel_hw_startup(uint32_t in0, uint32_t in1, uint32_t out) { kerr::device::start_up(in0, in1, out); }
ALWI void compute_kernel_hw_startup(uint32_t in0, uint32_t out) { kerr::device::start_up(in0, in0, out); }

}  // namespace ckernel

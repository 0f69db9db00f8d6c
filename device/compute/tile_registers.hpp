// Who has the half of Dst: tile_regs_acquire() and _commit() of the calculating hart, tile_regs_wait() and _release()
// of the packing hart.
#pragma once

#include "device/compute/dst_section.hpp"
#include "device/compute/packer.hpp"
#include "device/compute/unpacker.hpp"
#include "device/constants.hpp"

namespace ckernel {

/// Waits until a half of Dst is free. All of it is zero.
ALWI void tile_regs_acquire() {
  if constexpr (kerr::device::kCalculates) kerr::device::acquire_half();
}
/// Gives the half to the packing hart.
ALWI void tile_regs_commit() {
  if constexpr (kerr::device::kCalculates) kerr::device::release_half();
  if constexpr (kerr::device::kUnpacks) kerr::device::unpack_state.dst_half ^= 1;
}
/// Waits for the half that was given.
ALWI void tile_regs_wait() {
  if constexpr (kerr::device::kPacks) kerr::device::acquire_finished_half();
}
/// Clears it and gives it back.
ALWI void tile_regs_release() {
  if constexpr (kerr::device::kPacks) kerr::device::release_packed_half();
}

/// The older names: both waits, both releases.
ALWI void acquire_dst() {
  tile_regs_acquire();
  tile_regs_wait();
}
ALWI void release_dst() {
  tile_regs_commit();
  tile_regs_release();
}
/// Half of Dst it always is.
ALWI void acquire_dst(tt::DstMode) { acquire_dst(); }
ALWI void release_dst(tt::DstMode) { release_dst(); }

}  // namespace ckernel

// Circular buffers as the unpacking and the packing hart see them: addresses and sizes in units of 16 bytes. The
// counters move by STOREREG, behind the unpacks or packs that were issued before.   docs/hardware/kernels.md 2.5, 2.6
#pragma once

#include "device/circular_buffer_interface.hpp"
#include "device/compute/formats.hpp"
#include "device/tensix/config.hpp"

namespace kerr::device {

using arch::CbInterface;
FORCE_INLINE CbInterface& circular_buffer(uint32_t buffer) { return get_local_cb_interface(buffer); }

FORCE_INLINE constexpr uint32_t buffer_counter(uint32_t buffer, int counter) {
  return arch::stream_address(static_cast<int>(kLayout.first_cb_stream + buffer), counter);
}
inline constexpr int kAcked = arch::stream::kRemoteDestBufStart, kReceived = arch::stream::kRemoteDestBufSize;

// GPRs that hold a count on its way to a register. Their upper halves are 0.
inline constexpr uint32_t kGprPopped = 4, kGprPushed = 24;

FORCE_INLINE void publish_count(uint32_t buffer, int counter, uint32_t gpr, uint32_t count, uint32_t after) {
  set_gpr_half(gpr, false, count);
  stall_wait(stall::kThcon, after);
  issue_word(tensix::STOREREG().tdma_data_reg_index(gpr).word() | ((buffer_counter(buffer, counter) >> 2) & 0x3FFFF));
}

/// Until `pages` have come.
FORCE_INLINE void wait_front(uint32_t buffer, uint32_t pages) {
  const uint32_t popped = circular_buffer(buffer).tiles_acked;
  while (((mmio(buffer_counter(buffer, kReceived)) - popped) & 0xFFFF) < pages) {
  }
}

FORCE_INLINE void pop_front(uint32_t buffer, uint32_t pages) {
  CbInterface& cb = circular_buffer(buffer);
  const uint32_t popped = (cb.tiles_acked + pages) & 0xFFFF;
  cb.tiles_acked = static_cast<uint16_t>(popped);
  publish_count(buffer, kAcked, kGprPopped, popped, until::kUnpack0 | until::kUnpack1);
  uint32_t front = cb.fifo_rd_ptr + pages * cb.fifo_page_size;
  if (front >= cb.fifo_limit) front -= cb.fifo_size;
  cb.fifo_rd_ptr = front;
}

/// Until there is room for `pages`.
FORCE_INLINE void reserve_back(uint32_t buffer, uint32_t pages) {
  const CbInterface& cb = circular_buffer(buffer);
  const uint32_t pushed = cb.tiles_received, most = cb.fifo_num_pages - pages;
  while (((pushed - mmio(buffer_counter(buffer, kAcked))) & 0xFFFF) > most) {
  }
}

FORCE_INLINE void push_back(uint32_t buffer, uint32_t pages) {
  CbInterface& cb = circular_buffer(buffer);
  const uint32_t pushed = (cb.tiles_received + pages) & 0xFFFF;
  cb.tiles_received = static_cast<uint16_t>(pushed);
  publish_count(buffer, kReceived, kGprPushed, pushed, until::kPack0);
  uint32_t back = cb.fifo_wr_ptr + pages * cb.fifo_page_size;
  if (back >= cb.fifo_limit) back -= cb.fifo_size;
  cb.fifo_wr_ptr = back;
  cb.fifo_wr_tile_ptr = 0;
}

}  // namespace kerr::device

namespace ckernel {

ALWI void cb_wait_front(uint32_t buffer, uint32_t pages) {
  if constexpr (kerr::device::kUnpacks) kerr::device::wait_front(buffer, pages);
}
ALWI void cb_pop_front(uint32_t buffer, uint32_t pages) {
  if constexpr (kerr::device::kUnpacks) kerr::device::pop_front(buffer, pages);
}
ALWI void cb_reserve_back(uint32_t buffer, uint32_t pages) {
  if constexpr (kerr::device::kPacks) kerr::device::reserve_back(buffer, pages);
}
ALWI void cb_push_back(uint32_t buffer, uint32_t pages) {
  if constexpr (kerr::device::kPacks) kerr::device::push_back(buffer, pages);
}

}  // namespace ckernel
using namespace ckernel;

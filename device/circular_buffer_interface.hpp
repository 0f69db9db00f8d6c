// The hart's record of a circular buffer, and the counters that it shares with the other end.
// docs/hardware/kernels.md 2.5
#pragma once

#include "arch/messages.hpp"
#include "arch/stream_registers.hpp"
#include "device/access.hpp"
#include "device/entry.hpp"
#include "device/uses.hpp"

/// fifo_size, fifo_limit, fifo_page_size, fifo_num_pages, fifo_rd_ptr, fifo_wr_ptr: in bytes on BRISC and NCRISC, in
/// units of 16 bytes on TRISC0 (which has the read pointer) and TRISC2 (the write pointer).
using LocalCBInterface = kerr::arch::CbInterface;

FORCE_INLINE LocalCBInterface& get_local_cb_interface(uint32_t id) {
  KERR_USES(kerr::device::Use::CircularBuffer, id);
  // On NCRISC behind the bank tables, whose size depends on the board.
  const uint32_t table =
      kerr::device::kHart == kerr::arch::Hart::Ncrisc ? kerr_entry.circular_buffers : kerr::device::kAbi.cb_interface;
  return reinterpret_cast<LocalCBInterface*>(table)[id];
}

// Two counters in the overlay, of which both sides see 16 bits: pages pushed, pages popped.
FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_received_ptr(int id) {
  return reinterpret_cast<volatile uint32_t*>(kerr::arch::stream_address(
      static_cast<int>(kerr::device::kLayout.first_cb_stream) + id, kerr::arch::stream::kRemoteDestBufSize));
}
FORCE_INLINE volatile tt_reg_ptr uint32_t* get_cb_tiles_acked_ptr(int id) {
  return reinterpret_cast<volatile uint32_t*>(kerr::arch::stream_address(
      static_cast<int>(kerr::device::kLayout.first_cb_stream) + id, kerr::arch::stream::kRemoteDestBufStart));
}

namespace kerr::device {

// Pages that have been pushed and not popped.
FORCE_INLINE uint32_t pages_in(int id) {
  return (*get_cb_tiles_received_ptr(id) - *get_cb_tiles_acked_ptr(id)) & 0xFFFF;
}

}  // namespace kerr::device

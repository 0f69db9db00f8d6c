// Waits for what was issued. Each drops the L0 cache at its end: what arrived is then seen.
#pragma once

#include "device/noc/command.hpp"

namespace kerr::device {

/// Until counter `index` of the NIU is `value`.
FORCE_INLINE void wait_for_counter(uint32_t noc, int index, uint32_t value) {
  while (counter(noc, index) != value) {
  }
  invalidate_l1_cache();
}

}  // namespace kerr::device

/// Until all reads have arrived.
FORCE_INLINE void noc_async_read_barrier(uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstRdRespReceived, issued(kReads, noc));
}
/// Until all writes and multicasts, but posted ones, have been acknowledged by everyone they go to.
FORCE_INLINE void noc_async_write_barrier(uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstWrAckReceived, issued(kWriteAcks, noc));
}
/// Until all writes have left: their source may be overwritten.
FORCE_INLINE void noc_async_writes_flushed(uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstNonpostedWrReqSent, issued(kWrites, noc));
}
FORCE_INLINE void noc_async_posted_writes_flushed(uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstPostedWrReqSent, issued(kPostedWrites, noc));
}
/// Until all atomics have been answered.
FORCE_INLINE void noc_async_atomic_barrier(uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstAtomicRespReceived, issued(kAtomicAcks, noc));
}
/// All of these.
FORCE_INLINE void noc_async_full_barrier(uint8_t noc = noc_index) {
  noc_async_read_barrier(noc);
  noc_async_writes_flushed(noc);
  noc_async_write_barrier(noc);
  noc_async_atomic_barrier(noc);
  noc_async_posted_writes_flushed(noc);
}

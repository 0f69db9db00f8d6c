// Writes to all tiles of a rectangle at once.                                          docs/hardware/noc.md 3.5, 3.7
#pragma once

#include "device/noc/write.hpp"

namespace kerr::device {

constexpr uint32_t multicast_control(bool linked, bool source_too) {
  return niu::kCtrlWordMulticast | (linked ? niu::kCtrlVcLinked : 0) | (source_too ? niu::kCtrlBroadcastSrcInclude : 0);
}

FORCE_INLINE void multicast_packet(uint32_t noc, uint32_t buffer, uint32_t control, uint32_t from, uint64_t to,
                                   uint32_t bytes, uint32_t receivers) {
  write_packet(noc, buffer, control, from, to, bytes);
  count_writes(noc, false, 1, receivers);
}

// Linked packets keep their path; the last one of a transfer keeps it only if more is to follow.
inline void multicast(uint32_t noc, uint32_t from, uint64_t to, uint32_t bytes, uint32_t receivers, bool linked,
                      bool source_too) {
  while (bytes > NOC_MAX_BURST_SIZE) {
    multicast_packet(noc, write_cmd_buf, multicast_control(true, source_too), from, to, NOC_MAX_BURST_SIZE, receivers);
    from += NOC_MAX_BURST_SIZE, to += NOC_MAX_BURST_SIZE, bytes -= NOC_MAX_BURST_SIZE;
  }
  multicast_packet(noc, write_cmd_buf, multicast_control(linked, source_too), from, to, bytes, receivers);
}

}  // namespace kerr::device

/// To every tile of the rectangle but this one. `num_dests`: how many that are; the barrier waits for as many
/// acknowledgements, and a wrong number hangs it. `linked`: the next multicast goes the same way, at once.
FORCE_INLINE void noc_async_write_multicast_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                       uint32_t size, uint32_t num_dests, bool linked = false,
                                                       uint8_t noc = noc_index) {
  using namespace kerr::device;
  multicast_packet(noc, write_cmd_buf, multicast_control(linked, false), src_local_l1_addr, dst_noc_addr_multicast,
                   size, num_dests);
}
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1>
FORCE_INLINE void noc_async_write_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast, uint32_t size,
                                            uint32_t num_dests, bool linked = false, uint8_t noc = noc_index) {
  kerr::device::multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, false);
}
/// To this tile too, if it is in the rectangle; `num_dests` counts it.
FORCE_INLINE void noc_async_write_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                         uint32_t size, uint32_t num_dests, bool linked = false,
                                                         uint8_t noc = noc_index) {
  kerr::device::multicast(noc, src_local_l1_addr, dst_noc_addr_multicast, size, num_dests, linked, true);
}

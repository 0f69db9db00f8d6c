// Writes from this tile's L1 to anywhere.                                               docs/hardware/noc.md 3.1
#pragma once

#include "device/noc/address.hpp"
#include "device/noc/command.hpp"

namespace kerr::device {

constexpr uint32_t write_control(bool posted, uint32_t vc) {
  return niu::kCtrlWrite | (posted ? 0 : niu::kCtrlRespMarked) | niu::ctrl_static_vc(vc);
}
static_assert(write_control(false, NOC_UNICAST_WRITE_VC) == niu::kCtrlWordWrite);

// Packets and the acknowledgements that they bring.
FORCE_INLINE void count_writes(uint32_t noc, bool posted, uint32_t packets = 1, uint32_t acks = 1) {
  if (posted) {
    issued(kPostedWrites, noc) += packets;
  } else {
    issued(kWrites, noc) += packets;
    issued(kWriteAcks, noc) += acks;
  }
}

// One packet by any command buffer and control word. The buffer's TARG_HI holds the own coordinate: who is
// acknowledged.
FORCE_INLINE void write_packet(uint32_t noc, uint32_t buffer_number, uint32_t control, uint32_t from, uint64_t to,
                               uint32_t bytes) {
  const CommandBuffer buffer = free_buffer(noc, buffer_number);
  buffer.set(niu::kCtrl, control);
  buffer.set(niu::kTargAddrLo, from);
  buffer.set_return(to);
  buffer.set(niu::kAtLenBe, bytes);
  buffer.issue();
}

// What many writes to one tile have in common.
FORCE_INLINE CommandBuffer prepare_writes(uint32_t noc, uint32_t buffer_number, uint32_t control, uint64_t to) {
  const CommandBuffer buffer = free_buffer(noc, buffer_number);
  buffer.set(niu::kCtrl, control);
  buffer.set_return_tile(to);
  return buffer;
}

}  // namespace kerr::device

/// At most 16 KiB in one packet.
template <bool kTracing = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                             uint8_t noc = noc_index, uint32_t vc = NOC_UNICAST_WRITE_VC) {
  using namespace kerr::device;
  write_packet(noc, write_cmd_buf, write_control(posted, vc), src_local_l1_addr, dst_noc_addr, size);
  count_writes(noc, posted);
}

/// Any number of bytes; with max_page_size of at most 16 KiB one packet. Both addresses must be equal modulo 16.
/// Returns when the writes are issued: noc_async_write_barrier() waits until they have taken effect.
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool kTracing = true, bool posted = false>
inline void noc_async_write(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index,
                            uint32_t vc = NOC_UNICAST_WRITE_VC) {
  if constexpr (max_page_size > NOC_MAX_BURST_SIZE) {
    while (size > NOC_MAX_BURST_SIZE) {
      noc_async_write_one_packet<kTracing, posted>(src_local_l1_addr, dst_noc_addr, NOC_MAX_BURST_SIZE, noc, vc);
      src_local_l1_addr += NOC_MAX_BURST_SIZE;
      dst_noc_addr += NOC_MAX_BURST_SIZE;
      size -= NOC_MAX_BURST_SIZE;
    }
  }
  noc_async_write_one_packet<kTracing, posted>(src_local_l1_addr, dst_noc_addr, size, noc, vc);
}

/// The tile to write to, and the size of each packet, once for many writes.
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_set_state(uint64_t dst_noc_addr, uint32_t size, uint8_t noc = noc_index,
                                                       uint8_t vc = NOC_UNICAST_WRITE_VC) {
  using namespace kerr::device;
  prepare_writes(noc, write_cmd_buf, write_control(posted, vc), dst_noc_addr).set(niu::kAtLenBe, size);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                        uint8_t noc = noc_index) {
  using namespace kerr::device;
  const CommandBuffer buffer = free_buffer(noc, write_cmd_buf);
  buffer.set(niu::kTargAddrLo, src_local_l1_addr);
  buffer.set(niu::kRetAddrLo, dst_local_l1_addr);
  buffer.issue();
  count_writes(noc, posted);
}

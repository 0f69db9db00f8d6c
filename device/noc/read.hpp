// Reads from anywhere into this tile's L1.                                              docs/hardware/noc.md 3.1
#pragma once

#include "device/noc/address.hpp"
#include "device/noc/command.hpp"

namespace kerr::device {

// The read buffer holds control word and own coordinate from the start (arch/kernel_abi.hpp).
FORCE_INLINE void read_packet(uint32_t noc, uint64_t from, uint32_t to, uint32_t bytes) {
  const CommandBuffer buffer = free_buffer(noc, read_cmd_buf);
  buffer.set(niu::kRetAddrLo, to);
  buffer.set_target(from);
  buffer.set(niu::kAtLenBe, bytes);
  buffer.issue();
  ++issued(kReads, noc);
}

}  // namespace kerr::device

/// At most 16 KiB in one packet.
template <bool kTracing = true>
FORCE_INLINE void noc_async_read_one_packet(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index, uint32_t = NOC_UNICAST_WRITE_VC) {
  kerr::device::read_packet(noc, src_noc_addr, dst_local_l1_addr, size);
}

/// Any number of bytes; with max_page_size of at most 16 KiB one packet. Both addresses must be equal modulo 16 (64 for
/// DRAM). Returns when the reads are issued: noc_async_read_barrier() waits for the bytes.
template <uint32_t max_page_size = NOC_MAX_BURST_SIZE + 1, bool kTracing = true>
inline void noc_async_read(uint64_t src_noc_addr, uint32_t dst_local_l1_addr, uint32_t size, uint8_t noc = noc_index,
                           uint32_t = NOC_UNICAST_WRITE_VC) {
  if constexpr (max_page_size > NOC_MAX_BURST_SIZE) {
    while (size > NOC_MAX_BURST_SIZE) {
      kerr::device::read_packet(noc, src_noc_addr, dst_local_l1_addr, NOC_MAX_BURST_SIZE);
      src_noc_addr += NOC_MAX_BURST_SIZE;
      dst_local_l1_addr += NOC_MAX_BURST_SIZE;
      size -= NOC_MAX_BURST_SIZE;
    }
  }
  kerr::device::read_packet(noc, src_noc_addr, dst_local_l1_addr, size);
}

/// The tile to read from, and the size of each packet, once for many reads.
template <bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_set_state(uint64_t src_noc_addr, uint32_t size, uint32_t = 0,
                                                      uint8_t noc = noc_index) {
  const kerr::device::CommandBuffer buffer = kerr::device::free_buffer(noc, read_cmd_buf);
  buffer.set_target_tile(src_noc_addr);
  buffer.set(kerr::arch::niu::kAtLenBe, size);
}
template <bool inc_num_issued = true, bool use_vc = false>
FORCE_INLINE void noc_async_read_one_packet_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr,
                                                       uint32_t = 0, uint8_t noc = noc_index) {
  using namespace kerr::device;
  const CommandBuffer buffer = free_buffer(noc, read_cmd_buf);
  buffer.set(niu::kRetAddrLo, dst_local_l1_addr);
  buffer.set(niu::kTargAddrLo, src_local_l1_addr);
  buffer.issue();
  if constexpr (inc_num_issued) ++issued(kReads, noc);
}
FORCE_INLINE void noc_async_read_set_state(uint64_t src_noc_addr, uint8_t noc = noc_index) {
  kerr::device::free_buffer(noc, read_cmd_buf).set_target_tile(src_noc_addr);
}
template <bool inc_num_issued = true>
FORCE_INLINE void noc_async_read_with_state(uint32_t src_local_l1_addr, uint32_t dst_local_l1_addr, uint32_t size,
                                            uint8_t noc = noc_index) {
  using namespace kerr::device;
  for (;;) {
    const uint32_t bytes = size < NOC_MAX_BURST_SIZE ? size : NOC_MAX_BURST_SIZE;
    const CommandBuffer buffer = free_buffer(noc, read_cmd_buf);
    buffer.set(niu::kRetAddrLo, dst_local_l1_addr);
    buffer.set(niu::kTargAddrLo, src_local_l1_addr);
    buffer.set(niu::kAtLenBe, bytes);
    buffer.issue();
    if constexpr (inc_num_issued) ++issued(kReads, noc);
    if (size <= NOC_MAX_BURST_SIZE) return;
    src_local_l1_addr += bytes, dst_local_l1_addr += bytes, size -= bytes;
  }
}
/// For reads that were issued without being counted.
FORCE_INLINE void noc_async_read_inc_num_issued(uint32_t reads, uint8_t noc = noc_index) {
  kerr::device::issued(kerr::device::kReads, noc) += reads;
}

// Transactions with an id of 0 to 15, whose end can be waited for by id.                docs/hardware/noc.md 2.3, 2.6
#pragma once

#include "device/noc/banks.hpp"
#include "device/noc/barriers.hpp"
#include "device/noc/inline_write.hpp"
#include "device/noc/read.hpp"

namespace kerr::device {

FORCE_INLINE void set_transaction(uint32_t noc, uint32_t buffer_number, uint32_t id) {
  free_buffer(noc, buffer_number).set(niu::kPacketTag, id << niu::kTagTransactionIdShift);
}

}  // namespace kerr::device

/// Reads or writes from now on carry the id.
FORCE_INLINE void noc_async_read_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
  kerr::device::set_transaction(noc, read_cmd_buf, trid);
}
FORCE_INLINE void noc_async_write_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
  kerr::device::set_transaction(noc, write_cmd_buf, trid);
}
template <bool skip_ptr_update = false, bool skip_cmdbuf_chk = false>
FORCE_INLINE void noc_async_read_one_packet_with_state_with_trid(uint32_t src_base_addr, uint32_t src_addr,
                                                                 uint32_t dest_addr, uint32_t trid = 0,
                                                                 uint8_t noc = noc_index) {
  kerr::device::set_transaction(noc, read_cmd_buf, trid);
  noc_async_read_one_packet_with_state<!skip_ptr_update>(src_base_addr + src_addr, dest_addr, 0, noc);
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint32_t size,
                                                       uint32_t trid, uint8_t cmd_buf = write_cmd_buf,
                                                       uint8_t noc = noc_index, uint8_t vc = NOC_UNICAST_WRITE_VC) {
  using namespace kerr::device;
  set_transaction(noc, cmd_buf, trid);
  write_packet(noc, cmd_buf, write_control(posted, vc), src_local_l1_addr, dst_noc_addr, size);
  if constexpr (update_counter) count_writes(noc, posted);
}
template <bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_set_state(uint64_t dst_noc_addr, uint8_t cmd_buf = write_cmd_buf,
                                                                 uint8_t noc = noc_index,
                                                                 uint8_t vc = NOC_UNICAST_WRITE_VC) {
  using namespace kerr::device;
  prepare_writes(noc, cmd_buf, write_control(posted, vc), dst_noc_addr);
}
template <bool update_counter = true, bool posted = false>
FORCE_INLINE void noc_async_write_one_packet_with_trid_with_state(uint32_t src_local_l1_addr,
                                                                  uint32_t dst_local_l1_addr, uint32_t size,
                                                                  uint32_t trid, uint8_t cmd_buf = write_cmd_buf,
                                                                  uint8_t noc = noc_index) {
  using namespace kerr::device;
  const CommandBuffer buffer = free_buffer(noc, cmd_buf);
  buffer.set(niu::kPacketTag, trid << niu::kTagTransactionIdShift);
  buffer.set(niu::kTargAddrLo, src_local_l1_addr);
  buffer.set(niu::kRetAddrLo, dst_local_l1_addr);
  buffer.set(niu::kAtLenBe, size);
  buffer.issue();
  if constexpr (update_counter) count_writes(noc, posted);
}

/// Until all transactions of the id have ended, or have left.
FORCE_INLINE void noc_async_read_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstReqsOutstandingId + static_cast<int>(trid), 0);
}
FORCE_INLINE void noc_async_write_barrier_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  noc_async_read_barrier_with_trid(trid, noc);
}
FORCE_INLINE void noc_async_write_flushed_with_trid(uint32_t trid, uint8_t noc = noc_index) {
  using namespace kerr::device;
  wait_for_counter(noc, niu::kMstWriteReqsOutgoingId + static_cast<int>(trid), 0);
}
#define NOC_CLEAR_OUTSTANDING_REQ_MASK 0xFFFFu
/// Forgets what is outstanding of the ids in the mask.
FORCE_INLINE void reset_noc_trid_barrier_counter(uint32_t id_mask = NOC_CLEAR_OUTSTANDING_REQ_MASK,
                                                 uint32_t noc = noc_index) {
  using namespace kerr::device;
  CommandBuffer(noc, 0).set(niu::kClearOutstandingReqCnt, id_mask);
}

// Older names of reads from one DRAM bank: set_state returns the address of the buffer in it.
template <bool use_vc = false>
FORCE_INLINE uint32_t noc_async_read_tile_dram_sharded_set_state(uint32_t bank_base_address, uint32_t page_size,
                                                                 uint32_t bank_id = 0, uint32_t = 0,
                                                                 uint8_t noc = noc_index) {
  noc_async_read_one_packet_set_state(get_noc_addr_from_bank_id<true>(bank_id, bank_base_address, noc), page_size, 0,
                                      noc);
  return bank_base_address;
}
FORCE_INLINE void noc_async_read_tile_dram_sharded_with_state(uint32_t src_base_addr, uint32_t src_addr,
                                                              uint32_t dest_addr, uint32_t = 0,
                                                              uint8_t noc = noc_index) {
  noc_async_read_one_packet_with_state(src_base_addr + src_addr, dest_addr, 0, noc);
}
FORCE_INLINE void noc_async_read_tile_dram_sharded_with_state_with_trid(uint32_t src_base_addr, uint32_t src_addr,
                                                                        uint32_t dest_addr, uint32_t trid = 0,
                                                                        uint8_t noc = noc_index) {
  noc_async_read_one_packet_with_state_with_trid(src_base_addr, src_addr, dest_addr, trid, noc);
}
FORCE_INLINE void noc_async_read_tile_dram_sharded_set_trid(uint32_t trid = 0, uint8_t noc = noc_index) {
  noc_async_read_set_trid(trid, noc);
}

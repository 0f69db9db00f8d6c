// Semaphores: words of L1 that other tiles increment or set (host::Program::add_semaphore()).
#pragma once

#include "device/noc/multicast.hpp"

enum class ProgrammableCoreType : uint32_t { TENSIX, ACTIVE_ETH, IDLE_ETH };

/// L1 address of a semaphore of the program: the same on all of its cores.
template <ProgrammableCoreType type = ProgrammableCoreType::TENSIX>
FORCE_INLINE uint32_t get_semaphore(uint32_t id) {
  static_assert(type == ProgrammableCoreType::TENSIX, "Kerr runs kernels on Tensix tiles");
  KERR_USES(kerr::device::Use::Semaphore, id);
  return kerr_entry.semaphores + 16 * id;
}

/// A semaphore of this tile: sets it, waits until it has a value, or waits until it has at least that value.
FORCE_INLINE void noc_semaphore_set(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) { *semaphore = value; }
FORCE_INLINE void noc_semaphore_wait(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) {
  do invalidate_l1_cache();
  while (*semaphore != value);
}
FORCE_INLINE void noc_semaphore_wait_min(volatile tt_l1_ptr uint32_t* semaphore, uint32_t value) {
  do invalidate_l1_cache();
  while (*semaphore < value);
}

namespace kerr::device {

FORCE_INLINE void increment(uint32_t noc, uint64_t address, uint32_t by, uint32_t control, uint32_t receivers) {
  const CommandBuffer buffer = free_buffer(noc, write_at_cmd_buf);
  buffer.set_target(address);
  buffer.set(niu::kCtrl, control);
  buffer.set(niu::kAtLenBe, niu::atomic_increment(low_of(address)));
  buffer.set(niu::kAtData, by);
  buffer.issue();
  issued(kAtomicAcks, noc) += receivers;
}

}  // namespace kerr::device

/// Adds to a semaphore of another tile. `posted` is taken and ignored: a posted increment could stop the receiver
/// (noc.md 3.8).
template <bool posted = false>
FORCE_INLINE void noc_semaphore_inc(uint64_t addr, uint32_t incr, uint8_t noc = noc_index,
                                    uint8_t vc = NOC_UNICAST_WRITE_VC) {
  using namespace kerr::device;
  increment(noc, addr, incr, niu::kCtrlAtomic | niu::kCtrlRespMarked | niu::ctrl_static_vc(vc), 1);
}
FORCE_INLINE void noc_semaphore_inc_multicast(uint64_t addr, uint32_t incr, uint32_t num_dests, uint8_t noc = noc_index,
                                              uint8_t vc = NOC_MULTICAST_WRITE_VC) {
  using namespace kerr::device;
  increment(
      noc, addr, incr,
      niu::kCtrlAtomic | niu::kCtrlRespMarked | niu::kCtrlBroadcast | niu::kCtrlPathReserve | niu::ctrl_static_vc(vc),
      num_dests);
}

/// Copies a word of this tile's L1 to a semaphore of another tile, or of all tiles of a rectangle.
FORCE_INLINE void noc_semaphore_set_remote(uint32_t src_local_l1_addr, uint64_t dst_noc_addr, uint8_t noc = noc_index) {
  using namespace kerr::device;
  write_packet(noc, write_reg_cmd_buf, niu::kCtrlWordWrite, src_local_l1_addr, dst_noc_addr, 4);
  count_writes(noc, false);
}
FORCE_INLINE void noc_semaphore_set_multicast(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                              uint32_t num_dests, bool linked = false, uint8_t noc = noc_index) {
  using namespace kerr::device;
  multicast_packet(noc, write_reg_cmd_buf, multicast_control(linked, false), src_local_l1_addr, dst_noc_addr_multicast,
                   4, num_dests);
}
FORCE_INLINE void noc_semaphore_set_multicast_loopback_src(uint32_t src_local_l1_addr, uint64_t dst_noc_addr_multicast,
                                                           uint32_t num_dests, bool linked = false,
                                                           uint8_t noc = noc_index) {
  using namespace kerr::device;
  multicast_packet(noc, write_reg_cmd_buf, multicast_control(linked, true), src_local_l1_addr, dst_noc_addr_multicast,
                   4, num_dests);
}

/// Waits until a register or a word has a value.
FORCE_INLINE void wait_for_sync_register_value(uintptr_t addr, int32_t value) {
  do invalidate_l1_cache();
  while (kerr::device::load<int32_t>(addr) != value);
}

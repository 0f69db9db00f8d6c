// One transaction of a NIU: its command buffers, the counters that barriers compare, addresses.
// docs/hardware/noc.md 2, 3, 5.3
#pragma once

#include "arch/noc_registers.hpp"
#include "device/access.hpp"
#include "device/entry.hpp"
#include "device/uses.hpp"

#ifndef NOC_INDEX
#error "kerr_add_kernel says by NOC_INDEX which NoC a kernel uses"
#endif

inline constexpr uint8_t noc_index = NOC_INDEX;
inline constexpr uint8_t DM_DEDICATED_NOC = 0, DM_DYNAMIC_NOC = 1;
inline constexpr uint8_t noc_mode = DM_DEDICATED_NOC;

inline constexpr uint32_t NUM_NOCS = 2;
inline constexpr uint32_t NOC_MAX_BURST_SIZE = kerr::arch::niu::kMaxPacketBytes;
inline constexpr uint32_t NOC_UNICAST_WRITE_VC = kerr::arch::niu::kUnicastVc;
inline constexpr uint32_t NOC_MULTICAST_WRITE_VC = kerr::arch::niu::kMulticastVc;

// Who uses which command buffer.                                                      docs/hardware/noc.md 2.2
inline constexpr uint32_t write_cmd_buf = 0, read_cmd_buf = 1, write_reg_cmd_buf = 2, write_at_cmd_buf = 3;

namespace kerr::device {

namespace niu = arch::niu;

// What was issued since the kernel began, on top of what base firmware found in the NIU; [noc].
// arch/kernel_abi.hpp
enum Issued : uint32_t { kReads, kWrites, kWriteAcks, kAtomicAcks, kPostedWrites };
FORCE_INLINE uint32_t& issued(Issued kind, uint32_t noc) {
  return reinterpret_cast<uint32_t*>(kAbi.noc_counters)[2 * kind + noc];
}

FORCE_INLINE uint32_t counter(uint32_t noc, int index) {
  return load(arch::niu_counter_address(static_cast<int>(noc), index));
}

// A NoC address is coordinates << 36 | address; bit 60 belongs to the address (PCIe).
inline constexpr uint32_t kCoordinateShift = 36;
FORCE_INLINE uint32_t low_of(uint64_t address) { return static_cast<uint32_t>(address); }
FORCE_INLINE uint32_t mid_of(uint64_t address) { return static_cast<uint32_t>(address >> 32) & 0x1000'000F; }
FORCE_INLINE uint32_t tile_of(uint64_t address) {
  return static_cast<uint32_t>(address >> kCoordinateShift) & 0xFF'FFFF;
}

struct CommandBuffer {
  uint32_t base;

  FORCE_INLINE CommandBuffer(uint32_t noc, uint32_t buffer)
      : base(arch::niu_address(static_cast<int>(noc), static_cast<int>(buffer), 0)) {}

  FORCE_INLINE bool is_free() const { return load(base + niu::kCmdCtrl) == 0; }
  FORCE_INLINE void set(uint32_t offset, uint32_t value) const { store(base + offset, value); }
  /// The tile of TARG_ADDR, and all of it; RET_ADDR likewise.
  FORCE_INLINE void set_target_tile(uint64_t address) const {
    set(niu::kTargAddrMid, mid_of(address));
    set(niu::kTargAddrHi, tile_of(address));
  }
  FORCE_INLINE void set_target(uint64_t address) const {
    set(niu::kTargAddrLo, low_of(address));
    set_target_tile(address);
  }
  FORCE_INLINE void set_return_tile(uint64_t address) const {
    set(niu::kRetAddrMid, mid_of(address));
    set(niu::kRetAddrHi, tile_of(address));
  }
  FORCE_INLINE void set_return(uint64_t address) const {
    set(niu::kRetAddrLo, low_of(address));
    set_return_tile(address);
  }
  FORCE_INLINE void issue() const { set(niu::kCmdCtrl, niu::kCmdCtrlIssue); }
};

/// A command buffer whose registers may be written: the NIU has taken what was issued by it.
FORCE_INLINE CommandBuffer free_buffer(uint32_t noc, uint32_t number) {
  const CommandBuffer buffer(noc, number);
  while (!buffer.is_free()) {
  }
  return buffer;
}

}  // namespace kerr::device

FORCE_INLINE bool ncrisc_noc_fast_read_ok(uint32_t noc, uint32_t buffer) {
  return kerr::device::CommandBuffer(noc, buffer).is_free();
}
FORCE_INLINE bool noc_cmd_buf_ready(uint32_t noc, uint32_t buffer) { return ncrisc_noc_fast_read_ok(noc, buffer); }

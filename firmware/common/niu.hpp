#pragma once

#include <stdint.h>

#include "arch/noc_registers.hpp"
#include "firmware/common/access.hpp"

// One command buffer of one NIU.                                                  docs/hardware/noc.md 2.2, 3.1
namespace kerr::firmware {

namespace niu = arch::niu;

// Who uses which of the four buffers in dedicated mode (noc.md 2.2).
inline constexpr int kWriteBuffer = 0;
inline constexpr int kReadBuffer = 1;
inline constexpr int kSmallWriteBuffer = 2;
inline constexpr int kAtomicBuffer = 3;

struct CommandBuffer {
  uint32_t base;

  constexpr CommandBuffer(int noc, int buffer) : base(arch::niu_address(noc, buffer, 0)) {}

  [[gnu::always_inline]] void set(uint32_t offset, uint32_t value) const { store(base + offset, value); }
  [[gnu::always_inline]] void wait_accepted() const {
    while (load(base + niu::kCmdCtrl) != 0) fence();
  }
  [[gnu::always_inline]] void issue() const { store(base + niu::kCmdCtrl, niu::kCmdCtrlIssue); }
};

inline uint32_t counter(int noc, int index) { return load(arch::niu_counter_address(noc, index)); }

// State in which every kernel finds the buffers: own coordinate wherever a response goes.       tile.md 7.6 step 19
inline void init_command_buffers(int noc, uint32_t own_xy, uint32_t atomic_return) {
  constexpr int write_buffers[] = {kWriteBuffer, kSmallWriteBuffer};
  for (int b : write_buffers) {
    const CommandBuffer buffer(noc, b);
    buffer.wait_accepted();
    buffer.set(niu::kTargAddrMid, 0);
    buffer.set(niu::kTargAddrHi, own_xy);
  }
  const CommandBuffer atomic(noc, kAtomicBuffer);
  atomic.wait_accepted();
  atomic.set(niu::kRetAddrLo, atomic_return);
  atomic.set(niu::kRetAddrMid, 0);
  atomic.set(niu::kRetAddrHi, own_xy);
  const CommandBuffer read(noc, kReadBuffer);
  read.wait_accepted();
  read.set(niu::kCtrl, niu::kCtrlWordRead);
  read.set(niu::kRetAddrMid, 0);
  read.set(niu::kRetAddrHi, own_xy);
}

}  // namespace kerr::firmware

// Waiting: of the hart for its thread, of threads for each other, and which units STALLWAIT holds back until when.
// docs/hardware/kernels.md 1.3, 2.7, tile.md 4
#pragma once

#include "arch/sync.hpp"
#include "device/tensix/issue.hpp"

namespace kerr::device {

// STALLWAIT and SEMWAIT: what is held back ...
namespace stall {
inline constexpr uint32_t kTdma = 0x1, kSync = 0x2, kPack = 0x4, kUnpack = 0x8, kXmov = 0x10, kThcon = 0x20;
inline constexpr uint32_t kMath = 0x40, kCfg = 0x80, kSfpu = 0x100;
}  // namespace stall
// ... and until what has happened.
namespace until {
inline constexpr uint32_t kThcon = 0x1, kUnpack0 = 0x2, kUnpack1 = 0x4, kPack0 = 0x8, kMath = 0x10;
inline constexpr uint32_t kSrcAClear = 0x20, kSrcBClear = 0x40, kSrcAValid = 0x80, kSrcBValid = 0x100;
inline constexpr uint32_t kXmov = 0x200, kTriscCfg = 0x400, kSfpu = 0x800, kCfgUnit = 0x1000;
}  // namespace until
// SEMWAIT waits while the semaphore is zero, or at its maximum.
inline constexpr uint32_t kWhileZero = 1, kWhileMax = 2;

/// Holds `units` of the thread back until `condition`.
[[gnu::always_inline]] inline void stall_wait(uint32_t units, uint32_t condition) {
  issue(tensix::STALLWAIT().wait_res(condition).stall_res(units));
}

using arch::Semaphore;
constexpr uint32_t semaphore_bit(Semaphore semaphore) { return 1u << static_cast<uint32_t>(semaphore); }
constexpr uint32_t semaphore_window(Semaphore semaphore) {
  return arch::semaphore_address(static_cast<int>(semaphore));
}

// By the thread, behind what it has issued before.
[[gnu::always_inline]] inline void post_semaphore(Semaphore semaphore) {
  issue(tensix::SEMPOST().sem_sel(semaphore_bit(semaphore)));
}
[[gnu::always_inline]] inline void get_semaphore(Semaphore semaphore) {
  issue(tensix::SEMGET().sem_sel(semaphore_bit(semaphore)));
}
[[gnu::always_inline]] inline void init_semaphore(Semaphore semaphore, uint32_t value, uint32_t most) {
  issue(tensix::SEMINIT().sem_sel(semaphore_bit(semaphore)).init_value(value).max_value(most));
}
[[gnu::always_inline]] inline void wait_semaphore(Semaphore semaphore, uint32_t while_what, uint32_t units) {
  issue(tensix::SEMWAIT().wait_sem_cond(while_what).sem_sel(semaphore_bit(semaphore)).stall_res(units));
}

// By the hart, at once.
[[gnu::always_inline]] inline uint32_t semaphore_value(Semaphore semaphore) {
  return mmio(semaphore_window(semaphore));
}
[[gnu::always_inline]] inline void post_semaphore_at_once(Semaphore semaphore) {
  mmio(semaphore_window(semaphore)) = 0;
}

namespace detail {
// TTSync answers the load when nothing of that kind is left. The hart goes on behind a load until somebody uses its
// value.
[[gnu::always_inline]] inline void wait_until_idle(uint32_t what) {
  mmio(what) = 0;
  uint32_t value = mmio(what);
  asm volatile("andi %0, %0, 0" : "+r"(value));
}
}  // namespace detail

/// Until everything that this hart has issued is done.
[[gnu::always_inline]] inline void drain() { detail::wait_until_idle(arch::kTtSyncThreadIdle); }
/// Until its MOP expander has nothing to do: before its words are written.
[[gnu::always_inline]] inline void wait_mop_idle() { detail::wait_until_idle(arch::kTtSyncMopIdle); }

}  // namespace kerr::device

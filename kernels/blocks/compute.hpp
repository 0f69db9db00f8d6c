// What TRISC kernels are made of: stores into the coprocessor's windows, polls, MOP configuration, circular buffers.
// docs/hardware/kernels.md 1.7, 2.6
#pragma once

#include <array>
#include <cstdint>

#include "arch/sync.hpp"
#include "isa/tensix/names.hpp"
#include "kernels/blocks/flow.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

// Hardware semaphores by their usual use.   docs/hardware/kernels.md 2.7
inline constexpr auto kSemMathPack = static_cast<uint32_t>(arch::Semaphore::MathPack);
inline constexpr auto kSemUnpackToDst = static_cast<uint32_t>(arch::Semaphore::UnpackToDest);
inline constexpr auto kSemUnpackSync = static_cast<uint32_t>(arch::Semaphore::UnpackSync);
inline constexpr auto kSemMathDone = static_cast<uint32_t>(arch::Semaphore::MathDone);

// STALLWAIT and SEMWAIT: what is held back, and what is waited for.   docs/hardware/kernels.md 1.3
namespace stall = isa::tensix::stall;
namespace until = isa::tensix::wait;

/// Where a hardware semaphore is in the window of Windows::sync.
constexpr int32_t in_sync_window(uint32_t semaphore) {
  return static_cast<int32_t>(arch::semaphore_address(static_cast<int>(semaphore)) - arch::kPcBufBase);
}

/// Registers of the kernel that hold the bases of windows for as long as they are used; zero for one that never is.
struct Windows {
  isa::Reg config;  // FFEF0000
  isa::Reg push;    // FFE40000
  isa::Reg sync;    // FFE80000: TTSync and semaphores

  void open(Caller a) const;
};

/// The nine words of the MOP expander, after it has become idle; equal ones together.
void configure_mop(Caller a, const Windows& w, const std::array<uint32_t, 9>& words, isa::Reg temp = isa::reg::t0,
                   isa::Reg address = isa::reg::t1);

/// The same where no MOP can be under way: behind drain().
void configure_idle_mop(Caller a, const std::array<uint32_t, 9>& words, isa::Reg temp = isa::reg::t0,
                        isa::Reg address = isa::reg::t1);

/// Sets both words of MOPs of type 0: one for clear bits of the mask, one for set bits. Clobbers t0, t1.
void configure_masked_mop(Caller a, const Windows& w, uint32_t clear, uint32_t set);

/// Waits until everything that this hart has pushed is done. Clobbers t0.
void drain(Caller a, const Windows& w);

/// Behind what the thread has issued before.
void post_semaphore(Caller a, uint32_t semaphore);
void get_semaphore(Caller a, uint32_t semaphore);

/// Waits until the semaphore's value is below `limit` >= 1. Clobbers t0, t1.
void wait_semaphore_below(Caller a, const Windows& w, uint32_t semaphore, uint32_t limit);

/// Pushes `base` | `field` << shift, where `field` is a register (neither t0 nor t1). Clobbers t0 and t1.
void push_with_field(Caller a, const Windows& w, uint32_t base, isa::Reg field, int shift);

uint32_t tensix_nop();

/// One end of a circular buffer on TRISC0 (consumer) or TRISC2 (producer): addresses and sizes in units of 16 bytes.
/// The counter moves by STOREREG, behind the unpacks or packs that were pushed before.
struct ComputeBuffer {
  uint8_t id = 0;
  uint32_t pages = 0;
  isa::Reg pointer, moved, interface;  // moved: how many pages this end has popped or pushed
  Flow flow = Flow::Around;            // Once: `moved` is not used

  void open_for_reading(Caller a) const;
  void open_for_writing(Caller a) const;
  void wait_front(Caller a, uint32_t n) const;    // clobbers t0 to t2
  void reserve_back(Caller a, uint32_t n) const;  // clobbers t0 to t2
  /// `gpr`: a Tensix GPR whose upper half is 0. Clobbers t0, t1.
  void pop_front(Caller a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr) const;
  void push_back(Caller a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr) const;

 private:
  void open(Stream& a, int pointer_offset) const;
  void publish(Stream& a, const Windows& w, uint32_t n, uint32_t page16, uint32_t gpr, uint32_t wait,
               int counter_register) const;
};

}  // namespace kerr::kernels

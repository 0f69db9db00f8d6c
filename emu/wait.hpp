// What an agent of a tile can wait for, and the one call that every change of such a thing makes.
// docs/architecture.md "Nothing spins"
#pragma once

#include <cstdint>
#include <string>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"

namespace kerr::emu {

/// A set of things inside one tile whose change can release a waiting agent. What harts poll is coarse: a needless
/// wake-up costs a little time and changes nothing, a missed one is a bug. What coprocessor threads wait for is exact,
/// so that a blocked thread is looked at again only when that has changed; of streams, eight share a bit.
using WaitMask = uint64_t;

namespace wait {
inline constexpr WaitMask kL1 = 1u << 0;   // a watched line of L1 (the line attribute is the precise part)
inline constexpr WaitMask kNiu = 1u << 2;  // NIU counters and registers, both NoCs
inline constexpr WaitMask kMailbox = 1u << 3;
inline constexpr WaitMask kPcBuf = 1u << 4;
inline constexpr WaitMask kConfig = 1u << 7;  // backend configuration
inline constexpr WaitMask kGpr = 1u << 8;
// Control / debug / status, PIC, PC snapshot, other harts' local memory.
inline constexpr WaitMask kDebugRegisters = 1u << 9;
inline constexpr WaitMask kTdma = 1u << 10;
inline constexpr WaitMask kSrcA = 1u << 11;  // hand-over of a SrcA bank, either way
inline constexpr WaitMask kSrcB = 1u << 12;
inline constexpr WaitMask kUnitIdle = 1u << 13;                      // a unit of the coprocessor became idle
inline constexpr WaitMask kDst = 1u << 14;                           // the Dst window
constexpr WaitMask fifo(int thread) { return 1u << (16 + thread); }  // room, or a word, in a thread's FIFO
constexpr WaitMask thread_idle(int thread) { return 1u << (20 + thread); }
constexpr WaitMask mop_idle(int thread) { return 1u << (24 + thread); }
inline constexpr WaitMask kTime = 1u << 28;                               // nothing but time passing
constexpr WaitMask in_flight(int thread) { return 1u << (29 + thread); }  // an instruction of the thread has executed
constexpr WaitMask semaphore(unsigned index) { return WaitMask{1} << (32 + index % 8); }
constexpr uint8_t semaphores(WaitMask mask) { return static_cast<uint8_t>(mask >> 32); }  // a bit each
constexpr WaitMask mutex(unsigned index) { return WaitMask{1} << (40 + index % 8); }
constexpr WaitMask stream(unsigned index) { return WaitMask{1} << (48 + index % 8); }  // its registers
}  // namespace wait

/// A text such as "SrcA, semaphore".
std::string names(WaitMask mask);

/// Wakes the tile's agents. Code that changes something that an agent may wait for calls about_to_change first: parked
/// harts are brought to where spinning would have left them, blocked agents become runnable, and only then the change
/// happens.
class WaitBoard {
 public:
  void about_to_change(WaitMask what) {
    if (armed_ & what) wake(what);
  }
  /// An agent is released from reset at `now`, the cycle of the agent that does it. Returns when its first step is.
  virtual Cycle start_of(Agent, Cycle now) { return now; }
  /// RISCV_IC_INVALIDATE was written: a bit for each hart, in the order of arch::kIcInvalidateBit.
  virtual void invalidate_code([[maybe_unused]] uint32_t harts) {}
  /// A line of L1 whose attribute has L1::kWatched is about to be written.
  void about_to_write_watched_line(uint32_t line) { wake_line(line); }

 protected:
  ~WaitBoard() = default;
  virtual void wake(WaitMask what) = 0;
  virtual void wake_line(uint32_t line) = 0;
  WaitMask armed_ = 0;  // union of what all parked and blocked agents wait for
};

}  // namespace kerr::emu

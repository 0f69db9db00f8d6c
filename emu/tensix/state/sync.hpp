// Semaphores and mutexes of the sync unit.   docs/hardware/tensix-datapath.md 5.4, 5.5; tile.md 4.4
#pragma once

#include <array>
#include <cstdint>

#include "arch/sync.hpp"
#include "emu/agent.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

struct Semaphore {
  uint8_t value = 0;
  uint8_t max = 0;
  void serialize(Archive& a) {
    a.below(16, value);
    a.below(16, max);
  }
};

class Semaphores {
 public:
  static constexpr unsigned kCount = arch::kSemaphores;

  explicit Semaphores(WaitBoard& board) : board_(board) {}

  const Semaphore& operator[](unsigned index) const { return semaphores_[index % kCount]; }

  void init(unsigned index, unsigned value, unsigned max) {
    board_.about_to_change(wait::semaphore(index));
    semaphores_[index % kCount] = {static_cast<uint8_t>(value & 15), static_cast<uint8_t>(max & 15)};
  }
  void post(unsigned index) {
    Semaphore& s = semaphores_[index % kCount];
    if (s.value >= arch::kSemaphoreMax) return;
    board_.about_to_change(wait::semaphore(index));
    ++s.value;
  }
  void get(unsigned index) {
    Semaphore& s = semaphores_[index % kCount];
    if (s.value == 0) return;
    board_.about_to_change(wait::semaphore(index));
    --s.value;
  }
  /// A hart's store: bit 0 says whether it is a get or a post (tile.md 4.4).
  void store(unsigned index, uint32_t value) { (value & 1) != 0 ? get(index) : post(index); }

  void serialize(Archive& a) { a(semaphores_); }

 private:
  WaitBoard& board_;
  std::array<Semaphore, kCount> semaphores_{};
};

/// Blackhole has mutexes 0, 2, 3 and 4.
class Mutexes {
 public:
  static constexpr unsigned kCount = 5;
  static constexpr bool exists(unsigned index) { return index < kCount && index != 1; }

  explicit Mutexes(WaitBoard& board) : board_(board) {}

  /// True if `thread` holds it now; otherwise the thread is noted as waiting. Holding it already succeeds.
  bool acquire(int thread, unsigned index) {
    Mutex& m = mutexes_[index];
    if (m.holder == thread) return true;
    if (m.holder != kFree) {
      m.waiting |= bit(thread);
      return false;
    }
    board_.about_to_change(wait::mutex(index));
    m.holder = static_cast<int8_t>(thread);
    return true;
  }
  /// By the holder: goes to the next waiting thread, round robin. By anyone else: nothing.
  void release(int thread, unsigned index) {
    Mutex& m = mutexes_[index];
    if (m.holder != thread) return;
    board_.about_to_change(wait::mutex(index));
    m.holder = kFree;
    for (int step = 1; step < kThreads; ++step) {
      const int next = (thread + step) % kThreads;
      if (!(m.waiting & bit(next))) continue;
      m.waiting &= static_cast<uint8_t>(~bit(next));
      m.holder = static_cast<int8_t>(next);
      return;
    }
  }
  int holder(unsigned index) const { return mutexes_[index].holder; }  // -1: free
  void serialize(Archive& a) { a(mutexes_); }

 private:
  static constexpr int8_t kFree = -1;
  static constexpr uint8_t bit(int thread) { return static_cast<uint8_t>(1u << thread); }
  struct Mutex {
    int8_t holder = kFree;
    uint8_t waiting = 0;  // one bit a thread
    void serialize(Archive& a) {
      a(holder);
      a.require(holder >= kFree && holder < kThreads, "a mutex is held by a thread that does not exist");
      a.below(1u << kThreads, waiting);
    }
  };

  WaitBoard& board_;
  std::array<Mutex, kCount> mutexes_{};
};

}  // namespace kerr::emu::tensix

#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

/// A ring of `N` words, N a power of two. Each has the time at which it was pushed (PushClock).
template <unsigned N>
class Fifo {
  static_assert((N & (N - 1)) == 0);

 public:
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == N; }
  unsigned size() const { return count_; }
  void clear() { first_ = count_ = 0; }
  /// Precondition: not full().
  void push(uint32_t word, Cycle time) {
    assert(!full());
    const unsigned at = (first_ + count_++) % N;
    words_[at] = word;
    times_[at] = time;
  }
  /// The time of the word that pop() will give. Precondition: not empty().
  Cycle time() const { return times_[first_]; }
  /// Precondition: not empty().
  uint32_t pop() {
    assert(!empty());
    const uint32_t word = words_[first_];
    first_ = (first_ + 1) % N;
    --count_;
    return word;
  }
  void serialize(Archive& a) {
    a(words_, times_);
    a.below(N, first_);
    a.below(N + 1, count_);
  }
  uint32_t operator[](unsigned i) const { return words_[(first_ + i) % N]; }

 private:
  std::array<uint32_t, N> words_{};
  std::array<Cycle, N> times_{};
  unsigned first_ = 0;
  unsigned count_ = 0;
};

}  // namespace kerr::emu::tensix

// A small queue of words with a fixed depth.
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

template <unsigned kDepth>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kDepth; }
  unsigned size() const { return size_; }
  void clear() { size_ = 0; }
  /// Not full.
  void push(uint32_t value) { words_[(first_ + size_++) % kDepth] = value; }
  /// Not empty.
  uint32_t pop() {
    const uint32_t value = words_[first_];
    first_ = (first_ + 1) % kDepth;
    --size_;
    return value;
  }
  void serialize(Archive& a) {
    a(words_);
    a.below(kDepth, first_);
    a.below(kDepth + 1, size_);
  }
  /// The i-th word from the front, i < size().
  uint32_t at(unsigned i) const { return words_[(first_ + i) % kDepth]; }

 private:
  std::array<uint32_t, kDepth> words_{};
  unsigned first_ = 0;
  unsigned size_ = 0;
};

}  // namespace kerr::emu

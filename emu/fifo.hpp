// A small queue with a fixed depth.
#pragma once

#include <array>
#include <cassert>
#include <cstdint>

namespace kerr::emu {

template <unsigned kDepth, class T = uint32_t>
class Fifo {
 public:
  bool empty() const { return size_ == 0; }
  bool full() const { return size_ == kDepth; }
  unsigned size() const { return size_; }
  void clear() { first_ = size_ = 0; }
  /// Not full.
  void push(const T& value) {
    assert(!full());
    values_[(first_ + size_++) % kDepth] = value;
  }
  /// Not empty.
  T pop() {
    assert(!empty());
    const unsigned at = first_;
    first_ = (first_ + 1) % kDepth;
    --size_;
    return values_[at];
  }
  /// The i-th from the front, i < size().
  const T& operator[](unsigned i) const { return values_[(first_ + i) % kDepth]; }

  template <class Archive>
  void serialize(Archive& a) {
    a(values_);
    a.below(kDepth, first_);
    a.below(kDepth + 1, size_);
  }

 private:
  std::array<T, kDepth> values_{};
  unsigned first_ = 0;
  unsigned size_ = 0;
};

}  // namespace kerr::emu

// How many requests may be outstanding under each transaction id.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace kerr::check {

/// The most that there may be, by what was issued and what anybody has waited for. Id 0 is left out: all requests have
/// it whose issuer does not say another, and nobody looks at its count.
class OutstandingIds {
 public:
  static constexpr uint32_t kMost = 255;  // the counter has 8 bits. docs/hardware/noc.md 5.1

  /// A request that is answered. True: now there may be one too many; told once, until the next wait.
  bool issued(int id) { return id != 0 && ++most_[static_cast<size_t>(id)] == kMost + 1; }
  /// Somebody knows that there were at most `count`.
  void at_most(int id, uint32_t count) {
    uint32_t& most = most_[static_cast<size_t>(id)];
    if (most > count) most = count;
  }
  void none() { most_ = {}; }

  /// The greatest count with which a wait ends that has ended with `count`: leaves(count) is true of it.
  template <class Leaves>
  static uint32_t most_that_leaves(uint32_t count, Leaves leaves) {
    uint32_t stays = kMost;
    if (count >= kMost || leaves(kMost) == true) return kMost;
    while (stays - count > 1) {
      const uint32_t middle = count + (stays - count) / 2;
      (leaves(middle) == true ? count : stays) = middle;
    }
    return count;
  }

 private:
  std::array<uint32_t, 16> most_{};
};

}  // namespace kerr::check

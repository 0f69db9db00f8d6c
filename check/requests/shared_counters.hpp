// Harts that use one counter of an NIU.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "check/stamp.hpp"

namespace kerr::check {

/// What BRISC and NCRISC have done in this launch with the counters that requests move.
class SharedCounters {
 public:
  static constexpr int kHarts = 2;
  enum class Counter : uint8_t { Reads, Writes, PostedWrites, Acknowledgements, Atomics };
  static constexpr int kCounters = 5;

  struct Use {
    Stamp moved;        // by the hart's last request
    Stamp waited;       // for its equality, last
    uint32_t pc = ~0u;  // of the last wait, and whether it is for equality
    bool is_equality = false;
  };

  /// The counter at an index of the NIU (arch::niu); nothing: no request moves it, or each id has its own.
  static std::optional<Counter> of_index(int index);
  /// That a request of this kind moves; a write with an answer moves acknowledgements too.
  static Counter of_class(Class c);

  Use& use(int noc, Counter c, int hart) {
    return uses_[static_cast<size_t>(noc)][static_cast<size_t>(c)][static_cast<size_t>(hart)];
  }
  /// The last request of the hart in this launch that has moved the counter; nullptr: none.
  const Stamp* last_request(int noc, Counter c, int hart) {
    if (hart >= kHarts) return nullptr;
    const Stamp& last = use(noc, c, hart).moved;
    return last.part == Part::Nobody ? nullptr : &last;
  }
  /// Whether the wait at `pc` is for equality: test() says so.
  template <class Test>
  bool is_equality(int noc, Counter c, int hart, uint32_t pc, Test test) {
    Use& u = use(noc, c, hart);
    if (u.pc != pc) {
      u.is_equality = test();
      u.pc = pc;
    }
    return u.is_equality;
  }
  /// A launch begins. `alone`: each hart counts its own requests; else they count together (arch::NocMode::Dynamic).
  void begin(bool alone) {
    uses_ = {};
    alone_ = alone;
  }
  /// Each hart counts its own requests, so the counts of two on one NoC are wrong.
  bool alone() const { return alone_; }

 private:
  std::array<std::array<std::array<Use, kHarts>, kCounters>, 2> uses_{};
  bool alone_ = false;
};

}  // namespace kerr::check

// Registers that follow an index through a loop: what is affine in the variable of the innermost loop is added to, not
// computed anew.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "loops/scalar/builder.hpp"

namespace kerr::loops::scalar {

/// An element's index: a value, and how it changes in the loop that is open, if that is known.
struct Index {
  RegId low = kZero, high = kZero;
  uint32_t level = 0;  // how many loops it is made in
  bool linear = false;
  RegId base = kZero;  // low is base + constant + step * (iterations so far), modulo 2^32; base is made before the loop
  uint32_t constant = 0, step = 0;
};

class Pointers {
 public:
  explicit Pointers(Builder& builder) : b_(builder) {}

  /// Around each loop that is opened and closed in the builder. One that is not counted has no variable; a short one
  /// ends before a stream of loads is worth its beginning.
  void open(bool counted, bool is_short = false);
  /// At the end of the body.
  void advance();
  /// Behind the loop, if it has run.
  void close();
  void enter_if() { ++loops_.back().ifs; }
  void leave_if() { --loops_.back().ifs; }
  bool in_if() const { return loops_.back().ifs != 0; }

  /// A register that holds start + (index - constant) * unit, or kZero if it cannot, or there are too many.
  RegId follow(RegId start, const Index& index, uint32_t unit);

  /// The address in L1 of an element of a stream, while it is below `end`; from there on `position` + `delta` is the
  /// offset.
  struct Window {
    RegId position = kZero, end = kZero, delta = kZero;
    bool is_new = false;
    uint32_t line = 0;  // whose of the caller's lines
  };
  /// nullptr if it cannot, or there are too many.
  Window* window(RegId start, const Index& index, uint32_t unit, bool store);
  /// Steps behind the loop.
  void at_end(std::function<void()> steps) { loops_.back().at_end.push_back(std::move(steps)); }
  uint32_t serial() const { return loops_.empty() ? 0 : loops_.back().serial; }

 private:
  static constexpr size_t kMostPointers = 10, kMostWindows = 5;
  struct Pointer {
    RegId start, base;
    uint32_t unit, step;
    RegId reg;
  };
  struct Stream {
    RegId start, base;
    uint32_t constant, unit, step;
    bool store;
    Window window;
  };
  struct Loop {
    uint32_t serial;
    bool counted;
    uint32_t ifs = 0;
    bool is_short = false;
    std::vector<Pointer> pointers;
    std::vector<Stream> streams;
    std::vector<std::function<void()>> at_end;
  };
  void add(RegId reg, uint32_t step);

  Builder& b_;
  std::vector<Loop> loops_{{0, false, 0, false, {}, {}, {}}};
  uint32_t opened_ = 0;
};

}  // namespace kerr::loops::scalar

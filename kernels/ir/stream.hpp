// A hart's instruction stream while it is written: the instructions, and beside them how often it does what other streams wait
// for. From the latter a program is verified before it runs.   docs/hardware/kernels.md 1.7, 2.6
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::kernels {

/// How often something happens: a number times the values of runtime arguments (byte offsets from the RTA base).
struct Times {
  std::uint64_t constant = 1;
  std::vector<int> arguments;
};

struct Effect {
  enum class Kind : std::uint8_t {
    Reserve,
    Push,
    Wait,
    Pop,  // `amount` pages of circular buffer `id`
    Post,
    Get,  // of the Tensix semaphore `id`
    Signal,  // raises semaphore `id` of the program by 1 on the `amount` tiles that the runtime argument at `argument` says
    Await,    // waits until the own one has been raised `amount` times
    Pages,    // takes circular buffer `id` for one of `amount` pages
    Bytes,    // `amount` bytes go into or out of pages of circular buffer `id`
    DstTile,  // tile `amount` of a section of Dst is used
    Dst32,    // sections have 4 tiles instead of 8
  } kind;
  std::uint32_t id = 0, amount = 1;
  Times times{};
  int argument = 0;
};

/// What is done inside repeat() counts as often as the loop turns; loops that are written with labels say it with turns().
class Stream : public isa::Assembler {
 public:
  void note(Effect::Kind kind, std::uint32_t id, std::uint32_t amount = 1, int argument = 0);

  /// `pointer` is in circular buffer `buffer` from now on: what is moved through it counts as its pages.
  void points_into(isa::Reg pointer, std::uint32_t buffer);
  /// Notes bytes that are moved through `pointer`, if it is in a circular buffer.
  void note_bytes(isa::Reg pointer, std::uint32_t bytes);

  /// Calls `body` inside a loop of as many turns as `counter` holds, at least one; `body` must not touch it. The counter was loaded
  /// from the runtime argument at `argument`.
  template <class Body>
  void repeat_argument(isa::Reg counter, int argument, Body&& body) {
    const Turns scope(*this, 1, argument);
    loop(counter, body);
  }
  /// The same of `count` >= 1 turns.
  template <class Body>
  void repeat(isa::Reg counter, std::uint32_t count, Body&& body) {
    const Turns scope(*this, count, kNone);
    li(counter, count);
    loop(counter, body);
  }

  /// Emits nothing: what is noted while the result lives happens `count` times as often, or as often as an argument says. turns_instead(): the innermost loop counts
  /// as so many turns, for what it leaves out in some.
  class Turns {
   public:
    Turns(Stream& stream, std::uint64_t count, int argument, bool instead = false);
    ~Turns();
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

   private:
    Stream& stream_;
    const Times before_, outer_before_;
  };
  [[nodiscard]] Turns turns(std::uint64_t count) { return {*this, count, kNone}; }
  [[nodiscard]] Turns turns_argument(int argument) { return {*this, 1, argument}; }
  [[nodiscard]] Turns turns_instead(std::uint64_t count) { return {*this, count, kNone, true}; }

  const std::vector<Effect>& effects() const { return effects_; }

 private:
  static constexpr int kNone = -1;

  template <class Body>
  void loop(isa::Reg counter, Body&& body) {
    const isa::Label top = here();
    body();
    addi(counter, counter, -1);
    bnez(counter, top);
  }

  std::vector<Effect> effects_;
  std::map<std::uint32_t, std::uint32_t> pointers_;  // by register: the circular buffer it is in
  Times times_, outer_;                              // here, and around the innermost loop
};

/// A finished stream.
struct Kernel {
  isa::Code code;
  std::vector<Effect> effects;

  static Kernel from(const Stream& stream) { return {stream.finish(), stream.effects()}; }
};

}  // namespace kerr::kernels

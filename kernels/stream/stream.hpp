// A hart's instruction stream while it is written: the instructions, and beside them how often it does what other
// streams wait for. From the latter a program is verified before it runs.   docs/hardware/kernels.md 1.7, 2.6
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::kernels {

/// How often something happens: a number times the values of runtime arguments (byte offsets from the RTA base).
struct Times {
  uint64_t constant = 1;
  std::vector<int> arguments;
};

struct Effect {
  enum class Kind : uint8_t {
    Reserve,
    Push,
    Wait,
    Pop,  // `amount` pages of circular buffer `id`
    Post,
    Get,  // of the Tensix semaphore `id`
    // Raises semaphore `id` of the program by 1 on the `amount` tiles that the runtime argument at `argument` says.
    Signal,
    Await,     // waits until the own one has been raised `amount` times
    Pages,     // takes circular buffer `id` for one of `amount` pages
    Straight,  // pushes or pops no more than `amount` pages of circular buffer `id`, all that it has
    Bytes,     // `amount` bytes go into or out of pages of circular buffer `id`
    // `amount` bytes at once from pages of circular buffer `id` to the same ones of the `receivers` tiles that
    // `argument` says.
    Sent,
    Store,  // the hart stores up to `amount` bytes from where a pointer into circular buffer `id` points
    // The ends of a transfer, a page of circular buffer `id` and the address in an argument, are equal modulo `amount`.
    Aligned,
    DstTile,  // tile `amount` of a section of Dst is used
    Dst32,    // sections have 4 tiles instead of 8
    OnHart,   // right only on hart `id`, whose tables it reads
  } kind;
  uint32_t id = 0, amount = 1;
  Times times{};
  int argument = 0;     // byte offset
  bool common = false;  // Aligned: of the arguments that all cores share
  uint32_t receivers = 0;
};

/// What is done inside repeat() counts as often as the loop turns; loops that are written with labels say it with
/// turns().
class Stream : public isa::Assembler {
 public:
  void note(Effect::Kind kind, uint32_t id, uint32_t amount = 1, int argument = 0);

  /// `pointer` is in circular buffer `buffer` from now on: what is moved through it counts as its pages.
  void points_into(isa::Reg pointer, uint32_t buffer);
  /// Notes bytes that are moved through `pointer`, if it is in a circular buffer, between it and what lies at the
  /// address in `base`.
  void note_transfer(isa::Reg pointer, uint32_t bytes, isa::Reg base, uint32_t alignment);
  void note_sent(uint32_t buffer, uint32_t bytes, uint32_t receivers, int argument);

  /// From here on `own` and `common` hold where the runtime arguments begin: what is loaded from there is known as one
  /// of them.
  void arguments_are_in(isa::Reg own, isa::Reg common);

  // As in the assembler, and beside it kept in mind: which registers hold arguments, pointers and constants, what is
  // stored through pointers. li() emits nothing where the register has the value anyway.
  using Where = isa::Assembler::Where;
  void lw(isa::Reg rd, isa::Reg base, int32_t offset = 0, Where w = Where::current());
  void li(isa::Reg rd, int64_t value, Where w = Where::current());
  void mv(isa::Reg rd, isa::Reg rs, Where w = Where::current());
  void sw(isa::Reg source, isa::Reg base, int32_t offset = 0, Where w = Where::current());
  void sh(isa::Reg source, isa::Reg base, int32_t offset = 0, Where w = Where::current());
  void sb(isa::Reg source, isa::Reg base, int32_t offset = 0, Where w = Where::current());

  /// Calls `body` inside a loop of as many turns as `counter` holds, at least one; `body` must not touch it. The
  /// counter was loaded from the runtime argument at `argument`.
  template <class Body>
  void repeat_argument(isa::Reg counter, int argument, Body&& body, Where w = Where::current()) {
    const Turns scope(*this, 1, argument);
    loop(counter, body, w);
  }
  /// The same of `count` >= 1 turns; a single one needs no counter.
  template <class Body>
  void repeat(isa::Reg counter, uint32_t count, Body&& body, Where w = Where::current()) {
    const Turns scope(*this, count, kNone);
    if (count == 1) return body();
    li(counter, count, w);
    loop(counter, body, w);
  }

  /// Calls `body`, which emits code that is entered only at its begin and left only at its end: what registers held
  /// that it does not write, they hold behind it.
  template <class Body>
  void closed(Body&& body) {
    const std::map<uint32_t, Constant> before = known_constants();
    body();
    still_known(before);
  }

  /// Emits nothing. While the result lives, what is noted counts `count` times, or as often as an argument says.
  /// turns_instead(): the innermost loop counts as so many turns, for code that it skips in some of them.
  class Turns {
   public:
    Turns(Stream& stream, uint64_t count, int argument, bool instead = false);
    Turns(Stream& stream, uint64_t count, const Times& around);
    ~Turns();
    Turns(const Turns&) = delete;
    Turns& operator=(const Turns&) = delete;

   private:
    Stream& stream_;
    const Times before_, outer_before_;
  };
  [[nodiscard]] Turns turns(uint64_t count) { return {*this, count, kNone}; }
  [[nodiscard]] Turns turns_argument(int argument) { return {*this, 1, argument}; }
  [[nodiscard]] Turns turns_instead(uint64_t count) { return {*this, count, kNone, true}; }
  /// The same where loops are between: `count` times as often as what was noted where times() was `around`.
  [[nodiscard]] Turns turns_instead(uint64_t count, const Times& around) { return {*this, count, around}; }
  const Times& times() const { return times_; }

  const std::vector<Effect>& effects() const { return effects_; }

  /// What enter() has saved and leave() restores (blocks/frame.hpp).
  struct Frame {
    Position first;
    int32_t local_bytes;
  };
  std::optional<Frame> frame;

 private:
  static constexpr int kNone = -1;

  struct Constant {
    uint32_t value;
    Version version;
  };
  std::map<uint32_t, Constant> known_constants() const;
  void still_known(const std::map<uint32_t, Constant>& before);

  template <class Body>
  void loop(isa::Reg counter, Body&& body, Where w) {
    closed([&] {
      const isa::Label top = here({}, w);
      body();
      addi(counter, counter, -1, w);
      bnez(counter, top, w);
    });
  }

  // What a register is known to hold.
  struct Content {
    enum class Kind : uint8_t { Pointer, OwnArguments, CommonArguments, Argument } kind;
    uint32_t buffer = 0;  // Pointer
    int offset = 0;       // Argument
    bool common = false;
  };
  const Content* content(isa::Reg reg, Content::Kind kind) const;
  void holds(isa::Reg reg, std::optional<Content> content);
  void note_store(isa::Reg base, int32_t offset, uint32_t bytes);

  std::vector<Effect> effects_;
  std::map<uint32_t, Constant> constants_;  // by register: what it held at that version
  std::map<uint32_t, Content> contents_;    // by register
  Times times_, outer_;                     // here, and around the innermost loop
};

/// What a building block takes in place of a Stream&: a pointer to the stream, and the line that calls the block. A
/// report names that line before the block's own.
class Caller {
 public:
  using Where = Stream::Where;
  Caller(Stream& stream, Where where = Where::current()) : stream_(stream) {  // NOLINT: a Stream& is passed
    stream_.begin_call(where);
  }
  Caller(const Caller& block, Where where = Where::current()) : Caller(block.stream_, where) {}  // which calls another
  ~Caller() { stream_.end_call(); }
  Caller& operator=(const Caller&) = delete;
  Stream* operator->() const { return &stream_; }
  operator Stream&() const { return stream_; }  // NOLINT

 private:
  Stream& stream_;
};

/// A finished stream.
struct Kernel {
  isa::Code code;
  std::vector<Effect> effects;

  /// Throws std::logic_error behind enter() without leave(): the hart would run on into whatever lies there.
  static Kernel from(const Stream& stream);
};

}  // namespace kerr::kernels

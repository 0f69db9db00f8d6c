// What a unit answers to an instruction.   docs/architecture.md "What an instruction costs", "Faults are values"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "emu/observe/fault.hpp"
#include "emu/observe/remark.hpp"
#include "emu/wait.hpp"

namespace kerr::emu::tensix {

/// Which oddities of the instruction that is executed have been noted (remark.hpp). A unit that finds one which is not
/// in here answers with Issue::odd() and has changed nothing; the issue loop notes it, or faults if it is strict, and
/// executes the instruction again.
///
///   if (i.instr_mod1 > 7 && !tolerance_.has(Oddity::RoundMode)) return Issue::odd(Oddity::RoundMode, i.instr_mod1);
class Tolerance {
 public:
  explicit Tolerance(bool strict = false) : strict_(strict) {}
  bool has(Oddity oddity) const { return noted_ >> static_cast<unsigned>(oddity) & 1; }
  void add(Oddity oddity) { noted_ |= uint64_t{1} << static_cast<unsigned>(oddity); }
  void clear() { noted_ = 0; }
  /// Nothing is tolerated: for what a unit finds where it cannot answer with Issue::odd().
  bool strict() const { return strict_; }
  /// For a unit by itself: nothing is noted.
  static const Tolerance& none() {
    static const Tolerance nothing;
    return nothing;
  }

 private:
  uint64_t noted_ = 0;
  const bool strict_;
};

/// For an exec() that several instructions share.
template <class Instruction, class... Choices>
concept OneOf = (std::is_same_v<Instruction, Choices> || ...);

/// A unit is a class with `Issue exec(int thread, const isa::tensix::X&)` for each instruction X that it knows; the
/// coprocessor finds the function by its type, and an instruction without one faults as Unsupported. exec() is called
/// when the instruction is at the wait gate and no latched wait holds it. It either takes effect as a whole (done)
/// or not at all (wait, fault): a waiting instruction is tried again when one of the named things changes.
///
///   if (!src_a_.fpu_may_read()) return Issue::wait(wait::kSrcA, "SrcA bank of the matrix unit is not valid");
///   ...
///   return Issue::done().wrote_dst(row, 8);
class [[nodiscard]] Issue {
 public:
  enum class Kind : uint8_t { Done, Wait, Fault, Odd };
  struct Problem {
    FaultCategory category;
    std::string what;    // one sentence with the numbers; the coprocessor adds tile, cycle, thread and disassembly
    std::string advice;  // what to do; may be empty
    uint64_t address = 0;
  };

  static Issue done() { return {0, nullptr}; }

  /// `why` is a literal that completes "waits because ...".
  static Issue wait(WaitMask what, const char* why) { return {what, why}; }

  static Issue fault(FaultCategory category, std::string what, std::string advice = {}, uint64_t address = 0) {
    Issue i{0, kFault};
    i.problem_ = std::make_unique<Problem>(Problem{category, std::move(what), std::move(advice), address});
    return i;
  }
  static Issue unsupported(std::string what, std::string advice = {}) {
    return fault(FaultCategory::Unsupported, std::move(what), std::move(advice));
  }
  static Issue undefined(std::string what, std::string advice = {}) {
    return fault(FaultCategory::UndefinedBehavior, std::move(what), std::move(advice));
  }
  /// Silicon takes no notice of `bits`: see Tolerance. Nothing has happened yet.
  static Issue odd(Oddity oddity, uint32_t bits) { return {static_cast<uint64_t>(oddity) << 32 | bits, kOdd}; }
  /// The bus has refused and has reported the fault itself.
  static Issue fault_already_reported() { return {0, kFault}; }

  /// Footprint of what is done: logical rows of Dst that were written.
  Issue&& wrote_dst(unsigned first, unsigned count) && {
    payload_ |= uint64_t{first} << 32 | uint64_t{count} << 48;
    return std::move(*this);
  }

  /// Footprint of what is done: bytes that went between L1 and the unit.
  Issue&& moved(uint32_t bytes) && {
    payload_ |= bytes;
    return std::move(*this);
  }

  Kind kind() const {
    return is_done() ? Kind::Done : why_ == kFault ? Kind::Fault : why_ == kOdd ? Kind::Odd : Kind::Wait;
  }
  bool is_done() const { return why_ == nullptr; }
  WaitMask waits_for() const { return kind() == Kind::Wait ? payload_ : 0; }
  const char* why() const { return kind() == Kind::Wait ? why_ : ""; }
  Oddity oddity() const { return static_cast<Oddity>(payload_ >> 32); }
  uint32_t odd_bits() const { return static_cast<uint32_t>(payload_); }
  const Problem* problem() const { return problem_.get(); }  // nullptr: already reported
  unsigned dst_first() const { return payload_ >> 32 & 0xFFFF; }
  unsigned dst_count() const { return static_cast<unsigned>(payload_ >> 48); }
  uint32_t moved_bytes() const { return static_cast<uint32_t>(payload_); }

 private:
  static constexpr char kFault[] = "of a fault";
  static constexpr char kOdd[] = "of what silicon takes no notice of";

  Issue(uint64_t payload, const char* why) : payload_(payload), why_(why) {}

  // Made for each instruction, so it is small.
  uint64_t payload_;  // done: the footprint, dst_count | dst_first | moved_bytes; waiting: for what
  const char* why_;   // nullptr: done; kFault: a fault; else it waits
  std::unique_ptr<Problem> problem_;
};

}  // namespace kerr::emu::tensix

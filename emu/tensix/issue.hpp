// What a unit answers to an instruction.   docs/architecture.md "Cost is data", "Faults are values"
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "emu/observe/fault.hpp"
#include "emu/observe/wait.hpp"

namespace kerr::emu::tensix {

/// A unit is a class with `Issue exec(int thread, const isa::tensix::X&)` for each instruction X that it knows; the
/// coprocessor finds the function by its type, and an instruction without one faults as Unsupported. exec() is called
/// when the instruction stands at the wait gate with no latched wait that holds it. It either takes effect whole (done)
/// or not at all (wait, fault): a waiting instruction is tried again when one of the named things changes.
///
///   if (!src_a_.fpu_may_read()) return Issue::wait(wait::kSrcA, "SrcA bank of the matrix unit is not valid");
///   ...
///   return Issue::done().wrote_dst(row, 8);
class [[nodiscard]] Issue {
 public:
  enum class Kind : std::uint8_t { Done, Wait, Fault };
  struct Problem {
    FaultCategory category;
    std::string what;    // one sentence with the numbers; the coprocessor adds tile, cycle, thread and disassembly
    std::string advice;  // what to do; may be empty
    std::uint64_t address = 0;
  };

  static Issue done() { return {}; }

  /// `why` is a literal that completes "waits because ...".
  static Issue wait(WaitMask what, const char* why) {
    Issue i;
    i.kind_ = Kind::Wait;
    i.wait_ = what;
    i.why_ = why;
    return i;
  }

  static Issue fault(FaultCategory category, std::string what, std::string advice = {}, std::uint64_t address = 0) {
    Issue i;
    i.kind_ = Kind::Fault;
    i.problem_ = std::make_unique<Problem>(Problem{category, std::move(what), std::move(advice), address});
    return i;
  }
  static Issue unsupported(std::string what, std::string advice = {}) {
    return fault(FaultCategory::Unsupported, std::move(what), std::move(advice));
  }
  static Issue undefined(std::string what, std::string advice = {}) {
    return fault(FaultCategory::UndefinedBehavior, std::move(what), std::move(advice));
  }
  /// The bus has refused and has reported the fault itself.
  static Issue fault_already_reported() {
    Issue i;
    i.kind_ = Kind::Fault;
    return i;
  }

  /// Footprint: logical rows of Dst that were written.
  Issue&& wrote_dst(unsigned first, unsigned count) && {
    dst_first_ = static_cast<std::uint16_t>(first);
    dst_count_ = static_cast<std::uint16_t>(count);
    return std::move(*this);
  }

  /// Footprint: bytes that went between L1 and the unit.
  Issue&& moved(std::uint32_t bytes) && {
    moved_bytes_ = bytes;
    return std::move(*this);
  }

  Kind kind() const { return kind_; }
  bool is_done() const { return kind_ == Kind::Done; }
  WaitMask waits_for() const { return wait_; }
  const char* why() const { return why_; }
  const Problem* problem() const { return problem_.get(); }  // nullptr: already reported
  unsigned dst_first() const { return dst_first_; }
  unsigned dst_count() const { return dst_count_; }
  std::uint32_t moved_bytes() const { return moved_bytes_; }

 private:
  Kind kind_ = Kind::Done;
  std::uint16_t dst_first_ = 0;
  std::uint16_t dst_count_ = 0;
  std::uint32_t moved_bytes_ = 0;
  WaitMask wait_ = 0;
  const char* why_ = "";
  std::unique_ptr<Problem> problem_;
};

}  // namespace kerr::emu::tensix

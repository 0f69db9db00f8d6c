// Values of a program, with all that they depend on, copied into a program that is being made.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "loops/program.hpp"
#include "loops/tiles/maker.hpp"
#include "loops/tiles/reductions.hpp"

namespace kerr::loops::tiles {

class Slice {
 public:
  /// `from` has no variables (bind()). Both must outlive the slice.
  Slice(const Program& from, Maker& to);

  /// What a value, a loop's variable above all, is there: what it is made of is not copied.
  void set(uint32_t value, Operand is);
  /// Loads that depend on one of these loops' variables access memory only if `inside`, a bool.
  void guard(const std::vector<uint32_t>& values, Operand inside);
  /// The value there. It depends on no loop that is not set, and on no register but those of reductions, which are made
  /// anew in the block that is open.
  Operand copy(const Operand& operand);
  /// All guards, together.
  std::optional<Operand> inside() const;
  /// Whether the value that copy() has given depends on all loops with guards.
  bool has_all_guards(const Operand& operand) const;

 private:
  struct Copied {  // a register of a reduction
    uint32_t of, reg;
    uint64_t guards;
  };
  void copy_line(uint32_t at);
  void copy_register(uint32_t load);
  Copied copy_reduction(const Reduction& reduction);
  uint64_t guards_of(uint32_t store) const;  // of what the line stores
  Operand there(const Operand& operand) const { return operand.is_number() ? operand : *is_[operand.value]; }

  const Program& from_;
  Maker& to_;
  std::vector<uint32_t> made_by_;  // line of each value
  const Reductions reductions_;
  std::vector<Copied> registers_;           // in blocks that are open
  std::vector<std::optional<Operand>> is_;  // of each value
  std::vector<uint64_t> guards_of_;         // of each value: bits of guards_
  std::vector<Operand> guards_;
};

/// The line that makes each value; ~0u: none does, it is a variable.
std::vector<uint32_t> lines_of_values(const Program& program);

/// The lines that these values depend on, in order; loops are not followed into their extents, nor values that are
/// `known`.
std::vector<uint32_t> lines_behind(const Program& program, const std::vector<uint32_t>& made_by,
                                   const std::vector<Operand>& values,
                                   const std::function<bool(uint32_t)>& known = nullptr);

/// The program with numbers in place of its variables, and of the integers and truths that it computes of these alone.
Program bind(const Program& program, std::span<const int64_t> numbers);
/// The program with one iteration in place of the loop that begins with a line, and a number in place of its variable.
Program iteration(const Program& bound, uint32_t loop, uint64_t number);

}  // namespace kerr::loops::tiles

// What a program computes in one iteration of its loops, as far as numbers say it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

class Iteration {
 public:
  /// `lines`: those to compute, in order (lines_behind()). Both must outlive it.
  Iteration(const Program& bound, const std::vector<uint32_t>& lines) : bound_(bound), lines_(lines) {
    is_.resize(bound.values.size());
  }
  /// The number of the loop that this line begins.
  void set(uint32_t loop, uint64_t number) { is_[bound_.body[loop].result] = number; }
  /// Behind all set(); anew if one of them is set again.
  void compute();

  /// Nothing: it depends on memory, or on loops that are not set.
  std::optional<uint64_t> of(const Operand& operand) const {
    return operand.is_number() ? operand.bits : is_[operand.value];
  }
  /// The number of the element that is accessed. Nothing: it is not known, or a gate is not known to be open.
  std::optional<int64_t> element(const Instruction& load) const;

 private:
  const Program& bound_;
  const std::vector<uint32_t>& lines_;
  std::vector<std::optional<uint64_t>> is_;
};

}  // namespace kerr::loops::tiles

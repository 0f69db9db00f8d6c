// Loops that add up in a register.
//
//   store f32 r0[0] 0.0                     `begins`
//   for k ... reduce
//     store f32 r0[0] (r0[0] + value)       `adds`
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

struct Sum {
  uint32_t reg = 0;
  uint32_t begins = 0, adds = 0;       // lines of its stores
  uint32_t loads = 0, sums = 0;        // lines that load the sum so far, and that add to it
  Operand value;                       // what is added
  std::optional<uint32_t> gate;        // line of the condition under which it adds
  std::vector<uint32_t> outer, loops;  // lines of loops round it, and of those that it runs through; outermost first
};

/// Why something is no sum, or no sum of products: what() is a sentence that names a line.
class NoSum : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// The sums of a program without variables.
class Sums {
 public:
  explicit Sums(const Program& program);

  /// Lines that store to a register what depends on its element. Throws NoSum: the program is too long to look at.
  std::vector<uint32_t> lines() const;
  /// The sum of the line. It is f32, begins at 0, right before its loops, whose extents are numbers from 1 to 2^30; no
  /// condition is round these, and nobody sees it before it is complete. Throws NoSum.
  Sum at(uint32_t adds) const;

  const std::vector<uint32_t>& made_by() const { return made_by_; }  // line of each value

 private:
  const Instruction& line(uint32_t at) const { return program_.body[at]; }
  void find_loops(Sum& sum) const;
  void find_value(Sum& sum) const;
  void check_uses(const Sum& sum) const;

  const Program& program_;
  const std::vector<uint32_t> made_by_;
};

bool accesses_register(const Instruction& line, Verb verb);
/// A load or store of the whole of a register that is one f32.
bool is_whole_f32(const Program& program, const Instruction& line);

}  // namespace kerr::loops::tiles

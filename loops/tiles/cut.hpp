// A program cut in two at a value. The first part computes it into scratch memory, once for each iteration of the loops
// that it depends on; the second part goes on with it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/program.hpp"
#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

struct Cut {
  Made first, rest;              // scratch of both: kScratch
  std::vector<uint32_t> loaded;  // parameters of the original program that `first` loads
  uint64_t bytes = 0;            // of scratch
};

/// Lines worth to be computed apart, the last one first: functions and quotients that no register has a part in.
std::vector<uint32_t> costly_lines(const Program& bound);
/// The cut behind such a line. Nothing if there is too much for scratch memory. `bound`: without variables.
std::optional<Cut> cut_behind(const Program& bound, uint32_t line);
/// The cut before a quotient of f32: `first` computes one over the divisor, and `rest` multiplies by it. Nothing for
/// other lines, and where one of the two operands is a number.
std::optional<Cut> cut_divisor(const Program& bound, uint32_t line);

}  // namespace kerr::loops::tiles

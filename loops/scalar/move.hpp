// A program in which reductions stand further outside.
#pragma once

#include <cstdint>
#include <vector>

#include "loops/scalar/places.hpp"
#include "loops/scalar/reductions.hpp"

namespace kerr::loops::scalar {

struct Move {
  Reduction what;
  uint32_t place = 0;            // it goes before chain loop `place`
  std::vector<uint32_t> over;    // of the chain, from there on: loops for whose every turn it is computed: a table
  std::vector<uint64_t> most;    // turns of each of them
  std::vector<uint32_t> guards;  // loops that are left, and may have no turns: then it is not computed at all
};

/// `moves`: by ascending lines, none in another.
Program moved(const Places& places, const std::vector<Move>& moves);

}  // namespace kerr::loops::scalar

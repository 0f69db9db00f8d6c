// The loops whose iterations several harts may share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::scalar {

struct Nest {
  std::vector<uint32_t> loops;  // lines of the body, the outermost first; empty: there is no such nest
  std::string why_not;          // for people, when there is none
  bool holds(uint32_t line) const;
};

/// By form alone: all stores to parameters are inside, the extents are known before it begins, nothing but numbers is
/// made between its loops, and at most 2^31 - 1 iterations can come. Whether they depend on each other is another
/// question (sharing.hpp).
Nest find_nest(const Program& program);

}  // namespace kerr::loops::scalar

// Whether the iterations of a nest may run in any order, and how much work they are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loops/program.hpp"
#include "loops/scalar/nest.hpp"

namespace kerr::loops::scalar {

struct Sharing {
  uint64_t iterations = 1;    // of the nest
  uint64_t instructions = 0;  // in all, estimated
  uint64_t alone = 0;         // of them: outside of the nest, which every hart executes
  bool independent = false;
  std::string why_not;  // for people
};

/// `object`: parameters of the same number have bytes in common, and begin at the same byte if they are several.
/// `numbers`: of the program's variables. Independent are iterations that store disjoint bytes, load of what is stored
/// only their own, and hand nothing on.
Sharing sharing_of(const Program& program, const Nest& nest, std::span<const uint32_t> object,
                   std::span<const int64_t> numbers);

}  // namespace kerr::loops::scalar

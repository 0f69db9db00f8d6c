// Moves reductions out of loops that they do not depend on. The interpreter runs programs as they are written; harts
// run what this makes of them.
//
//   %i = loop ... weak              %k = loop ...                     r1 is a table: a reduction that uses k alone
//   %k = loop ... reduce            store r0[0] 0                     need not be computed anew for each i
//   store r0[0] 0                   %j = loop ... r0 += f(j, k) ... end %j
//   %j = loop ... reduce            %1 = load r0[0]
//   r0 += f(j, k)            ->     store r1[%k] %1
//   end %j                          end %k
//   %1 = load r0[0]                 %i = loop ... weak
//   ...                             ...
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::scalar {

struct Hoisted {
  Program program;                   // stores the same bytes; lines keep their numbers
  std::vector<std::string> remarks;  // a sentence for each loop that was moved
};

/// Nothing: no loop can be moved, or it would not be quicker. `object`: parameters of the same number may have bytes in
/// common. What is moved accesses nothing that the program does not access, whatever its sizes are. In time n log n.
std::optional<Hoisted> hoist(const Program& program, std::span<const uint32_t> object);

}  // namespace kerr::loops::scalar

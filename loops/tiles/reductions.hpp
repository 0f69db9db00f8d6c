// Values that a loop makes in a register, as a sum or a maximum, and that are used when they are complete.
//
//   store f32 r1[0] VALUE                   `begins`
//   for ...                                 `loop`
//     store f32 r1[0] ...                   `stores`: made of what r1 was, and of what comes out of further such loops
//   ...
//   %1 = load f32 r1[0]
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

struct Reduction {
  uint32_t reg = 0;
  uint32_t begins = 0, loop = 0, stores = 0;  // lines
  uint32_t until = 0;                         // line up to which loads behind the loop have the result
};

/// All that values depend on, through such registers too.
struct Behind {
  std::vector<uint32_t> lines;         // that compute and load, and loops whose variables are used; ascending
  std::vector<Reduction> reductions;   // whose results or parts some of the lines load
  std::optional<uint32_t> other_load;  // a line that loads another register
};

class Reductions {
 public:
  explicit Reductions(const Program& program);

  /// The reduction whose result the line loads; nullptr: it is no such load. No conditions are in the loop, it stores
  /// to registers alone, and extents of its loops are numbers from 1 on.
  const Reduction* behind(uint32_t load) const;
  Behind behind(const std::vector<Operand>& values) const;

 private:
  std::optional<Reduction> find(uint32_t reg, const std::vector<uint32_t>& stores,
                                const std::vector<uint32_t>& loads) const;
  bool is_whole(const Instruction& i) const;

  const Program& program_;
  const std::vector<uint32_t> made_by_;
  std::vector<uint32_t> block_;  // of each line: the one that begins its block; ~0u: none
  std::vector<std::optional<Reduction>> of_register_;
};

}  // namespace kerr::loops::tiles

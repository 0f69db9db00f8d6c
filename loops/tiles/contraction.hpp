// Programs that sum up products: matrix products, batches of them, convolutions.
//
//   for o ... { r = 0; for k ... reduce { r = r + A(o, k) * B(o, k) }; what follows, with r }
//
// The loops round the sum fall into groups by which factor depends on them: `batch` both, `m` only A, `n` only B; those
// inside are `k`. How a factor is computed, from which places of memory and under which gates, does not matter.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

struct Contraction {
  uint32_t reg = 0;           // the accumulator
  uint32_t begins = 0;        // line that sets it to 0
  uint32_t adds = 0;          // line that stores it in the innermost loop
  std::vector<Operand> a, b;  // factors, each a product of these
  Type products = Type::F32;  // F16, Bf16: the program rounds each product to it before it is added
  bool narrow = false;        // both factors have no more bits than bf16
  // Lines of loops, the outermost first.
  std::vector<uint32_t> batch, m, n, k;
  std::vector<uint32_t> others;  // round the sum, which does not depend on them

  /// Parameters that the factors load.
  std::vector<uint32_t> loaded;
};

/// How often the body of these loops is executed; extents are numbers.
uint64_t extent_of(const Program& program, const std::vector<uint32_t>& loops);
uint64_t extent_of(const Program& program, uint32_t loop);

/// The contraction, or a sentence why the program is none. `bound`: without variables (slice.hpp).
std::variant<Contraction, std::string> find_contraction(const Program& bound);

}  // namespace kerr::loops::tiles

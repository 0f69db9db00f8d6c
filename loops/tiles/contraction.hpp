// Programs that sum up products: matrix products, batches of them, convolutions.
//
//   for o ... { r = 0; for k ... reduce { r = r + A(o, k) * B(o, k) }; what follows, with r }
//
// The loops round the sum fall into groups by which factor depends on them: `batch` both, `m` only A, `n` only B; those
// inside are `k`. How a factor is computed, from which places of memory and under which gates, does not matter; it may
// be made of sums and maxima of its own (reductions.hpp).
//
// A sum of sums is one over the loops of both, if nothing but conditions is between them:
//   for j { s = 0; for k { s += A * B }; r += where(c, s, 0) }    is    for j, k { r += where(c, A * B, 0) }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops::tiles {

struct Gate {
  Operand condition;  // bool
  bool when = true;   // what it is where the gate is open
};

struct Contraction {
  uint32_t reg = 0;             // the accumulator
  uint32_t begins = 0;          // line that sets it to 0
  uint32_t adds = 0;            // line that stores it in its innermost loop
  std::vector<Operand> a, b;    // factors, each a product of these
  std::vector<Gate> gates;      // elsewhere both factors are 0
  std::vector<Gate> sum_gates;  // elsewhere the sum is 0; they depend neither on `k` nor on what is made inside of it
  Type products = Type::F32;    // F16, Bf16: the program rounds each product to it before it is added
  bool narrow = false;          // both factors have no more bits than bf16
  std::vector<uint32_t> parts;  // lines that add to sums which are parts of this one, and serve nothing else
  // Lines of loops, the outermost first.
  std::vector<uint32_t> batch, m, n, k;
  std::vector<uint32_t> others;  // round the sum, which does not depend on them

  /// Parameters that the factors load.
  std::vector<uint32_t> loaded;
};

/// How often the body of these loops is executed; extents are numbers.
uint64_t extent_of(const Program& program, const std::vector<uint32_t>& loops);
uint64_t extent_of(const Program& program, uint32_t loop);

/// The contractions of which one can be computed apart, sums of sums in each way; none: a sentence why.
struct FoundContractions {
  std::vector<Contraction> all;
  std::string why_not;
};
/// `bound`: without variables (slice.hpp).
FoundContractions find_contractions(const Program& bound);

}  // namespace kerr::loops::tiles

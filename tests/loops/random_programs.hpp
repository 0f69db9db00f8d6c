// Loop programs made at random, with memory to run them on: for tests that hold two ways of executing them against each
// other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops {

/// A program and all that it gets. The k-th parameter is the k-th view.
struct RandomProgram {
  struct View {
    size_t memory = 0;  // of `memories`
    uint64_t offset = 0, bytes = 0;
  };

  std::string text;
  std::vector<std::vector<std::byte>> memories;
  std::vector<View> views;
  std::vector<int64_t> numbers;  // of the variables
};

/// All memories as the interpreter leaves them, and how many lines it has executed.
struct Interpreted {
  std::vector<std::vector<std::byte>> memories;
  uint64_t lines = 0;
};
Interpreted interpret(const RandomProgram& program);

using Random = std::mt19937_64;

/// Bits of a number of the type: often one at the edge of something (zeros, ones, neighbours of powers of two,
/// denormals, the largest, infinities, NaN), else any bits or a small number.
uint64_t random_bits(Random& random, Type type);
/// A type; `common` ones (f32, i32) are more frequent than the others.
Type random_type(Random& random);

/// p0[i] = expression of p1[i], p2[i] ... for 64 elements: a tree of up to 12 levels over all types, casts, bitcasts,
/// selections, and loads at computed indices, gated or not.
struct ExpressionOptions {
  bool f64 = true;        // may occur
  bool functions = true;  // exp2, log2, sin
  uint32_t most_levels = 12;
};
RandomProgram random_expression(Random& random, const ExpressionOptions& options = {});

/// Vectors of 2 to 4 in all that takes them, and accesses to parameters as if they had other types. Five iterations,
/// which read and write the same elements.
RandomProgram random_vectors(Random& random, const ExpressionOptions& options = {});

/// One or two nests of 1 to 5 loops that store through affine indices: strides of all signs, permuted, with gaps;
/// gates; reductions; sizes round 256, 1024 and 4096 bytes. And on purpose what keeps a nest from being dealt to
/// several harts: stores of neighbours, a loop that the index lacks, an element read that another iteration writes, a
/// register carried on, parameters that overlap, an extent that is a variable, do ... while. Executes at most about
/// `most_lines`.
struct NestOptions {
  bool f64 = true;
  uint64_t most_lines = 200'000;
};
RandomProgram random_nest(Random& random, const NestOptions& options = {});

}  // namespace kerr::loops

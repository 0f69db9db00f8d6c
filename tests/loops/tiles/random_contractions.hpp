// Sums of products made at random: loops of batch, rows, columns and sum, permuted, split and merged; strides, offsets,
// dilation, gates as padding has them; prologues and epilogues.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/loops/random_programs.hpp"

namespace kerr::loops {

struct ContractionOptions {
  uint64_t most_products = 60'000;
  bool special = false;   // infinities, NaN, wide ranges among the numbers
  bool integers = false;  // small ones, so that every order of summing gives the same bits
};
/// Factors are f32, bf16, f16 or a mixture; each parameter has a buffer.
RandomProgram random_contraction(Random& random, const ContractionOptions& options = {});

}  // namespace kerr::loops

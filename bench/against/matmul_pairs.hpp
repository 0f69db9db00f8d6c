// The main job on two libraries: our firmware, our kernels, another chip.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/against/pairs.hpp"
#include "kernels/matmul/product.hpp"

namespace kerr::bench {

struct MatmulPair {
  std::string name;
  kernels::ProductShape shape;
};

std::vector<MatmulPair> matmul_pairs();

/// Multiply-accumulates a second of the launch, by turns, each in a process of its own, at most three pairs. Fails
/// when the products are not verified or differ.
Comparison compare_matmuls(const MatmulPair& pair, const std::string& our_library, const std::string& their_library, int pairs);

}  // namespace kerr::bench

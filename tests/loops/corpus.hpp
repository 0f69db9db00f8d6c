// Loop programs that tinygrad made of its tests, with memory to run them on.          tests/loops/corpus/README.md
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "loops/program.hpp"

namespace kerr::loops {

/// Texts, each of one program.
std::vector<std::string> corpus();

/// A buffer for each parameter and a number for each variable; the same for the same seed. Integers are small, because
/// many are indices; of floats some are zeros, infinities and NaN.
struct CorpusInput {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<int64_t> numbers;
};
CorpusInput corpus_input(const Program& program, uint64_t seed);

}  // namespace kerr::loops

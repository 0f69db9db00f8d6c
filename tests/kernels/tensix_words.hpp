// The Tensix instructions of a stream.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/riscv/instructions.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels {

/// The inline words, in order.
inline std::vector<uint32_t> tensix_words(const Kernel& kernel) {
  const isa::Code& code = kernel.code;
  std::vector<uint32_t> words;
  for (uint32_t at = code.base; at < code.end(); at += 4) {
    const uint32_t word = code.word_at(at);
    if (isa::riscv::is_ttinsn(word)) words.push_back(isa::riscv::tensix_of(word));
  }
  return words;
}

}  // namespace kerr::kernels

// A linked program, damaged where it matters.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"

namespace kerr::fuzz {

inline constexpr unsigned kPatchesAtMost = 64;

// Somewhere in the header, in an entry of the two tables, or anywhere.
inline size_t somewhere(Input& in, const Elf32_Ehdr& header, size_t size) {
  switch (in.below(4)) {
    case 0: return in.byte() % sizeof(Elf32_Ehdr);
    case 1: return (header.e_phoff + in.byte() % (header.e_phnum * sizeof(Elf32_Phdr) + 1)) % size;
    case 2: return (header.e_shoff + in.half() % (header.e_shnum * sizeof(Elf32_Shdr) + 1)) % size;
    default: return in.half() % size;
  }
}

inline void damage(std::vector<uint8_t>& elf, Input& in) {
  require(elf.size() > sizeof(Elf32_Ehdr), "the sample is there");
  Elf32_Ehdr header;
  std::memcpy(&header, elf.data(), sizeof header);
  const unsigned patches = in.below(4) == 0 ? kPatchesAtMost : 1 + in.below(3);
  for (unsigned n = 0; n < patches && !in.empty(); ++n) {
    const size_t at = somewhere(in, header, elf.size());
    const size_t bytes = std::min<size_t>(size_t{1} << in.below(3), elf.size() - at);
    constexpr uint32_t kEdges[] = {0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0xFFFFFFF0, 0x10000, 0xFFFF};
    const uint32_t kind = in.byte();
    const uint32_t value = kind & 1 ? in.word() : kind & 2 ? in.byte() : kEdges[kind >> 2 & 7];
    std::memcpy(&elf[at], &value, bytes);
  }
}

}  // namespace kerr::fuzz

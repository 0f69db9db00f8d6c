// kerr_oracle_fuzz LIBRARY [BLOCKS [SEED]]: random matrix unit instructions on the library against our arithmetic.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "tests/oracle/fpu_block.hpp"
#include "tests/oracle/fpu_modes.hpp"
#include "tests/oracle/isolate.hpp"

namespace {

using namespace kerr::oracle;

// Number of wrong elements; prints the first of a block.
unsigned compare(const FpuBlock& block, const std::vector<std::uint32_t>& theirs) {
  const std::vector<std::uint32_t> ours = run_on_host(block);
  unsigned wrong = 0;
  for (std::size_t n = 0; n < ours.size(); ++n) {
    if (ours[n] == theirs[n]) continue;
    if (wrong++ == 0)
      std::printf("%s: row %zu column %zu, Dst was %08X: library %08X, ours %08X\n", describe(block).c_str(), n / 16, n % 16,
                  block.dst[n], theirs[n], ours[n]);
  }
  return wrong;
}

// Runs the blocks one after the other in a child process; fewer results than blocks if the library refused one.
Outcome run_blocks(const char* path, const std::vector<FpuBlock>& blocks) {
  return isolate([&] {
    Library library(path);
    Device device(library);
    std::vector<std::uint8_t> bytes;
    for (const FpuBlock& block : blocks) {
      const std::vector<std::uint32_t> dst = run_on_device(device, block);
      const auto* first = reinterpret_cast<const std::uint8_t*>(dst.data());
      bytes.insert(bytes.end(), first, first + 4 * dst.size());
    }
    return bytes;
  });
}

int fuzz(const char* path, unsigned count, unsigned seed) {
  unsigned long elements = 0, wrong = 0, refused = 0;
  for (const FpuBlock& prototype : comparable_blocks()) {
    std::vector<FpuBlock> blocks(count, prototype);
    for (unsigned n = 0; n < count; ++n) {
      std::mt19937 random(seed + n);
      randomise(blocks[n], random);
    }
    const Outcome outcome = run_blocks(path, blocks);
    if (!outcome.finished) {
      std::printf("%s: %s\n", describe(prototype).c_str(), outcome.message.c_str());
      ++refused;
      continue;
    }
    for (unsigned n = 0; n < count; ++n) {
      std::vector<std::uint32_t> theirs(blocks[n].dst.size());
      std::memcpy(theirs.data(), outcome.bytes.data() + 4 * n * theirs.size(), 4 * theirs.size());
      wrong += compare(blocks[n], theirs);
      elements += theirs.size();
    }
  }
  std::printf("%lu elements compared, %lu differ, %lu modes refused by the library\n", elements, wrong, refused);
  return wrong || refused ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: kerr_oracle_fuzz LIBRARY.so [BLOCKS [SEED]]\n");
    return 2;
  }
  try {
    return fuzz(argv[1], argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 4,
                argc > 3 ? static_cast<unsigned>(std::atoi(argv[3])) : 1);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kerr_oracle_fuzz: %s\n", e.what());
    return 1;
  }
}

// kerr_oracle_fuzz LIBRARY [BLOCKS [SEED]]: random matrix unit instructions, conversions and vector instructions on the
// library against our own.
#include <cstdio>

#include "arch/bytes.hpp"
#include "oracle/convert_block.hpp"
#include "oracle/fma_block.hpp"
#include "oracle/fpu_block.hpp"
#include "oracle/fpu_modes.hpp"
#include "oracle/isolate.hpp"
#include "oracle/sfpu_block.hpp"
#include "oracle/tools/tool.hpp"

namespace {

using namespace kerr::oracle;

struct Totals {
  unsigned long elements = 0, wrong = 0, refused = 0;
};

std::vector<uint8_t> bytes_of(const std::vector<uint32_t>& v) {
  const std::span<const uint8_t> all = kerr::arch::as_uint8(v);
  return {all.begin(), all.end()};
}
std::vector<uint8_t> bytes_of(std::vector<uint8_t> v) { return v; }

// Runs `count` random blocks of one kind in a child process and compares their results byte for byte.
template <class Block>
void compare(const char* path, const Block& prototype, unsigned count, unsigned seed, Totals& totals) {
  std::vector<Block> blocks(count, prototype);
  for (unsigned n = 0; n < count; ++n) {
    std::mt19937 random(seed + n);
    randomise(blocks[n], random);
  }
  const Outcome outcome = isolate([&] {
    Device device(path);
    std::vector<uint8_t> bytes;
    for (const Block& block : blocks) {
      const std::vector<uint8_t> result = bytes_of(run_on_device(device, block));
      bytes.insert(bytes.end(), result.begin(), result.end());
    }
    return bytes;
  });
  if (!outcome.finished) {
    std::printf("%s: %s\n", describe(prototype).c_str(), outcome.message.c_str());
    ++totals.refused;
    return;
  }
  unsigned long wrong = 0;
  size_t at = 0;
  for (unsigned n = 0; n < count; ++n) {
    const std::vector<uint8_t> ours = bytes_of(run_on_host(blocks[n]));
    for (size_t k = 0; k < ours.size(); ++k, ++at) {
      if (ours[k] == outcome.bytes[at]) continue;
      if (wrong++ == 0)
        std::printf("%s: block %u, byte %zu: library %02X, ours %02X\n", describe(prototype).c_str(), n, k,
                    outcome.bytes[at], ours[k]);
    }
    totals.elements += ours.size();
  }
  totals.wrong += wrong;
}

int fuzz(const char* path, unsigned count, unsigned seed) {
  Totals totals;
  for (const FpuBlock& block : comparable_blocks()) compare(path, block, count, seed, totals);
  for (const ConvertBlock& block : comparable_conversions()) compare(path, block, count, seed, totals);
  compare(path, FmaBlock{}, count, seed, totals);
  for (const SfpuBlock& block : comparable_sfpu_blocks()) compare(path, block, count, seed, totals);
  std::printf("%lu bytes compared, %lu differ, %lu modes refused by the library\n", totals.elements, totals.wrong,
              totals.refused);
  return totals.wrong || totals.refused ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  return tool_main(argc, argv, "kerr_oracle_fuzz LIBRARY.so [BLOCKS [SEED]]", 1, [](int words, char** word) {
    return fuzz(word[1], number(words, word, 2, 4), number(words, word, 3, 1));
  });
}

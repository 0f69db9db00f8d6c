// kerr_oracle_front_end LIBRARY [COUNT [SEED]]: random front-end programs on the library against our coprocessor.
// kerr_oracle_front_end LIBRARY record COUNT > tests/oracle/vectors/front_end.txt: seed and CRC-32 of the library's
// results.
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "oracle/front_end_case.hpp"
#include "oracle/isolate.hpp"
#include "oracle/run.hpp"
#include "oracle/tools/tool.hpp"

namespace {

using namespace kerr::oracle;

FrontEndCase case_of(unsigned seed) {
  std::mt19937 random(seed);
  return random_front_end_case(random);
}

Outcome run_on_library(const char* path, const FrontEndCase& c) {
  return isolate([&] {
    Device device(path);
    return run_case(device, to_tile_case(c));
  });
}

// 0: same result; 1: not.
int compare(const char* path, unsigned seed, bool show) {
  const FrontEndCase c = case_of(seed);
  if (show) std::printf("%s", describe(c).c_str());
  const Outcome theirs = run_on_library(path, c);
  if (!theirs.finished) {
    std::printf("seed %u: the library refuses: %s\n", seed, theirs.message.c_str());
    return 1;
  }
  std::vector<uint8_t> ours;
  try {
    ours = run_on_coprocessor(c);
  } catch (const std::exception& error) {
    std::printf("seed %u: we refuse: %s\n", seed, error.what());
    return 1;
  }
  for (size_t k = 0; k < ours.size(); ++k) {
    if (ours[k] == theirs.bytes[k]) continue;
    std::printf("seed %u: result word %zu differs, library byte %02X, ours %02X\n", seed, k / 4, theirs.bytes[k],
                ours[k]);
    return 1;
  }
  return 0;
}

void record(const char* path, unsigned count) {
  std::printf("# Seed of random_front_end_case() and CRC-32 of its result on the reference simulator.\n");
  for (unsigned seed = 0; seed < count; ++seed) {
    const Outcome theirs = run_on_library(path, case_of(seed));
    if (!theirs.finished) throw std::runtime_error("the library refuses: " + theirs.message);
    std::printf("%u %08X\n", seed, crc32(theirs.bytes));
  }
}

}  // namespace

int main(int argc, char** argv) {
  return tool_main(argc, argv, "kerr_oracle_front_end LIBRARY.so [COUNT [SEED]]", 1, [](int words, char** word) {
    if (words > 3 && std::strcmp(word[2], "record") == 0) {
      record(word[1], number(words, word, 3, 0));
      return 0;
    }
    const unsigned count = number(words, word, 2, 100), seed = number(words, word, 3, 1);
    int different = 0;
    for (unsigned n = 0; n < count; ++n) different += compare(word[1], seed + n, count == 1);
    std::printf("%u programs, %d differ\n", count, different);
    return different != 0 ? 1 : 0;
  });
}

// kerr_oracle_compare LIBRARY OTHER (tensix|rv32|rv32f) [COUNT [SEED]]: random programs on two libraries, results
// compared.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "oracle/isolate.hpp"
#include "oracle/tile_case.hpp"
#include "oracle/tools/tool.hpp"

namespace {

using namespace kerr::oracle;

TileCase case_of(MakeCase make, unsigned seed) {
  std::mt19937 random(seed);
  return make(random);
}

Outcome run(const char* path, const TileCase& c) {
  return isolate([&] {
    Device device(path);
    return run_case(device, c);
  });
}

void print_steps(const TileCase& c) {
  for (const std::string& line : c.text) std::printf("    %s\n", line.c_str());
}

int compare(const char* path, const char* other, MakeCase make, unsigned count, unsigned seed, bool verbose) {
  unsigned equal = 0, refused = 0, wrong = 0;
  for (unsigned n = seed; n < seed + count; ++n) {
    const TileCase c = case_of(make, n);
    const Outcome a = run(path, c), b = run(other, c);
    if (!a.finished) {  // the judge has no opinion
      if (++refused == 1) std::printf("seed %u: the first library refuses: %s\n", n, a.message.c_str());
    } else if (!b.finished) {
      if (++wrong <= 10) std::printf("seed %u: only the second library refuses: %s\n", n, b.message.c_str());
    } else if (a.bytes != b.bytes) {
      size_t at = 0;
      while (a.bytes[at] == b.bytes[at]) ++at;
      if (++wrong <= 10) std::printf("seed %u: byte 0x%zx is %02X and %02X\n", n, at, a.bytes[at], b.bytes[at]);
    } else {
      ++equal;
    }
  }
  if (verbose) print_steps(case_of(make, seed));
  std::printf("%u programs equal, %u differ, %u refused by the first library\n", equal, wrong, refused);
  return wrong ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr const char* kUsage =
      "kerr_oracle_compare LIBRARY.so OTHER.so tensix|rv32|rv32f [COUNT [SEED]]\n"
      "With a COUNT of 1 the steps are printed.";
  return tool_main(argc, argv, kUsage, 3, [](int count_of, char** words) {
    const MakeCase make = case_generator(words[3]);
    if (make == nullptr) throw std::runtime_error(std::string("there is no generator '") + words[3] + "'");
    const unsigned count = number(count_of, words, 4, 100);
    return compare(words[1], words[2], make, count, number(count_of, words, 5, 1), count == 1);
  });
}

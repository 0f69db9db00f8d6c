// kerr_oracle_compare LIBRARY OTHER (tensix|rv32|rv32f) [COUNT [SEED]]: random programs on two libraries, results
// compared.
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/oracle/isolate.hpp"
#include "tests/oracle/library.hpp"
#include "tests/oracle/tile_case.hpp"

namespace {

using namespace kerr::oracle;

TileCase case_of(MakeCase make, unsigned seed) {
  std::mt19937 random(seed);
  return make(random);
}

Outcome run(const char* path, const TileCase& c) {
  return isolate([&] {
    Library library(path);
    Device device(library);
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
  const MakeCase make = argc > 3 ? case_generator(argv[3]) : nullptr;
  if (make == nullptr) {
    std::fprintf(stderr,
                 "usage: kerr_oracle_compare LIBRARY.so OTHER.so tensix|rv32|rv32f [COUNT [SEED]]\n"
                 "With a COUNT of 1 the steps are printed.\n");
    return 2;
  }
  const auto number = [&](int n, unsigned otherwise) {
    return argc > n ? static_cast<unsigned>(std::strtoul(argv[n], nullptr, 0)) : otherwise;
  };
  try {
    const unsigned count = number(4, 100);
    return compare(argv[1], argv[2], make, count, number(5, 1), count == 1);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "kerr_oracle_compare: %s\n", e.what());
    return 1;
  }
}

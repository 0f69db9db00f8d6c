// Prints the table of docs/performance/timing.md.
#include <cstdio>

#include "tests/timing/micro.hpp"

int main() {
  for (const std::string& line : kerr::timing_tests::table(true)) std::printf("%s\n", line.c_str());
}

// Prints the table of docs/performance/timing.md.
#include <cstdio>

#include "tests/timing/micro.hpp"

int main() { std::fputs(kerr::timing_tests::markdown().c_str(), stdout); }

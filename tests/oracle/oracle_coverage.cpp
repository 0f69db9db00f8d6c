// kerr_oracle_coverage [VECTORS]: recorded cases for each mnemonic.
#include <cstdio>
#include <exception>

#include "tests/oracle/coverage.hpp"

int main(int argc, char** argv) {
  try {
    std::fputs(
        kerr::oracle::coverage_table(kerr::oracle::coverage(argc > 1 ? argv[1] : "tests/oracle/vectors")).c_str(),
        stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kerr_oracle_coverage: %s\n", error.what());
    return 1;
  }
}

// kerr_oracle_coverage [VECTORS]: recorded cases for each mnemonic.
#include "oracle/coverage.hpp"

#include <cstdio>

#include "oracle/tools/tool.hpp"

int main(int argc, char** argv) {
  return kerr::oracle::tool_main(argc, argv, "kerr_oracle_coverage [VECTORS]", 0, [](int count, char** words) {
    const char* folder = count > 1 ? words[1] : "tests/oracle/vectors";
    std::fputs(kerr::oracle::coverage_table(kerr::oracle::coverage(folder)).c_str(), stdout);
    return 0;
  });
}

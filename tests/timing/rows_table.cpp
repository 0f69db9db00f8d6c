// Prints the matmul tables of docs/performance/timing.md: minutes. Argument: only the tables whose names begin with it.
#include <cstdio>
#include <string>

#include "tests/timing/matmul_rows.hpp"

using namespace kerr::timing_tests;

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  std::string table;
  for (const MatmulRow& row : matmul_rows()) {
    if (!row.table.starts_with(wanted)) continue;
    if (row.table != table) {
      table = row.table;
      std::printf("\n### Matmul, %s\n\n| M x K x N | Silicon | Kerr | Difference | Allowed |\n|---|---|---|---|---|\n",
                  table.c_str());
    }
    std::fputs(line(row, kerr_us(row)).c_str(), stdout);
    std::fflush(stdout);
  }
}

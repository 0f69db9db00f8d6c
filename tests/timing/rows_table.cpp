// Prints the matmul tables of docs/performance/timing.md: minutes. Arguments: only the tables whose names begin with the
// first one; with a second one, `both`, at both ends of what is known about links.
#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "tests/timing/matmul_rows.hpp"

using namespace kerr::timing_tests;

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  const bool both = argc > 2 && std::string(argv[2]) == "both";
  kerr::emu::timing::Parameters crowded;
  crowded.noc_flits_per_64_cycles = 49;
  std::string table;
  for (const MatmulRow& row : matmul_rows()) {
    if (!row.table.starts_with(wanted)) continue;
    if (row.table != table) {
      table = row.table;
      std::printf(
          "\n### Matmul, %s\n\n| M x K x N | Silicon | Kerr | Difference | Allowed | With links at 49/64 "
          "|\n|---|---|---|---|---|---|\n",
          table.c_str());
    }
    const double us = kerr_us(row);
    std::fputs(line(row, us, both ? std::optional(kerr_us(row, 0, crowded)) : std::nullopt).c_str(), stdout);
    std::fflush(stdout);
  }
}

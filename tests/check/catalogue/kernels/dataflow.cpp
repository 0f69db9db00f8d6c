// The catalogue's kernels for BRISC and NCRISC. Rows stand in files that are compiled by themselves: a report names the
// innermost call that stands there.
#include "tests/check/catalogue/kernels/kernel.hpp"

void kernel_main() {
  using namespace kerr::catalogue;
  const uint32_t selector = argument(kSelector);
  run_transfers(selector);
  run_signals(selector);
  run_misuse(selector);
  run_buffers(selector);
}

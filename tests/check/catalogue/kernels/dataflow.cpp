// The catalogue's kernels for BRISC and NCRISC.
#include "tests/check/catalogue/kernels/buffers.hpp"
#include "tests/check/catalogue/kernels/misuse.hpp"
#include "tests/check/catalogue/kernels/signals.hpp"
#include "tests/check/catalogue/kernels/transfers.hpp"

void kernel_main() {
  using namespace kerr::catalogue;
  run_row<kHart == kerr::arch::Hart::Ncrisc ? kNcriscOfA : kBriscs>(argument(kSelector));
}

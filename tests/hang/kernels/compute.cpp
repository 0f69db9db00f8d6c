// Compute kernels that hang.
#include <kerr/device/compute.hpp>

#include "tests/hang/hangs.hpp"

using namespace kerr::device;
using kerr::hangs::Hang;

// Math takes the mutex and returns with it; unpack comes later.
[[gnu::noinline]] void lock() {
  if constexpr (kCalculates) issue(kerr::tensix::ATGETM().mutex_index(2));
  if constexpr (kUnpacks) {
    for (uint32_t i = 0; i < 2000; ++i) asm volatile("nop");
    issue(kerr::tensix::ATGETM().mutex_index(2));
  }
  drain();
}

[[gnu::noinline]] void read_mailbox() {
  if constexpr (kUnpacks) [[maybe_unused]]
    const uint32_t word = mmio(kerr::arch::mailbox_address(0));
}

void kernel_main() {
  switch (static_cast<Hang>(get_arg_val<uint32_t>(0))) {
    case Hang::LockedMutex: return lock();
    case Hang::Mailbox: return read_mailbox();
    default: return;
  }
}

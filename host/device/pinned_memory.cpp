#include "host/device/pinned_memory.hpp"

#include <sys/mman.h>

#include <cassert>

#include <fmt/format.h>

namespace kerr::host {

PinnedMemory::PinnedMemory(PcieDevice& device, uint64_t bytes) : device_(device) {
  const uint64_t rounded = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  void* memory = mmap(nullptr, rounded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  // No child gets it: a fork with copy-on-write could move this process away from the pinned pages (host-pcie.md 2.4).
  if (memory == MAP_FAILED || madvise(memory, rounded, MADV_DONTFORK) != 0) {
    if (memory != MAP_FAILED) munmap(memory, rounded);
    host_error(fmt::format("cannot allocate {} bytes of host memory", rounded));
  }
#ifdef MADV_HUGEPAGE
  madvise(memory, rounded, MADV_HUGEPAGE);  // fewer faults when it is filled; shared memory would not get them
#endif
  memory_ = {static_cast<std::byte*>(memory), rounded};
  try {
    noc_address_ = device_.pin(memory_);
  } catch (...) {
    munmap(memory, rounded);
    throw;
  }
}

PinnedMemory::~PinnedMemory() {
  try {
    device_.unpin(noc_address_);
  } catch (...) {  // a dead device has no pins left; a destructor cannot say more
  }
  munmap(memory_.data(), memory_.size());
}

uint32_t PinnedMemory::load(uint64_t offset) const {
  assert(offset % 4 == 0 && offset + 4 <= memory_.size());
  return std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(memory_.data() + offset))
      .load(std::memory_order_acquire);
}

void PinnedMemory::store(uint64_t offset, uint32_t value) {
  assert(offset % 4 == 0 && offset + 4 <= memory_.size());
  std::atomic_ref<uint32_t>(*reinterpret_cast<uint32_t*>(memory_.data() + offset))
      .store(value, std::memory_order_release);
}

}  // namespace kerr::host

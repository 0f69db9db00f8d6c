// Memory between pages that nobody may touch: an access one byte outside of it ends the process, with or without a
// sanitizer.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>

namespace kerr::fuzz {

class GuardedMemory {
 public:
  static constexpr size_t kPageBytes = 4096;

  explicit GuardedMemory(size_t pages) : bytes_(pages * kPageBytes) {
    void* all = mmap(nullptr, bytes_ + 2 * kPageBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) throw std::bad_alloc();
    data_ = static_cast<uint8_t*>(all) + kPageBytes;
    if (mprotect(data_, bytes_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }
  ~GuardedMemory() { munmap(data_ - kPageBytes, bytes_ + 2 * kPageBytes); }
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  std::span<uint8_t> bytes() { return {data_, bytes_}; }
  std::span<uint8_t> page(size_t n) { return bytes().subspan(n * kPageBytes, kPageBytes); }
  /// The last `n` bytes: the guard begins right behind them.
  std::span<uint8_t> last(size_t n) { return bytes().last(n); }

 private:
  size_t bytes_;
  uint8_t* data_;
};

}  // namespace kerr::fuzz

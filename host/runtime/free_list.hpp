// First-fit allocation of an address range.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kerr::host {

/// Hands out aligned pieces of [begin, end). Not thread-safe; the owner locks.
class FreeList {
 public:
  /// `what` names the memory in errors ("DRAM of each bank"). `align` is a power of two.
  FreeList(std::string what, uint64_t begin, uint64_t end, uint64_t align);

  /// Rounds `bytes` up to the alignment and takes the lowest fitting address, or the highest. Throws OutOfDeviceMemory
  /// that names the largest free block when nothing fits. As quick as there are few free blocks that are too small.
  uint64_t allocate(uint64_t bytes);
  uint64_t allocate_high(uint64_t bytes);
  /// Throws DeviceError (HostError) for an address that is not allocated.
  void release(uint64_t address);

  uint64_t bytes() const { return end_ - begin_; }
  uint64_t used() const { return used_bytes_; }
  uint64_t largest_free() const;  ///< bytes
  /// Lowest address in use, or the end when there is none.
  uint64_t lowest_used() const { return used_.empty() ? end_ : used_.begin()->first; }

 private:
  using Blocks = std::map<uint64_t, uint64_t>;  // address -> bytes

  [[noreturn]] void refuse(uint64_t bytes) const;
  uint64_t round_up(uint64_t n) const { return (n + align_ - 1) & ~(align_ - 1); }
  void take_from(Blocks::iterator block, uint64_t address, uint64_t bytes);

  std::string what_;
  uint64_t begin_, end_, align_;
  uint64_t used_bytes_ = 0;
  Blocks used_, free_;  // free blocks never touch each other
};

}  // namespace kerr::host

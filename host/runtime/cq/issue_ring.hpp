// Where records go in the issue region, and when their bytes may be overwritten.
// Two rings: bytes in host memory, descriptors (slots) in the prefetch tile (docs/hardware/fast-dispatch.md 4).
#pragma once

#include <cstdint>
#include <deque>

namespace kerr::host::cq {

/// The host's book-keeping only: no memory, no device. A slot that the device has cleared proves that the bytes of its
/// record are consumed (our prefetcher clears it after the read barrier, 4.4); bytes are tracked as well as slots,
/// because the slots can describe more bytes than the ring holds.
class IssueRing {
 public:
  /// `bytes`: size of the issue region, a multiple of 64. `slots`: entries of the prefetch queue.
  IssueRing(uint32_t bytes, uint32_t slots) : bytes_(bytes), slots_(slots) {}

  struct Place {
    uint32_t slot;    ///< index in the prefetch queue
    uint32_t offset;  ///< byte offset in the issue region
  };

  /// True if a record of `bytes` (a multiple of 64, not more than the region) can be placed now.
  bool fits(uint32_t bytes) const;
  /// Takes the next slot and bytes. Wraps before a record that would cross the end, as the prefetcher does (4.5).
  /// Only after fits().
  Place push(uint32_t bytes);
  /// The oldest record is consumed. Only while pending() > 0.
  void retire();

  uint32_t pending() const { return static_cast<uint32_t>(records_.size()); }
  uint32_t oldest_slot() const { return (next_slot_ + slots_ - pending()) % slots_; }
  uint32_t write_offset() const { return write_; }

 private:
  uint32_t next_offset(uint32_t bytes) const { return bytes > bytes_ - write_ ? 0 : write_; }

  struct Record {
    uint32_t begin;
    uint32_t end;
  };
  uint32_t bytes_, slots_;
  uint32_t write_ = 0;
  uint32_t next_slot_ = 0;
  std::deque<Record> records_;  // not yet retired, oldest first
};

}  // namespace kerr::host::cq

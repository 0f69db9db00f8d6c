// What the prefetcher's ring buffer holds: code of programs that take turns on the same cores.
// docs/hardware/fast-dispatch.md 3.1, 6.3
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "arch/cq_layout.hpp"

namespace kerr::host::cq {

/// A book of places, the oldest first. Only the part of the ring that relays from memory do not overwrite is used.
class RingCache {
 public:
  static constexpr uint32_t kBegin = arch::cq::kScratchDbBytes;
  static constexpr uint32_t kEnd = arch::cq::kRingbufferBytes;

  struct Place {
    uint32_t offset = 0;  ///< in the ring, a multiple of 64
    bool is_new = false;  ///< the bytes have yet to be put there
  };
  /// The place of the `bytes` (a multiple of 64) with this key; makes room if needed. Nothing if they can never fit.
  std::optional<Place> place(uint64_t key, uint32_t bytes) {
    for (const Entry& e : entries_)
      if (e.key == key) return Place{e.offset, false};
    if (bytes > kEnd - kBegin) return std::nullopt;
    if (next_ + bytes > kEnd) next_ = kBegin;
    const uint32_t offset = next_;
    next_ += bytes;
    std::erase_if(entries_, [&](const Entry& e) { return e.offset < next_ && offset < e.offset + e.bytes; });
    entries_.push_back({key, offset, bytes});
    return Place{offset, true};
  }

 private:
  struct Entry {
    uint64_t key;
    uint32_t offset, bytes;
  };
  std::deque<Entry> entries_;
  uint32_t next_ = kBegin;
};

}  // namespace kerr::host::cq

// The circular buffers of the program that a tile runs.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "check/stamp.hpp"

namespace kerr::check {

inline constexpr int kBuffers = 32;
inline constexpr uint32_t kCountMask = 0xFFFF;  // docs/hardware/tile.md 5.4

/// They are read from the launch message of base firmware (arch::kFwB). Buffers of other firmware are not known.
class CircularBuffers {
 public:
  /// The pages that were pushed, or those that were popped.
  struct Side {
    uint32_t count = 0;  // the low 16 bits of the register: software counts modulo 2^16
    uint32_t next = 0;   // page
    Stamp last;          // who has moved the counter last
  };
  struct Buffer {
    uint32_t address = 0, bytes = 0, pages = 0, page_bytes = 0;
    bool used = false;
    Side pushed, popped;

    uint32_t page_at(uint64_t at) const { return static_cast<uint32_t>(at - address) / page_bytes; }
    /// It is pushed and not popped.
    bool holds(uint32_t page) const {
      return (page + pages - popped.next % pages) % pages < ((pushed.count - popped.count) & kCountMask);
    }
  };

  /// A launch begins, whose message is in L1.
  void launched(std::span<const uint8_t> l1);
  /// Nothing is known any more.
  void forget() { buffers_ = {}; }

  Buffer& operator[](int id) { return buffers_[static_cast<size_t>(id)]; }
  const Buffer& operator[](int id) const { return buffers_[static_cast<size_t>(id)]; }

  /// The buffer that has this address; nullptr: none.
  const Buffer* at(uint64_t address, int& id) const;
  /// "CB 0 page 3", or empty.
  std::string name_of(uint64_t address) const;

 private:
  std::array<Buffer, kBuffers> buffers_;
};

}  // namespace kerr::check

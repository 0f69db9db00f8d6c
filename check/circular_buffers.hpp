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

/// As the launch message of base firmware has them (arch::kFwB); nothing is known of buffers of other firmware.
class CircularBuffers {
 public:
  struct Buffer {
    uint32_t address = 0, bytes = 0, pages = 0, page_bytes = 0;
    bool used = false;
    uint32_t pushed = 0, popped = 0;       // as the registers have it
    uint32_t next_push = 0, next_pop = 0;  // page
    Stamp last_push, last_pop;             // who has moved the counters last

    uint32_t page_at(uint64_t at) const { return static_cast<uint32_t>(at - address) / page_bytes; }
    /// It is pushed and not popped.
    bool holds(uint32_t page) const { return (page + pages - next_pop % pages) % pages < ((pushed - popped) & 0xFFFF); }
  };

  /// A launch begins: reads its message out of L1.
  void launched(std::span<const uint8_t> l1);
  /// Nothing is known any more.
  void forget() { buffers_ = {}; }

  Buffer& operator[](int id) { return buffers_[static_cast<size_t>(id)]; }
  const Buffer& operator[](int id) const { return buffers_[static_cast<size_t>(id)]; }

  /// The one that has this address; nullptr: none.
  const Buffer* at(uint64_t address, int& id) const;
  /// "CB 0 page 3", or empty.
  std::string name_of(uint64_t address) const;

 private:
  std::array<Buffer, kBuffers> buffers_;
};

}  // namespace kerr::check

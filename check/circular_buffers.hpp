// The circular buffers of the program that a tile runs.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "arch/messages.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

inline constexpr int kBuffers = 32;
inline constexpr uint32_t kCountMask = 0xFFFF;  // docs/hardware/tile.md 5.4

/// Those who use buffers as one: a hart that moves data, or all of a compute kernel.
constexpr uint8_t party_of(emu::Agent agent) {
  if (agent == emu::Agent::Brisc) return 1;
  return agent == emu::Agent::Ncrisc ? 2 : 4;
}

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
    // Who fills it, and who takes from it, as far as this launch has shown: sets of Party.
    uint8_t fills = 0, takes = 0;
    uint32_t given = 0;  // pages that were pushed in this launch, at most `pages`
    Side pushed, popped;

    uint32_t page_at(uint64_t at) const { return static_cast<uint32_t>(at - address) / page_bytes; }
    /// It is pushed and not popped.
    bool holds(uint32_t page) const {
      return (page + pages - popped.next % pages) % pages < ((pushed.count - popped.count) & kCountMask);
    }
  };

  /// A launch begins, whose message this is.
  void launched(std::span<const uint8_t> l1, const arch::LaunchMessage& launch);

  /// The program has local buffers, and this is none of them.
  bool is_foreign(int id) const {
    return mask_ != 0 && (mask_ >> id & 1) == 0 && static_cast<uint32_t>(id) < first_remote_;
  }
  /// False: no buffer has a byte from this address on.
  bool reach(uint64_t address) const { return address - begin_ < bytes_; }
  /// The same of [address, address + bytes).
  bool reach(uint64_t address, uint64_t bytes) const { return address < begin_ + bytes_ && begin_ < address + bytes; }

  Buffer& operator[](int id) { return buffers_[static_cast<size_t>(id)]; }
  const Buffer& operator[](int id) const { return buffers_[static_cast<size_t>(id)]; }

  /// The buffer that has this address; nullptr: none.
  const Buffer* at(uint64_t address, int& id) const;
  /// One buffer has all of these bytes.
  bool has_all(uint64_t address, uint64_t bytes) const;
  /// "CB 0 page 3", or empty.
  std::string name_of(uint64_t address) const;

 private:
  std::array<Buffer, kBuffers> buffers_;
  uint32_t mask_ = 0, first_remote_ = kBuffers;
  uint64_t begin_ = 0, bytes_ = 0;  // from the first buffer to the end of the last
};

}  // namespace kerr::check

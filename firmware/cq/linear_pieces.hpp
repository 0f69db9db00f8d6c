#pragma once

#include <stdint.h>

#include "firmware/cq/config.hpp"
#include "firmware/cq/noc_reader.hpp"

// The pieces of memory that RELAY_LINEAR_PACKED joins.                            docs/hardware/fast-dispatch.md 6.3
namespace kerr::firmware {

template <class Report>
class LinearPieces {
 public:
  // Checks all of a command that lies in `bytes` bytes. A piece is read whole, so none is longer than `largest`.
  LinearPieces(uint32_t command, uint32_t bytes, uint32_t largest)
      : subs_(command + sizeof(cq::RelayLinearPacked)),
        count_(load<uint16_t>(command + offsetof(cq::RelayLinearPacked, count))),
        xy_(load(command + offsetof(cq::RelayLinearPacked, noc_xy_addr))) {
    Report::require(count_ != 0 && count_ <= cq::kPackedLargeMaxSubCommands &&
                        sizeof(cq::RelayLinearPacked) + count_ * sizeof(cq::RelayLinearPackedSub) <= bytes,
                    CqError::TooManySubCommands, count_);
    const uint32_t alignment = read_alignment(xy_);
    uint32_t total = 0;
    for (uint32_t i = 0; i < count_; ++i) {
      const uint32_t n = length(i);
      Report::require(n != 0 && n <= largest && low(i) + n >= low(i), CqError::BadLength, n);
      // The next piece is read behind this one.
      Report::require(low(i) % alignment == 0, CqError::Misaligned, low(i));
      Report::require(i + 1 == count_ || n % alignment == 0, CqError::Misaligned, n);
      total += n;
    }
    Report::require(total == load(command + offsetof(cq::RelayLinearPacked, total_length)), CqError::BadLength, total);
  }

  // Starts reading as many of the next pieces as fit `room`, at least `largest` bytes; returns their bytes, 0 at the
  // end.
  template <class Reader>
  uint32_t read(Reader& reader, uint32_t to, uint32_t room) {
    uint32_t sum = 0;
    for (; next_ < count_ && sum + length(next_) <= room; ++next_) {
      reader.read(xy_, load(sub(next_) + 4) | address_mid(xy_), low(next_), to + sum, length(next_));
      sum += length(next_);
    }
    return sum;
  }
  bool done() const { return next_ == count_; }

 private:
  uint32_t sub(uint32_t i) const { return subs_ + i * static_cast<uint32_t>(sizeof(cq::RelayLinearPackedSub)); }
  uint32_t low(uint32_t i) const { return load(sub(i)); }
  uint32_t length(uint32_t i) const { return load(sub(i) + offsetof(cq::RelayLinearPackedSub, length)); }

  uint32_t subs_, count_, xy_;
  uint32_t next_ = 0;
};

}  // namespace kerr::firmware

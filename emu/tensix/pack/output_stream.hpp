// One stream of packed bytes on its way to L1, in units of 16 bytes.   docs/hardware/tensix-datapath.md 12.3
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "emu/memory/l1.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu::tensix {

/// Takes a fresh address when it needs one, appends until a PACR with last or flush. A unit that is not full stays
/// buffered.
class OutputStream {
 public:
  static constexpr uint32_t kUnitBytes = 16;

  bool needs_address() const { return needs_address_; }
  /// Byte address, a multiple of 16.
  void start_at(uint32_t address) {
    address_ = address;
    needs_address_ = false;
  }
  /// Address of the next unit to be written, and of the first byte behind all units once `more` bytes have been
  /// appended and flushed: what must lie inside L1 before append() is called.
  uint32_t address() const { return address_; }
  uint64_t end_after(uint64_t more) const {
    return address_ + (uint64_t{fill_} + more + kUnitBytes - 1) / kUnitBytes * kUnitBytes;
  }

  /// True if `bytes` are whole units and nothing is buffered: then they may be written to address() without append(),
  /// and skip() accounts for them.
  bool can_skip(uint32_t bytes) const { return (fill_ | bytes % kUnitBytes) == 0; }
  void skip(uint32_t bytes) { address_ += bytes; }

  /// Gives each full unit to write(address, std::span<const uint8_t>).
  template <class Write>
  void append(std::span<const uint8_t> bytes, Write write) {
    if (fill_ == 0) {  // whole units need no buffer
      const size_t whole = bytes.size() / kUnitBytes * kUnitBytes;
      if (whole != 0) write(address_, bytes.first(whole));
      address_ += static_cast<uint32_t>(whole);
      bytes = bytes.subspan(whole);
    }
    while (!bytes.empty()) {
      const size_t n = std::min<size_t>(kUnitBytes - fill_, bytes.size());
      std::copy_n(bytes.begin(), n, unit_.begin() + fill_);
      fill_ += static_cast<uint32_t>(n);
      bytes = bytes.subspan(n);
      if (fill_ == kUnitBytes) {
        write(address_, std::span<const uint8_t>(unit_));
        address_ += kUnitBytes;
        fill_ = 0;
      }
    }
  }
  /// Gives what is left, padded with zeros to a unit, to write(), and asks for a fresh address.
  template <class Write>
  void flush(Write write) {
    if (fill_ != 0) {
      std::fill(unit_.begin() + fill_, unit_.end(), uint8_t{0});
      write(address_, std::span<const uint8_t>(unit_));
      address_ += kUnitBytes;
      fill_ = 0;
    }
    needs_address_ = true;
  }
  void reset() { *this = {}; }

  void serialize(Archive& a) {
    a(address_, needs_address_, unit_);
    a.below(kUnitBytes, fill_);
  }

 private:
  uint32_t address_ = 0;
  uint32_t fill_ = 0;  // bytes in unit_
  bool needs_address_ = true;
  std::array<uint8_t, kUnitBytes> unit_{};
};

}  // namespace kerr::emu::tensix

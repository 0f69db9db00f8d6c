// The host-to-device channel of the controller's DMA engine: read channel 0.   docs/hardware/host-pcie.md 1.10
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// Its registers. The copy itself is the PCI function's: it starts, and ends, inside the write of the doorbell. The
/// completion words (MSI addresses) are stored and not used: software polls XFERSIZE.
class DmaEngine {
 public:
  static constexpr uint32_t kBase = 0x100;  // in BAR2
  static constexpr uint32_t kBytes = 0x100;
  static constexpr uint64_t kPieceBytes = 4096;

  /// `offset` from kBase, a multiple of 4.
  uint32_t read(uint32_t offset) const { return words_[offset / 4]; }
  /// True if the write rang the doorbell.
  bool write(uint32_t offset, uint32_t value) {
    words_[offset / 4] = value;
    return offset == kDoorbell && (value & 1);
  }

  uint64_t source() const { return pair(kSourceLow); }            // host bus address
  uint64_t destination() const { return pair(kDestinationLow); }  // offset in BAR0
  uint32_t bytes() const { return words_[kSize / 4]; }
  void complete() { words_[kSize / 4] = 0; }

  void serialize(Archive& a) { a(words_); }

 private:
  static constexpr uint32_t kDoorbell = 0x04;
  static constexpr uint32_t kSize = 0x1C;
  static constexpr uint32_t kSourceLow = 0x20;
  static constexpr uint32_t kDestinationLow = 0x28;

  uint64_t pair(uint32_t low) const { return (uint64_t{words_[low / 4 + 1]} << 32) | words_[low / 4]; }

  std::array<uint32_t, kBytes / 4> words_{};
};

}  // namespace kerr::emu

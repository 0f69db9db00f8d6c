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
  static constexpr std::uint32_t kBase = 0x100;  // in BAR2
  static constexpr std::uint32_t kBytes = 0x100;
  static constexpr std::uint64_t kPieceBytes = 4096;

  /// `offset` from kBase, a multiple of 4.
  std::uint32_t read(std::uint32_t offset) const { return words_[offset / 4]; }
  /// True if the write rang the doorbell.
  bool write(std::uint32_t offset, std::uint32_t value) {
    words_[offset / 4] = value;
    return offset == kDoorbell && (value & 1);
  }

  std::uint64_t source() const { return pair(kSourceLow); }            // host bus address
  std::uint64_t destination() const { return pair(kDestinationLow); }  // offset in BAR0
  std::uint32_t bytes() const { return words_[kSize / 4]; }
  void complete() { words_[kSize / 4] = 0; }

  void serialize(Archive& a) { a(words_); }

 private:
  static constexpr std::uint32_t kDoorbell = 0x04;
  static constexpr std::uint32_t kSize = 0x1C;
  static constexpr std::uint32_t kSourceLow = 0x20;
  static constexpr std::uint32_t kDestinationLow = 0x28;

  std::uint64_t pair(std::uint32_t low) const { return (std::uint64_t{words_[low / 4 + 1]} << 32) | words_[low / 4]; }

  std::array<std::uint32_t, kBytes / 4> words_{};
};

}  // namespace kerr::emu

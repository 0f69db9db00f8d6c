// Address translation in the PCIe controller.   docs/hardware/host-pcie.md 1.10
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "arch/pcie.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// Sixteen outbound regions; the sixteen inbound ones only hold what was written to them.
class Iatu {
 public:
  static constexpr uint32_t kBytes = arch::pcie::kIatuRegions * arch::pcie::kIatuRegionStride;

  /// `offset` from arch::pcie::kIatuBase, below kBytes, a multiple of 4. Registers that do not exist read 0 and
  /// ignore writes.
  uint32_t read(uint32_t offset) const;
  void write(uint32_t offset, uint32_t value);

  /// Bus address of an outbound transfer: identity if no enabled region holds all of it; nothing if two do.
  std::optional<uint64_t> translate(uint64_t offset, uint64_t bytes) const;

  void serialize(Archive& a) { a(outbound_, inbound_); }

 private:
  static constexpr uint32_t kWords = 9;
  struct Region {
    std::array<uint32_t, kWords> words{};
    void serialize(Archive& a) { a(words); }
  };
  std::array<Region, arch::pcie::kIatuRegions> outbound_{};
  std::array<Region, arch::pcie::kIatuRegions> inbound_{};
};

}  // namespace kerr::emu

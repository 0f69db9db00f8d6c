// PCI configuration space of a chip.   docs/hardware/host-pcie.md 1.2
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// BARs can be sized and written, but a write changes only what the register reads: addresses are always decoded by
/// the reset bases. Offsets that are not modelled read 0 and ignore writes.
class ConfigSpace {
 public:
  /// `chip` sets the reset bases (chip d: those of chip 0 plus d * 2^36).
  explicit ConfigSpace(int chip);

  /// `offset` is a multiple of 4.
  uint32_t read(uint32_t offset) const;
  /// True if the write fired the interface timer, which makes the ARC firmware reset the chip (host-pcie.md 4.1).
  bool write(uint32_t offset, uint32_t value);

  void serialize(Archive& a) { a(command_, cache_line_, interrupt_line_, timer_target_, bars_); }

 private:
  struct BarRegister {
    uint64_t base;
    uint64_t bytes;  // a constant
    void serialize(Archive& a) { a(base); }
  };

  uint32_t command_ = 0;
  uint32_t cache_line_ = 0;
  uint32_t interrupt_line_ = 0xFF;
  uint32_t timer_target_ = 0;
  std::array<BarRegister, 3> bars_;
};

}  // namespace kerr::emu

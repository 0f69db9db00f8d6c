// What the host sees of a chip: configuration space and three BARs.   docs/hardware/host-pcie.md 1
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "arch/pcie.hpp"
#include "emu/chip/config_space.hpp"
#include "emu/chip/dma_engine.hpp"
#include "emu/chip/tlb_windows.hpp"
#include "emu/cycle.hpp"
#include "emu/observe/fault.hpp"

namespace kerr::emu {

struct Chip;

using arch::pcie::Bar;

/// Accesses take effect at once, at the machine's time, in program order, with every side effect that they have on
/// the chip. What cannot be done comes back as a fault of agent Host; a read then yields all-ones, as a real
/// function's would.
class PciFunction {
 public:
  explicit PciFunction(Chip& chip);

  uint32_t config_read(uint32_t offset) const { return config_.read(offset); }
  /// True if the host asked for a reset of the chip.
  bool config_write(uint32_t offset, uint32_t value) { return config_.write(offset, value); }

  /// Any size and alignment onto memory; registers are 4 aligned bytes. Accesses that cross the end of a window go on
  /// in the next.
  std::optional<Fault> read(Bar bar, uint64_t offset, std::span<uint8_t> out);
  std::optional<Fault> write(Bar bar, uint64_t offset, std::span<const uint8_t> bytes);

  void serialize(Archive& a) { a(config_, windows_, dma_); }

 private:
  /// Calls at_window(window, offset in it, bytes) or at_register(offset, word) for each part of what the host `did`,
  /// up to the first fault.
  template <class Byte, class AtWindow, class AtRegister>
  std::optional<Fault> each_part(const char* did, Bar bar, uint64_t offset, std::span<Byte> bytes, AtWindow at_window,
                                 AtRegister at_register);
  std::optional<Fault> read_window(int window, uint64_t offset, std::span<uint8_t> out);
  std::optional<Fault> write_window(int window, uint64_t offset, std::span<const uint8_t> bytes);
  std::optional<Fault> read_register(Bar bar, uint64_t offset, uint32_t& value);
  std::optional<Fault> write_register(Bar bar, uint64_t offset, uint32_t value);
  std::optional<Fault> run_dma();
  std::optional<uint64_t> arc_address(Bar bar, uint64_t offset) const;
  Fault refusal(FaultCategory category, uint64_t address, std::string what, std::string advice = {}) const;

  Chip& chip_;
  ConfigSpace config_;
  TlbWindows windows_;
  DmaEngine dma_;
};

}  // namespace kerr::emu

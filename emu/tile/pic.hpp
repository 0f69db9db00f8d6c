// The interrupt controller's registers. Nothing interrupts a hart yet.   docs/hardware/tile.md 1.10
#pragma once

#include <array>
#include <cstdint>

#include "emu/observe/reporter.hpp"
#include "emu/observe/wait.hpp"
#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// SW_INT registers work as the 32 atomic one-slot queues that they are. Enabling an interrupt is a fault.
class Pic {
 public:
  Pic(WaitBoard& board, Reporter& reporter) : board_(board), reporter_(reporter) {}

  /// Addresses FFB13000 .. FFB13137.
  Access load(std::uint32_t address, std::uint32_t& value);
  Access store(std::uint32_t address, std::uint32_t value);
  WaitMask watch_of(std::uint32_t address) const;
  void serialize(Archive& a) { a(software_, handlers_); }

 private:
  WaitBoard& board_;
  Reporter& reporter_;
  std::array<std::uint32_t, 32> software_{};
  std::array<std::uint32_t, 36> handlers_{};  // SW_INT_PC, HW_INT_PC
};

}  // namespace kerr::emu

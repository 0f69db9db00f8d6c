// The interrupt controller of BRISC and NCRISC.   docs/hardware/tile.md 1.10
#pragma once

#include <array>
#include <cstdint>

#include "emu/agent.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/riscv/interrupts.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// What a Pic needs of the code that runs the harts.
class InterruptHost {
 public:
  /// Something is raised or enabled that was not: a parked hart may have to go on.
  virtual void interrupts_changed() = 0;
  /// `hart` may have executed instructions of cycles after the acting agent's: exact timing, where harts run ahead.
  virtual bool may_be_ahead(arch::Hart hart) const = 0;

 protected:
  ~InterruptHost() = default;
};

/// SW_INT registers are 32 atomic one-slot queues, and interrupts: non-zero is raised. Of the four hardware interrupts
/// only the two of the NIUs are ever raised. Whatever is raised stays so until somebody reads it.
///
/// In exact timing a hart with an enabled interrupt does not run ahead, so the first enable must come from the hart
/// itself, or from the host between windows, or in reset.
class Pic final : public Interrupts {
 public:
  static constexpr unsigned kSoftware = 32, kHardware = 4;
  static constexpr unsigned kNiuInterrupt = 1;  // hardware interrupt of NIU 0; NIU 1 has the next

  Pic(WaitBoard& board, InterruptHost& host, Reporter& reporter) : board_(board), host_(host), reporter_(reporter) {}

  /// Addresses FFB13000 .. FFB13137.
  Access load(uint32_t address, uint32_t& value);
  Access store(uint32_t address, uint32_t value);
  WaitMask watch_of(uint32_t address) const;

  void raise_hardware(unsigned interrupt);

  bool enabled(arch::Hart hart) const override { return interrupts(hart) && enabled_[side(hart)] != 0; }
  bool pending(arch::Hart hart) const override { return enabled(hart) && raised_for(hart) != 0; }
  uint32_t next_handler(arch::Hart hart) override;

  void serialize(Archive& a) {
    a(software_, handlers_, raised_, enabled_);
    for (uint32_t& number : numbers_) a.below(kSoftware + kHardware, number);
  }

 private:
  static bool interrupts(arch::Hart hart) { return hart == arch::Hart::Brisc || hart == arch::Hart::Ncrisc; }
  static size_t side(arch::Hart hart) { return static_cast<size_t>(hart); }
  uint64_t raised_for(arch::Hart hart) const;
  uint64_t* enables_of(uint32_t address, unsigned& shift);

  WaitBoard& board_;
  InterruptHost& host_;
  Reporter& reporter_;
  std::array<uint32_t, kSoftware> software_{};
  std::array<uint32_t, kSoftware + kHardware> handlers_{};  // SW_INT_PC, HW_INT_PC
  uint32_t raised_ = 0;                                     // hardware interrupts, one bit each
  std::array<uint64_t, 2> enabled_{};                       // of BRISC and NCRISC: software, then hardware interrupts
  std::array<uint32_t, 2> numbers_{};                       // INT_NO
};

}  // namespace kerr::emu

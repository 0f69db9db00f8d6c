// What an Ethernet tile has instead of a coprocessor: reset of its two harts, and queues to a link that is down.
// docs/hardware/noc.md 9, host-pcie.md 6.9
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "arch/ethernet_registers.hpp"
#include "emu/agent.hpp"
#include "emu/memory/l1.hpp"
#include "emu/observe/reporter.hpp"
#include "emu/riscv/hart.hpp"
#include "emu/snapshot/archive.hpp"
#include "emu/tile/debug_interface.hpp"
#include "emu/tile/debug_registers.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

/// E0 is the hart of index Brisc, E1 that of index Ncrisc; the other three never leave reset.
///
/// A hart that is released while its reset PC is 0 would run Tenstorrent's base firmware, which Kerr does not have: it
/// stays where it is. All of that firmware that can be seen is what it has left in L1 (leave_boot_results) and its
/// heartbeat.
class EthernetRegisters {
 public:
  EthernetRegisters(std::array<Hart, kHarts>& harts, L1& l1, DebugInterface& debug, WaitBoard& board,
                    Reporter& reporter);

  /// Control page, PIC, queues, header table, classifier and MAC.
  static bool holds(uint32_t address);
  static std::string name(uint32_t address);

  /// Aligned words for which holds() is true.
  Access load(uint32_t address, uint32_t& value, Cycle now);
  Access store(uint32_t address, uint32_t value, Cycle now);
  WaitMask watch_of(uint32_t address) const;
  ClockPart clock_of(uint32_t address, Cycle now) const { return clock_.part_of(address, now); }

  /// The host has read [address, address + bytes) of L1: the base firmware, while E0 is its own, moves on its
  /// heartbeat.
  void host_has_read(uint64_t address, uint64_t bytes);

  void serialize(Archive& a) {
    a(clock_, soft_reset_, reset_pc_, tx_, rx_, headers_, rx_routing_);
    bool is_debugged = debugged_ != nullptr;
    a.machinery(is_debugged);
    if (a.loading()) debugged_ = is_debugged ? std::make_unique<Debugged>() : nullptr;
    if (debugged_) a(*debugged_);
  }

 private:
  static constexpr size_t kQueueWords = 35;   // registers 0x00 .. 0x88
  static constexpr size_t kHeaderWords = 29;  // 0x00 .. 0x70
  using Queue = std::array<uint32_t, kQueueWords>;

  struct Debugged {  // registers of the debug page
    uint32_t control = 0, data = 0, status = 0, result = 0, bus_control = 0;
    void serialize(Archive& a) { a(control, data, status, result, bus_control); }
  };

  uint32_t* storage(uint32_t address);
  uint32_t* debug_word(uint32_t address);
  void control_debug(uint32_t value, Cycle now);
  void write_soft_reset(uint32_t value, Cycle now);
  Hart& hart(int index) { return harts_[index == 0 ? 0 : static_cast<size_t>(arch::Hart::Ncrisc)]; }

  std::array<Hart, kHarts>& harts_;
  L1& l1_;
  DebugInterface& debug_;
  WaitBoard& board_;
  Reporter& reporter_;

  WallClock clock_;
  uint32_t soft_reset_ = arch::ethernet::kSoftResetMask;
  std::array<uint32_t, arch::ethernet::kHarts> reset_pc_{};
  std::array<Queue, arch::ethernet::kQueues> tx_{};
  std::array<Queue, arch::ethernet::kQueues> rx_{};
  std::array<std::array<uint32_t, kHeaderWords>, arch::ethernet::kTxHeaders> headers_{};
  std::array<uint32_t, 2> rx_routing_{0, 0xA00};
  std::unique_ptr<Debugged> debugged_;  // made by the first store: nobody else's state is another for it
};

}  // namespace kerr::emu

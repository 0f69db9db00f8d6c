// What software and snapshots see of a hart.   docs/hardware/tile.md 1
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/cycle.hpp"
#include "emu/wait.hpp"

namespace kerr::emu {

enum class HartStatus : uint8_t {
  InReset,
  Running,
  Blocked,  // on a load, store or push that has to wait: waits_for
  Parked,   // in a polling loop that nothing has changed yet: waits_for
  Halted,   // by a fault
  Paused,   // at an ecall or ebreak, until a reset: nobody else stands still
};

struct HartState {
  using Registers = std::array<uint32_t, 32>;

  // What most instructions need comes first: the fast loop reaches it from one pointer.
  Registers x{};
  Registers f{};             // FP32 patterns
  bool floats_done = false;  // since fcsr was written

  HartStatus status = HartStatus::InReset;
  WaitMask waits_for = 0;
  Cycle cycle = 0;
  uint32_t pc = 0;
  uint64_t instructions = 0;                        // retired; those skipped while parked up to wake() or catch_up()
  std::array<uint32_t, 24> csrs{arch::kCfg0Reset};  // those that are storage: csr.cpp
  bool in_handler = false;                          // of an interrupt
  uint32_t return_pc = 0;                           // where mret goes
  std::span<uint8_t> local;                         // local memory; empty until the hart first leaves reset

  bool running() const { return status == HartStatus::Running; }
  bool parked() const { return status == HartStatus::Parked; }
  bool asleep() const { return status == HartStatus::Blocked || parked(); }
  /// In the hart's own local memory.
  bool is_private(uint32_t address) const { return address - arch::kLdmBase < local.size(); }
  uint8_t* at_private(uint32_t address) const { return local.data() + (address - arch::kLdmBase); }

  /// All but time, instructions and local memory, as a reset leaves it.
  void reset(uint32_t begin) {
    pc = begin;
    x.fill(0);
    f.fill(0);
    csrs.fill(0);
    csrs[0] = arch::kCfg0Reset;
    floats_done = in_handler = false;
  }
};

}  // namespace kerr::emu

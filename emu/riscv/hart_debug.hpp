// The debug unit of a hart: what DR registers hold, and when the hart pauses for them.   docs/hardware/tile.md 1.11
#pragma once

#include <array>
#include <cstdint>

#include "emu/snapshot/archive.hpp"

namespace kerr::emu {

/// A hart has one from the first write to its DR registers on.
struct HartDebug {
  enum Register : uint32_t { kStatus, kCommand, kArgument0, kArgument1, kResult, kModes, kAddresses = 10, kEnd = 18 };
  static constexpr uint32_t kPoints = 8;
  enum Status : uint32_t { kPaused = 1, kBreakpoint = 2, kWatchpoint = 4, kEbreak = 8, kPoint0 = 0x100 };
  enum Command : uint32_t {
    kPause = 1,
    kStep = 2,
    kContinue = 4,
    kReadRegister = 8,
    kWriteRegister = 0x10,
    kReadMemory = 0x20,
    kWriteMemory = 0x40,
    kZeroRegisters = 0x80,
    kWritePc = 0x100,
  };
  /// What an instruction loads or stores.
  struct Access {
    bool loads = false, stores = false;
    uint32_t address = 0, bytes = 0;
  };

  /// It has to be looked at behind each instruction.
  bool looks() const { return steps || has_points(); }
  bool has_points() const { return (registers[kModes] & 0x8888'8888) != 0; }
  /// Behind the instruction at `pc`: whether the hart pauses.
  bool executed(uint32_t pc, const Access& access) {
    hits = 0;
    for (uint32_t i = 0; has_points() && i < kPoints; ++i) {
      const uint32_t mode = registers[kModes] >> 4 * i & 15, at = registers[kAddresses + i];
      if (mode == 8 && at == pc) hits |= kBreakpoint | kPoint0 << i;
      const bool watches =
          (mode == 9 || mode == 11) ? access.loads || (mode == 11 && access.stores) : mode == 10 && access.stores;
      if (watches && at - access.address < access.bytes) hits |= kWatchpoint | kPoint0 << i;
    }
    paused = steps || hits != 0;
    steps = false;
    return paused;
  }
  void serialize(Archive& a) { a(registers, hits, paused, steps, ignores_step); }

  std::array<uint32_t, kEnd> registers{};
  uint32_t hits = 0;          // status of the present pause
  bool paused = false;        // by all but an ebreak or ecall, which the hart does by itself
  bool steps = false;         // it pauses behind its next instruction
  bool ignores_step = false;  // a step is two commands, of which the second does nothing
};

}  // namespace kerr::emu

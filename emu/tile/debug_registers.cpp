#include "emu/tile/debug_registers.hpp"

#include <fmt/format.h>

#include "arch/memory_map.hpp"
#include "arch/tile_registers.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kConfigWordMask = 0x7FF;
constexpr uint32_t kDstHighHalf = 1u << 11;  // of DBG_FEATURE_DISABLE: DstAddressing::high_half
constexpr uint32_t kTimestampControlAfterPowerOn = 3;

// Storage that has no row in arch::kTileRegisters: performance counters, L1 debug words, legacy breakpoints.
bool unnamed_storage(uint32_t address) {
  const uint32_t offset = address - arch::kDebugBase;
  return offset <= 0x020 || (offset >= 0x030 && offset <= 0x03C) || (offset >= 0x048 && offset <= 0x050) ||
         (offset >= 0x1C0 && offset <= 0x1C8);
}

// Where Wormhole has registers. tt-umd's start-up program stores there on Blackhole cards as well, and the harts go on.
bool ignores_stores(uint32_t address) { return address >= 0xFFB1'2278 && address <= 0xFFB1'228C; }

// Registers whose effect or value Kerr does not model. A store of 0 to those that can be written is harmless.
bool unmodelled(uint32_t address) {
  switch (address) {
    case arch::kDbgRdData:
    case arch::kDbgArrayRdData:
    case arch::kTimestampStatus: return true;
    default: return false;
  }
}

}  // namespace

DebugRegisters::DebugRegisters(ResetControl& reset, SyncWindow& sync, Coprocessor& coprocessor,
                               tensix::Windows& windows, DebugInterface& debug, WaitBoard& board, Reporter& reporter)
    : reset_(reset),
      sync_(sync),
      coprocessor_(coprocessor),
      windows_(windows),
      debug_(debug),
      board_(board),
      reporter_(reporter) {
  word(arch::kTimestampCtrl) = kTimestampControlAfterPowerOn;
}

uint32_t& DebugRegisters::word(uint32_t address) { return storage_[(address - arch::kDebugBase) / 4]; }

Access DebugRegisters::unsupported(uint32_t address, const char* action, const char* why) const {
  return reporter_.fault(
      FaultCategory::Unsupported, address,
      fmt::format("{} of debug register {}: {} ({})", action, register_name(address), why, nearest_register(address)));
}

bool WallClock::load(uint32_t address, uint32_t& value, Cycle now, WaitBoard& board) {
  switch (address) {
    case arch::kWallClockL:
      latch(now);
      value = static_cast<uint32_t>(now);
      return true;
    case arch::kWallClock1: value = static_cast<uint32_t>(now >> 32); return true;
    case arch::kWallClockH:
      // A parked hart may have read the low word since.
      if (high_at_ != now >> 32) board.about_to_change(wait::kTime);
      value = high_at_;
      return true;
    default: return false;
  }
}

bool WallClock::store(uint32_t address, Cycle now) {
  if (address == arch::kWallClockL) latch(now);
  return address == arch::kWallClockL || address == arch::kWallClock1 || address == arch::kWallClockH;
}

// The latched high word is the clock's as long as it is not an old one.
ClockPart WallClock::part_of(uint32_t address, Cycle now) const {
  switch (address) {
    case arch::kWallClockL: return ClockPart::Low;
    case arch::kWallClock1: return ClockPart::High;
    case arch::kWallClockH: return high_at_ == now >> 32 ? ClockPart::High : ClockPart::None;
    default: return ClockPart::None;
  }
}

Access DebugRegisters::load(uint32_t address, uint32_t& value, Cycle now) {
  value = 0;
  if (ResetControl::holds(address)) {
    value = reset_.load(address);
    return Access::Done;
  }
  if (clock_.load(address, value, now, board_)) return Access::Done;
  switch (address) {
    case arch::kSoftReset0: value = reset_.soft_reset(); return Access::Done;
    case arch::kCfgRegRdData: value = config_word_; return Access::Done;
    case arch::kTriscPcBufOverride: value = sync_.overrides(); return Access::Done;
    case arch::kInstrnBufStatus: value = coprocessor_.fifo_status(); return Access::Done;
    case arch::kTimestamp:
    case arch::kEccStatus: return Access::Done;
    case arch::kDbgRdData:
      if (coprocessor_.debug_bus_read(word(arch::kDbgBusCtrl), value)) return Access::Done;
      if (const auto pc = debug_.pc_on_bus(word(arch::kDbgBusCtrl))) {
        value = *pc;
        return Access::Done;
      }
      break;
    default: break;
  }
  if (unnamed_storage(address) || (arch::find_tile_register(address) && !unmodelled(address))) {
    value = word(address);
    return Access::Done;
  }
  return unsupported(address, "load",
                     unmodelled(address) ? "Kerr does not model its value" : "there is no such register");
}

Access DebugRegisters::store(uint32_t address, uint32_t value, Cycle now) {
  board_.about_to_change(wait::kDebugRegisters);
  if (ResetControl::holds(address)) {
    reset_.store(address, value);
    return Access::Done;
  }
  if (clock_.store(address, now)) return Access::Done;
  switch (address) {
    case arch::kSoftReset0: reset_.write_soft_reset(value, now); return Access::Done;
    case arch::kCfgRegRdCntl:
      word(address) = value;
      return windows_.load_config(4 * (value & kConfigWordMask), config_word_);
    case arch::kTriscPcBufOverride: sync_.set_overrides(value); return Access::Done;
    case arch::kRiscDbgCntl0: control_debug(value, now); return Access::Done;
    case arch::kInstrnBufCtrl0: return push_instructions(value, now);
    case arch::kDbgFeatureDisable:
      word(address) = value;
      coprocessor_.state.dst.set_high_half((value & kDstHighHalf) != 0);
      return Access::Done;
    case arch::kTimestamp: return unsupported(address, "store", "Kerr does not model the timestamp dump");
    default: break;
  }
  if (ignores_stores(address)) return Access::Done;
  const arch::TileRegister* row = arch::find_tile_register(address);
  if (!row && !unnamed_storage(address)) return unsupported(address, "store", "there is no such register");
  if (row && row->access == arch::RegisterAccess::ReadOnly) {
    return reporter_.fault(FaultCategory::UndefinedBehavior, address,
                           fmt::format("store of {:#x} to {}, which is read only", value, register_name(address)));
  }
  if (unmodelled(address) && value != 0) return unsupported(address, "store", "Kerr does not model its effect");
  word(address) = value;
  return Access::Done;
}

void DebugRegisters::control_debug(uint32_t value, Cycle now) {
  DebugInterface::Words words{.control = word(arch::kRiscDbgCntl0),
                              .data = word(arch::kRiscDbgCntl1),
                              .status = word(arch::kRiscDbgStatus0),
                              .result = word(arch::kRiscDbgStatus1)};
  debug_.control(words, value, now);
  word(arch::kRiscDbgCntl0) = words.control;
  word(arch::kRiscDbgStatus0) = words.status;
  word(arch::kRiscDbgStatus1) = words.result;
}

// A bit 4 + i that goes from 0 to 1 pushes the word in INSTRN_BUF_CTRL1 to thread i, if the debug bus owns its FIFO.
Access DebugRegisters::push_instructions(uint32_t value, Cycle now) {
  const uint32_t before = word(arch::kInstrnBufCtrl0);
  word(arch::kInstrnBufCtrl0) = value & 0xFF;
  coprocessor_.debug_owned = value & 7;
  for (int thread = 0; thread < kThreads; ++thread) {
    if (!((value & ~before) >> (4 + thread) & 1) || !(value >> thread & 1)) continue;
    if (coprocessor_.threads[thread].front.push_after_mop(word(arch::kInstrnBufCtrl1), now)) continue;
    return reporter_.fault(FaultCategory::UndefinedBehavior, arch::kInstrnBufCtrl0,
                           fmt::format("the debug bus pushes into the full FIFO of thread {}", thread),
                           "Look at INSTRN_BUF_STATUS first.");
  }
  return Access::Done;
}

WaitMask DebugRegisters::watch_of(uint32_t address) const {
  const arch::TileRegister* row = arch::find_tile_register(address);
  return (row && row->pure) || unnamed_storage(address) ? wait::kDebugRegisters : 0;
}

}  // namespace kerr::emu

#include "emu/tile/tdma_registers.hpp"

#include <fmt/format.h>

#include "arch/tile_registers.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kClockGateEnableMask = 0xFFFFFF7F;
constexpr uint32_t kClockGateHysteresisMask = 0x01FF007F;
constexpr uint32_t kIdleStatus = 0x428;  // four free command slots, both queues empty

// Commands, in the low byte.
enum Command : uint32_t { kMove = 0x40, kWaitForMover = 0x46, kWriteL1 = 0x66, kNop = 0x89 };
constexpr uint32_t kCompact = 1u << 31;  // without parameters
constexpr unsigned kUnitBytes = 16;

// BRISC, TRISC0, TRISC1, TRISC2
size_t index_of(arch::Hart hart) { return hart == arch::Hart::Brisc ? 0 : static_cast<size_t>(thread_of(hart)) + 1; }

bool is_parameter(uint32_t address) { return address >= arch::kTdmaXmovSource && address <= arch::kTdmaXmovDirection; }

}  // namespace

Access TdmaRegisters::unsupported(uint32_t address, const char* action) const {
  return reporter_.fault(FaultCategory::Unsupported, address,
                         fmt::format("{} of TDMA register {}: Kerr models mover commands and clock gating only ({})",
                                     action, register_name(address), nearest_register(address)));
}

// Silicon lets a third command with parameters corrupt the queue; here none is ever left in it.
Access TdmaRegisters::command(uint32_t value, uint32_t compact_base) {
  using Job = tensix::MoverJob;
  const bool compact = (value & kCompact) != 0;
  switch (value & 0xFF) {
    case kWaitForMover:
    case kNop: return Access::Done;
    case kWriteL1: return write_l1(value);
    case kMove: {
      Job job;
      if (compact) {
        job.source = uint64_t{compact_base + (value >> 8 & 0xFF)} * kUnitBytes;
        job.destination = (value >> 16 & 0xFF) * kUnitBytes;
        job.bytes = (value >> 24 & 0x3F) * kUnitBytes;
        job.direction = value >> 30 & 1 ? Job::L1ToL1 : Job::L1ToConfig;
      } else {
        job.source = uint64_t{parameters_[0]} * kUnitBytes;
        job.destination = uint64_t{parameters_[1]} * kUnitBytes;
        job.bytes = (parameters_[2] & 0xFFFF) * kUnitBytes;
        job.direction = static_cast<Job::Direction>(parameters_[3] & 3);
      }
      const tensix::Issue moved = coprocessor_.move(job);
      const tensix::Issue::Problem* problem = moved.problem();
      return problem ? reporter_.fault(problem->category, arch::kTdmaCommand, problem->what, problem->advice)
                     : Access::Done;
    }
    default:
      return reporter_.fault(FaultCategory::UndefinedBehavior, arch::kTdmaCommand,
                             fmt::format("TDMA command {:#010x}", value),
                             "The commands are 0x40 (move), 0x46 (wait), 0x66 (write L1) and 0x89 (nothing).");
  }
}

// 32 bits, or 64 with bit 8, of parameters 2 and 3 to the byte address in parameter 0.
Access TdmaRegisters::write_l1(uint32_t command) {
  constexpr uint32_t kNeeded = 3u << 9, kWide = 1u << 8;
  const unsigned bytes = command & kWide ? 8 : 4;
  const uint32_t address = parameters_[0];
  if ((command & kCompact) || (command & kNeeded) != kNeeded) {
    return reporter_.fault(
        FaultCategory::UndefinedBehavior, arch::kTdmaCommand,
        fmt::format("TDMA command {:#010x}: a write to L1 takes parameters, and bits 10:9 set", command));
  }
  if (!L1::contains(address, bytes) || address % bytes != 0) {
    return reporter_.fault(FaultCategory::OutOfBounds, address,
                           fmt::format("TDMA write of {} bytes at {:#x}: no aligned place in L1", bytes, address));
  }
  if (bytes == 8) {
    l1_.store(address, uint64_t{parameters_[3]} << 32 | parameters_[2]);
  } else {
    l1_.store(address, parameters_[2]);
  }
  return Access::Done;
}

Access TdmaRegisters::load(uint32_t address, uint32_t& value, arch::Hart hart) const {
  if (is_parameter(address) || address == arch::kTdmaCommand) {
    value = 0;  // write only in effect
  } else if (address == arch::kTdmaStatus) {
    value = kIdleStatus;
  } else if (address == arch::kTdmaClkGateEn) {
    value = clock_gate_enable_;
  } else if (address == arch::kTdmaClkGateHyst) {
    value = clock_gate_hysteresis_;
  } else if (address == arch::kTdmaXmovL1BaseAddr) {
    value = compact_base_[index_of(hart)];
  } else {
    return unsupported(address, "load");
  }
  return Access::Done;
}

Access TdmaRegisters::store(uint32_t address, uint32_t value, arch::Hart hart) {
  if (held_) return Access::Done;
  board_.about_to_change(wait::kTdma);
  if (is_parameter(address)) {
    parameters_[(address - arch::kTdmaXmovSource) / 4] = value;
  } else if (address == arch::kTdmaClkGateEn) {
    clock_gate_enable_ = value & kClockGateEnableMask;
  } else if (address == arch::kTdmaClkGateHyst) {
    clock_gate_hysteresis_ = value & kClockGateHysteresisMask;
  } else if (address == arch::kTdmaXmovL1BaseAddr) {
    compact_base_[index_of(hart)] = value;
  } else if (address == arch::kTdmaCommand) {
    return command(value, compact_base_[index_of(hart)]);
  } else {
    return unsupported(address, "store");
  }
  return Access::Done;
}

WaitMask TdmaRegisters::watch_of(uint32_t address) const {
  const arch::TileRegister* row = arch::find_tile_register(address);
  return row && row->pure ? wait::kTdma : 0;
}

void TdmaRegisters::hold_reset(bool held) {
  board_.about_to_change(wait::kTdma);
  held_ = held;
  if (held) parameters_ = {};
}

}  // namespace kerr::emu

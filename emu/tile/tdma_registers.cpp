#include "emu/tile/tdma_registers.hpp"

#include <fmt/format.h>

#include "arch/tile_registers.hpp"
#include "emu/observe/state_hash.hpp"
#include "emu/tile/register_names.hpp"

namespace kerr::emu {

namespace {

constexpr std::uint32_t kClockGateEnableMask = 0xFFFFFF7F;
constexpr std::uint32_t kClockGateHysteresisMask = 0x01FF007F;
constexpr std::uint32_t kIdleStatus = 0x428;  // four free command slots, both queues empty
constexpr std::uint32_t kNop = 0x89;

bool is_parameter(std::uint32_t address) {
  return address >= arch::kTdmaXmovSource && address <= arch::kTdmaXmovDirection;
}

}  // namespace

Access TdmaRegisters::unsupported(std::uint32_t address, const char* action) const {
  return reporter_.fault(
      FaultCategory::Unsupported, address,
      fmt::format("{} of TDMA register {}: Kerr models parameters, clock gating and the idle status only ({})", action,
                  register_name(address), nearest_register(address)));
}

Access TdmaRegisters::load(std::uint32_t address, std::uint32_t& value) const {
  if (is_parameter(address) || address == arch::kTdmaCommand) {
    value = 0;  // write only in effect
  } else if (address == arch::kTdmaStatus) {
    value = kIdleStatus;
  } else if (address == arch::kTdmaClkGateEn) {
    value = clock_gate_enable_;
  } else if (address == arch::kTdmaClkGateHyst) {
    value = clock_gate_hysteresis_;
  } else {
    return unsupported(address, "load");
  }
  return Access::Done;
}

Access TdmaRegisters::store(std::uint32_t address, std::uint32_t value) {
  if (held_) return Access::Done;
  board_.about_to_change(wait::kTdma);
  if (is_parameter(address)) {
    parameters_[(address - arch::kTdmaXmovSource) / 4] = value;
  } else if (address == arch::kTdmaClkGateEn) {
    clock_gate_enable_ = value & kClockGateEnableMask;
  } else if (address == arch::kTdmaClkGateHyst) {
    clock_gate_hysteresis_ = value & kClockGateHysteresisMask;
  } else if (address == arch::kTdmaCommand && (value & 0xFF) == kNop) {
    return Access::Done;
  } else {
    return unsupported(address, "store");
  }
  return Access::Done;
}

WaitMask TdmaRegisters::watch_of(std::uint32_t address) const {
  const arch::TileRegister* row = arch::find_tile_register(address);
  return row && row->pure ? wait::kTdma : 0;
}

void TdmaRegisters::hold_reset(bool held) {
  board_.about_to_change(wait::kTdma);
  held_ = held;
  if (held) parameters_ = {};
}

std::uint64_t TdmaRegisters::state_hash() const {
  StateHash hash;
  hash.add(parameters_);
  hash.add(clock_gate_enable_);
  hash.add(clock_gate_hysteresis_);
  return hash.value();
}

}  // namespace kerr::emu

#include "emu/tile/debug_interface.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "arch/bytes.hpp"
#include "emu/memory/l1_size.hpp"

namespace kerr::emu {

namespace {

constexpr uint32_t kTrigger = 1u << 31, kValid = 1u << 30, kWrite = 1u << 16;
constexpr uint32_t kIndex = 0x7FF;
constexpr uint32_t kPcRegister = 32;

constexpr uint32_t which(uint32_t control) { return control >> 17 & 3; }

constexpr bool is_storage(uint32_t index) {
  return index == HartDebug::kArgument0 || index == HartDebug::kArgument1 || index == HartDebug::kModes ||
         (index >= HartDebug::kAddresses && index < HartDebug::kEnd);
}

constexpr bool is_ethernet(TileId tile) { return tile.y() == 1; }

bool is_paused(const Hart& hart) { return hart.state().status == HartStatus::Paused; }
// At an ebreak or ecall, to which pc points. Debuggers see the next instruction, as on silicon.
bool at_ebreak(const Hart& hart) { return is_paused(hart) && !(hart.debug_unit() && hart.debug_unit()->paused); }
uint32_t pc_of(const Hart& hart) { return hart.state().pc + (at_ebreak(hart) ? 4 : 0); }

}  // namespace

Hart* DebugInterface::hart_of(uint32_t control) {
  constexpr arch::Hart kTensix[] = {arch::Hart::Brisc, arch::Hart::Trisc0, arch::Hart::Trisc1, arch::Hart::Trisc2};
  constexpr arch::Hart kEthernet[] = {arch::Hart::Brisc, arch::Hart::Ncrisc};
  const uint32_t number = which(control);
  if (!is_ethernet(tile_)) return &harts_[static_cast<size_t>(kTensix[number])];
  return number < std::size(kEthernet) ? &harts_[static_cast<size_t>(kEthernet[number])] : nullptr;
}

void DebugInterface::control(Words& words, uint32_t value, Cycle now) {
  const bool triggers = (value & ~words.control & kTrigger) != 0;
  words.control = value;
  words.status =
      (words.status & kValid) | (value & (kIndex | kTrigger)) | ((value & kWrite) != 0 ? 1u << (13 + which(value)) : 0);
  if (!triggers) return;
  words.status &= ~kValid;
  Hart* const hart = hart_of(value);
  if ((value & kWrite) != 0) {
    if (hart != nullptr) write(*hart, value & kIndex, words.data, now);
    return;
  }
  words.result = hart == nullptr ? 0 : read(*hart, value & kIndex);
  words.status |= kValid;
}

uint32_t DebugInterface::read(const Hart& hart, uint32_t index) const {
  const HartDebug* const unit = hart.debug_unit();
  if (index == HartDebug::kStatus) {
    if (!is_paused(hart)) return 0;
    return HartDebug::kPaused | (at_ebreak(hart) ? uint32_t{HartDebug::kEbreak} : unit->hits);
  }
  return unit && index < HartDebug::kEnd ? unit->registers[index] : 0;
}

void DebugInterface::write(Hart& hart, uint32_t index, uint32_t value, Cycle now) {
  if (index == HartDebug::kCommand) return command(hart, value, now);
  if (!is_storage(index)) return;
  // A hart that polls passes what is new.
  board_.about_to_change(~WaitMask{0});
  hart.make_debug_unit().registers[index] = value;
}

void DebugInterface::command(Hart& hart, uint32_t bits, Cycle now) {
  HartDebug& unit = hart.make_debug_unit();
  unit.registers[HartDebug::kCommand] = bits;
  const bool steps = (bits & (HartDebug::kStep | HartDebug::kContinue | HartDebug::kWritePc)) == HartDebug::kStep;
  if (steps && unit.ignores_step) {
    unit.ignores_step = false;
    return;
  }
  if ((bits & (HartDebug::kPause | HartDebug::kContinue)) != 0) unit.ignores_step = false;
  const HartStatus status = hart.state().status;
  if (status == HartStatus::InReset || status == HartStatus::Halted) return;
  if ((bits & HartDebug::kPause) != 0 && !is_paused(hart)) {
    board_.about_to_change(~WaitMask{0});  // whoever sleeps is brought up to now
    HartState& state = hart.change();
    state.status = HartStatus::Paused;
    state.waits_for = 0;
    unit.paused = true;
    unit.steps = false;
    unit.hits = 0;
  }
  if (!is_paused(hart)) return;
  HartState& state = hart.change();
  const uint32_t argument = unit.registers[HartDebug::kArgument0], data = unit.registers[HartDebug::kArgument1];
  uint32_t& result = unit.registers[HartDebug::kResult];
  if ((bits & HartDebug::kReadRegister) != 0) {
    result = argument < state.x.size() ? state.x[argument] : argument == kPcRegister ? pc_of(hart) : 0;
  }
  if ((bits & HartDebug::kWriteRegister) != 0 && argument > 0 && argument < state.x.size()) state.x[argument] = data;
  if ((bits & HartDebug::kZeroRegisters) != 0) state.x.fill(0);
  if ((bits & HartDebug::kReadMemory) != 0) {
    result = load(hart, argument & ~3u);
  } else if ((bits & HartDebug::kWriteMemory) != 0) {
    store(hart, argument & ~3u, data);
  }
  if ((bits & HartDebug::kWritePc) != 0) {
    state.pc = data;
    unit.paused = true;
    unit.hits = 0;
  }
  if (steps || (bits & HartDebug::kContinue) != 0) {
    unit.steps = unit.ignores_step = steps;
    resume(hart, now);
  }
}

void DebugInterface::resume(Hart& hart, Cycle now) {
  HartDebug& unit = hart.make_debug_unit();
  HartState& state = hart.change();
  state.pc = pc_of(hart);
  unit.paused = false;
  unit.hits = 0;
  state.cycle = std::max(state.cycle, board_.start_of(agent_of(hart.index()), now));
  state.status = HartStatus::Running;
}

// As the hart's lw and sw; one that would have to wait reads 0 and stores nothing.
uint32_t DebugInterface::load(Hart& hart, uint32_t address) {
  const HartState& state = hart.state();
  uint32_t value = 0;
  if (in_l1(tile_, address, 4)) {
    l1_.read(address, arch::as_uint8(value));
  } else if (state.is_private(address)) {
    std::memcpy(&value, state.at_private(address), 4);
  } else if (BusReply reply; bus_.load(hart.index(), address, 4, reply) == Access::Done) {
    value = reply.value;
  }
  return value;
}

void DebugInterface::store(Hart& hart, uint32_t address, uint32_t value) {
  HartState& state = hart.change();
  if (in_l1(tile_, address, 4)) {
    l1_.write(address, arch::as_uint8(value));
  } else if (state.is_private(address)) {
    std::memcpy(state.at_private(address), &value, 4);
  } else {
    BusReply reply;
    bus_.store(hart.index(), address, 4, value, reply);
  }
}

std::optional<uint32_t> DebugInterface::pc_on_bus(uint32_t bus_control) {
  constexpr uint32_t kDaisy = 7, kSlice = 1, kBits = 0x3FFF'FFFF;
  constexpr std::array<uint32_t, kHarts> kTensix{11, 25, 13, 15, 17};  // by arch::Hart
  constexpr std::array<uint32_t, 2> kEthernet{19, 21};                 // E0, E1
  const std::span<const uint32_t> signals = is_ethernet(tile_) ? std::span<const uint32_t>(kEthernet) : kTensix;
  if ((bus_control >> 16 & 0xFF) != kDaisy || (bus_control >> 25 & 3) != kSlice) return std::nullopt;
  const auto found = std::ranges::find(signals, bus_control & 0xFFFF);
  if (found == signals.end()) return std::nullopt;
  board_.about_to_change(~WaitMask{0});
  return pc_of(harts_[static_cast<size_t>(found - signals.begin())]) & kBits;
}

}  // namespace kerr::emu

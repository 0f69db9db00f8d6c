#include "debug/machine_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/ethernet_registers.hpp"
#include "arch/harvesting.hpp"
#include "debug/elf_writer.hpp"
#include "debug/symbol_file.hpp"
#include "emu/memory/l1_size.hpp"
#include "emu/observe/agent_names.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::debug {

namespace {

constexpr uint32_t kHartsOfPid = 8;

int harts_of(emu::TileId tile) { return tile.y() == 1 ? arch::ethernet::kHarts : arch::kHarts; }

}  // namespace

void MachineTarget::begin(emu::Machine& machine, std::vector<Code> code, bool is_recorded) {
  machine_ = &machine;
  code_ = std::move(code);
  is_recorded_ = is_recorded;
  tiles_.clear();
  for (int chip = 0; chip < machine.chips(); ++chip) {
    const emu::NocGeometry& geometry = machine.chip(chip).geometry;
    for (const bool tensix : {true, false}) {
      for (int node = 0; node < arch::kGridTiles; ++node) {
        const auto at = static_cast<uint8_t>(node);
        if (geometry.has_harts(at) && (geometry.class_of(at) == arch::TileClass::Tensix) == tensix)
          tiles_.push_back({static_cast<uint8_t>(chip), at});
      }
    }
  }
}

void MachineTarget::end() {
  machine_ = nullptr;
  tiles_.clear();
}

Pid MachineTarget::pid_of(emu::TileId tile, arch::Hart hart) const {
  const auto found = std::ranges::find(tiles_, tile);
  return found == tiles_.end()
             ? 0
             : 1 + kHartsOfPid * static_cast<uint32_t>(found - tiles_.begin()) + static_cast<uint32_t>(hart);
}

Pid MachineTarget::pid_of(const emu::Stop& stop) const {
  const auto hart = static_cast<int>(stop.agent) - static_cast<int>(emu::Agent::Brisc);
  return hart >= 0 && hart < emu::kHarts ? pid_of(stop.tile, static_cast<arch::Hart>(hart)) : 0;
}

std::optional<MachineTarget::Place> MachineTarget::place_of(Pid pid) const {
  if (pid == 0) return std::nullopt;
  const uint32_t tile = (pid - 1) / kHartsOfPid, hart = (pid - 1) % kHartsOfPid;
  if (tile >= tiles_.size() || hart >= static_cast<uint32_t>(harts_of(tiles_[tile]))) return std::nullopt;
  return Place{tiles_[tile], static_cast<arch::Hart>(hart)};
}

// The tile that runs must not be brought to the present: it is on its way there.
emu::Tile& MachineTarget::tile(emu::TileId id) {
  emu::TileTable& tiles = machine_->chip(id.chip).tiles;
  return running_ == id ? *tiles.find(id.node) : tiles.at_present(id.node);
}

emu::TileStops& MachineTarget::stops(const Place& place) { return tile(place.tile).stops(debugger_); }

// What was asleep may have something to do now.
void MachineTarget::changed(const Place& place) {
  if (running_ == place.tile) return;
  emu::TileTable& tiles = machine_->chip(place.tile.chip).tiles;
  tiles.set_next_event(place.tile.node, tile(place.tile).next_event());
}

// --- what there is ---------------------------------------------------------------------------------------------------

std::vector<Process> MachineTarget::processes() {
  std::vector<Process> all;
  const auto add = [&](const Place& place) {
    tile(place.tile);  // at the present
    const Code* const code = code_of(place);
    all.push_back({pid_of(place.tile, place.hart), name(pid_of(place.tile, place.hart)), hart(place).describe(),
                   code ? code->image->name : ""});
  };
  if (!code_.empty()) {
    for (const Code& code : code_) add({code.tile, code.hart});
    return all;
  }
  for (const emu::TileId id : tiles_) {
    for (int i = 0; i < harts_of(id); ++i) {
      const emu::Tile* const made = machine_->chip(id.chip).tiles.find(id.node);
      const Place place{id, static_cast<arch::Hart>(i)};
      if (made && made->hart(place.hart).state().status != emu::HartStatus::InReset) add(place);
    }
  }
  return all;
}

std::string MachineTarget::name(Pid pid) {
  const auto place = place_of(pid);
  if (!place) return "";
  const emu::Chip& chip = machine_->chip(place->tile.chip);
  const arch::NocCoord raw{static_cast<uint8_t>(place->tile.x()), static_cast<uint8_t>(place->tile.y())};
  const arch::NocCoord at = arch::logical_id(chip.geometry.harvesting(), raw);
  const std::string of_chip = machine_->chips() > 1 ? fmt::format("chip {} ", place->tile.chip) : "";
  return fmt::format("{}({},{}) {}", of_chip, at.x, at.y, emu::name(place->tile, emu::agent_of(place->hart)));
}

const Code* MachineTarget::code_of(const Place& place) const {
  const auto found =
      std::ranges::find_if(code_, [&](const Code& c) { return c.tile == place.tile && c.hart == place.hart; });
  return found == code_.end() ? nullptr : &*found;
}

std::vector<Library> MachineTarget::libraries(Pid pid) {
  const auto place = place_of(pid);
  const Code* const code = place ? code_of(*place) : nullptr;
  if (code == nullptr) return {};
  SymbolFile file = symbol_file(*code);
  Library library{file.name, std::move(file.segments)};
  files_.insert_or_assign(file.name, std::move(file.contents));
  return {library};
}

// A frame for kernels, which come as libraries: it has no code.
std::string MachineTarget::program() {
  const std::string name = "/kerr/kerr.elf";
  if (!files_.contains(name)) files_[name] = elf_of({.name = "kerr"}, "");
  return name;
}

const std::string* MachineTarget::file(std::string_view name) {
  const auto found = files_.find(name);
  return found == files_.end() ? nullptr : &found->second;
}

// --- registers -------------------------------------------------------------------------------------------------------

std::vector<uint32_t> MachineTarget::registers(Pid pid) {
  const auto place = place_of(pid);
  if (!place) return std::vector<uint32_t>(kRegisters);
  stops(*place).catch_up();
  const emu::HartState& state = hart(*place).state();
  std::vector<uint32_t> out(state.x.begin(), state.x.end());
  out.push_back(state.pc);
  out.insert(out.end(), state.f.begin(), state.f.end());
  constexpr size_t kFcsr = 14;  // of HartState::csrs: riscv/csr.cpp
  const uint32_t fcsr = state.csrs[kFcsr];
  out.insert(out.end(), {fcsr & 0x1F, fcsr >> 5 & 7, fcsr});
  out.insert(out.end(), {state.csrs[0], static_cast<uint32_t>(state.cycle), static_cast<uint32_t>(state.cycle >> 32),
                         static_cast<uint32_t>(state.instructions)});
  return out;
}

uint32_t MachineTarget::pc(Pid pid) {
  const auto place = place_of(pid);
  if (!place) return 0;
  stops(*place).catch_up();
  return hart(*place).state().pc;
}

uint64_t MachineTarget::instructions(Pid pid) {
  const Place place = *place_of(pid);
  stops(place).catch_up();
  return hart(place).state().instructions;
}

bool MachineTarget::write_register(Pid pid, uint32_t number, uint32_t value) {
  const auto place = place_of(pid);
  if (is_recorded_ || !place || number > kPcRegister + 32) return false;  // control registers are looked at only
  if (number == kPcRegister) {
    stops(*place).jump(place->hart, value);
  } else if (number < kPcRegister) {
    if (number != 0) stops(*place).change(place->hart).x[number] = value;
  } else {
    stops(*place).change(place->hart).f[number - kPcRegister - 1] = value;
  }
  changed(*place);
  return true;
}

// --- memory ----------------------------------------------------------------------------------------------------------

size_t MachineTarget::read(Pid pid, uint32_t address, std::span<uint8_t> out) {
  const auto place = place_of(pid);
  if (!place) return 0;
  emu::Tile& of = tile(place->tile);
  if (const uint32_t end = emu::l1_bytes(place->tile); address < end) {
    const size_t bytes = std::min<size_t>(out.size(), end - address);
    std::memcpy(out.data(), of.l1().data() + address, bytes);
    return bytes;
  }
  emu::TileStops& stops = of.stops(debugger_);
  stops.catch_up();
  const emu::HartState& state = hart(*place).state();
  size_t done = 0;
  for (; done < out.size(); ++done) {
    const uint32_t at = address + static_cast<uint32_t>(done);
    if (state.is_private(at)) {
      out[done] = *state.at_private(at);
    } else if (const auto word = stops.look(place->hart, at & ~3u)) {
      out[done] = static_cast<uint8_t>(*word >> 8 * (at % 4));
    } else {
      break;
    }
  }
  return done;
}

bool MachineTarget::write(Pid pid, uint32_t address, std::span<const uint8_t> bytes) {
  const auto place = place_of(pid);
  if (is_recorded_ || !place) return false;
  const uint32_t end = emu::l1_bytes(place->tile);
  if (address < end && bytes.size() <= end - address) {
    stops(*place).write(address, bytes);
  } else {
    const emu::HartState& now = hart(*place).state();
    if (!now.is_private(address) || bytes.size() > now.local.size() - (address - arch::kLdmBase)) return false;
    std::memcpy(stops(*place).change(place->hart).at_private(address), bytes.data(), bytes.size());
  }
  changed(*place);
  return true;
}

// --- stops -----------------------------------------------------------------------------------------------------------

void MachineTarget::attach(Pid pid) {
  const Place place = *place_of(pid);
  asked_.try_emplace(place);
  stops(place);
}

bool MachineTarget::set_breakpoints(Pid pid, std::vector<uint32_t> addresses) {
  const auto place = place_of(pid);
  if (!place) return false;
  Asked& asked = asked_[*place];
  if (asked.breakpoints == addresses) return true;
  asked.breakpoints = std::move(addresses);
  ask(*place, asked);
  return true;
}

bool MachineTarget::can_watch(Pid pid, uint32_t address, uint32_t bytes) {
  const auto place = place_of(pid);
  constexpr uint32_t kMostBytes = 0x10000;
  if (!place || bytes == 0 || bytes > kMostBytes) return false;
  const uint32_t end = emu::l1_bytes(place->tile);
  if (address < end) return bytes <= end - address;
  const uint32_t offset = address - arch::kLdmBase, end_of_local = arch::kLdmBytes[static_cast<size_t>(place->hart)];
  return offset < end_of_local && bytes <= end_of_local - offset;
}

void MachineTarget::set_watches(Pid pid, const std::vector<Watch>& watches) {
  const auto place = place_of(pid);
  if (!place || asked_[*place].watches == watches) return;
  asked_[*place].watches = watches;
  ask(*place, asked_[*place]);
}

void MachineTarget::ask(const Place& place, const Asked& asked) {
  stops(place).set_breakpoints(place.hart, asked.breakpoints);
  std::vector<emu::TileStops::Range> of_l1, of_hart;
  for (const auto& [other, what] : asked_) {
    if (other.tile != place.tile) continue;
    for (const Watch& watch : what.watches) {
      const bool is_l1 = watch.address < emu::l1_bytes(place.tile);
      if (is_l1) of_l1.push_back({watch.address, watch.bytes});
      if (!is_l1 && other == place) of_hart.push_back({watch.address, watch.bytes});
    }
  }
  stops(place).set_watches(std::move(of_l1));
  stops(place).set_local_watches(place.hart, of_hart);
  changed(place);
}

void MachineTarget::ask_again() {
  if (machine_ == nullptr) return;
  for (const auto& [place, asked] : asked_) ask(place, asked);
}

// A hart of which nothing was ever asked is not touched.
void MachineTarget::step(Pid pid, bool steps) {
  const auto place = place_of(pid);
  if (!place || (!steps && !tile(place->tile).has_stops())) return;
  stops(*place).step(place->hart, steps);
  if (steps) changed(*place);
}

}  // namespace kerr::debug

#include "debug/machine_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "arch/harvesting.hpp"
#include "debug/elf_writer.hpp"
#include "debug/own_registers.hpp"
#include "debug/symbol_file.hpp"
#include "emu/memory/l1_size.hpp"
#include "emu/observe/agent_names.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::debug {

namespace {

constexpr uint32_t kHartsOfPid = 8;

constexpr bool is_register(uint32_t address) { return address >= arch::kLdmBase; }
constexpr bool is_local(uint32_t address) {
  return address >= arch::kLdmBase && address - arch::kLdmBase < *std::ranges::max_element(arch::kLdmBytes);
}
/// What each hart has for itself at the same address: local memory, and registers of its coprocessor thread.
constexpr bool is_own(uint32_t address) {
  return is_local(address) || (address >= arch::kMopConfigBase && address < arch::kConfigBase);
}

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

// It must not be brought to the present: it is on its way there.
void MachineTarget::set_running(std::optional<emu::TileId> tile) {
  if (running_) machine_->chip(running_->chip).tiles.stand_in(std::nullopt);
  running_ = tile;
  if (running_) machine_->chip(running_->chip).tiles.stand_in(running_->node);
}

emu::Tile& MachineTarget::tile(emu::TileId id) { return machine_->chip(id.chip).tiles.at_present(id.node); }

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
    emu::Tile* const made = machine_->chip(id.chip).tiles.find(id.node);
    std::optional<image::CodeFinder> finder;
    for (int i = 0; i < harts_of(id) && made != nullptr; ++i) {
      const Place place{id, static_cast<arch::Hart>(i)};
      if (made->hart(place.hart).state().status == emu::HartStatus::InReset) continue;
      add(place);
      if (loose_.empty() || id.y() == 1) continue;
      if (!finder) finder.emplace(made->view().l1);
      if (const std::vector<Code> found = found_on(place, *finder); !found.empty())
        all.back().code = found.front().path;
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
  return fmt::format("{}({},{}) {}", machine_->name_of_chip(place->tile.chip), at.x, at.y,
                     emu::name(place->tile, emu::agent_of(place->hart)));
}

const Code* MachineTarget::code_of(const Place& place) const {
  const auto found =
      std::ranges::find_if(code_, [&](const Code& c) { return c.tile == place.tile && c.hart == place.hart; });
  return found == code_.end() ? nullptr : &*found;
}

std::shared_ptr<const image::Image> MachineTarget::image_of(const Place& place) {
  if (const Code* const known = code_of(place)) return known->image;
  const std::vector<Code> found = found_on(place);
  return found.empty() ? nullptr : found.front().image;
}

std::vector<Library> MachineTarget::libraries(Pid pid) {
  const auto place = place_of(pid);
  if (!place) return {};
  const Code* const known = code_of(*place);
  std::vector<Library> out;
  for (const Code& code : known != nullptr ? std::vector{*known} : found_on(*place)) {
    SymbolFile file = symbol_file(code);
    out.push_back({file.name, std::move(file.segments)});
    files_.insert_or_assign(file.name, std::move(file.contents));
  }
  return out;
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

RegisterSet MachineTarget::register_set(Pid pid) {
  const auto place = place_of(pid);
  const bool feeds_a_thread = place && place->tile.y() != 1 && emu::thread_of(place->hart) >= 0;
  return feeds_a_thread ? RegisterSet::Tensix : RegisterSet::Noc;
}

std::vector<uint32_t> MachineTarget::one_register(Pid pid, uint32_t number) {
  const auto place = place_of(pid);
  if (!place) return {};
  if (number < kRegisters) return {registers(pid)[number]};
  const std::span<const OwnRegister> own = own_registers(register_set(pid));
  if (number - kRegisters >= own.size()) return {};
  const OwnRegister& of = own[number - kRegisters];
  std::vector<uint32_t> words(of.bits / 32);
  of.get(tile(place->tile), place->hart, words);
  return words;
}

std::string MachineTarget::write_register(Pid pid, uint32_t number, std::span<const uint32_t> words) {
  const auto place = place_of(pid);
  if (!place) return "there is no such process";
  if (is_recorded_) return "a recorded run cannot be changed";
  constexpr uint32_t kBehindFloats = kPcRegister + 1 + 32;
  if (number >= kRegisters) {
    const std::span<const OwnRegister> own = own_registers(register_set(pid));
    if (number - kRegisters >= own.size()) return "there is no such register";
    const OwnRegister& of = own[number - kRegisters];
    if (!of.set) return fmt::format("{}: {}", of.name, of.read_only);
    if (words.size() != of.bits / 32) return fmt::format("{} has {} bits", of.name, of.bits);
    stops(*place).catch_up();
    if (const std::string why = of.set(tile(place->tile), place->hart, words); !why.empty())
      return fmt::format("{}: {}", of.name, why);
  } else if (words.size() != 1) {
    return "it has 32 bits";
  } else if (number >= kBehindFloats) {
    return "control registers are looked at only";
  } else if (number == kPcRegister) {
    stops(*place).jump(place->hart, words[0]);
  } else if (number < kPcRegister) {
    if (number != 0) stops(*place).change(place->hart).x[number] = words[0];
  } else {
    stops(*place).change(place->hart).f[number - kPcRegister - 1] = words[0];
  }
  changed(*place);
  return "";
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
  if (const auto at = dram_at(*place, address)) return read_dram(*place, *at, out);
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
  } else if (const auto at = dram_at(*place, address)) {
    emu::FaultLog faults;
    emu::Chip& chip = machine_->chip(place->tile.chip);
    return bytes.size() <= at->bytes && chip.dram[at->bank]->write({faults, place->tile, 0, at->offset}, bytes);
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

bool MachineTarget::can_watch(Pid pid, const Watch& watch) {
  const auto place = place_of(pid);
  constexpr uint32_t kMostBytes = 0x10000;
  if (!place || watch.bytes == 0 || watch.bytes > kMostBytes) return false;
  const uint32_t end = emu::l1_bytes(place->tile);
  if (watch.address < end) return watch.bytes <= end - watch.address;
  if (const auto at = dram_at(*place, watch.address)) return watch.bytes <= at->bytes;
  if (is_local(watch.address)) {
    const uint32_t end_of_local = arch::kLdmBase + arch::kLdmBytes[static_cast<size_t>(place->hart)];
    return watch.address < end_of_local && watch.bytes <= end_of_local - watch.address;
  }
  return is_register(watch.address) && watch.bytes <= ~watch.address;
}

void MachineTarget::set_watches(Pid pid, const std::vector<Watch>& watches) {
  const auto place = place_of(pid);
  if (!place || asked_[*place].watches == watches) return;
  asked_[*place].watches = watches;
  ask(*place, asked_[*place]);
  find_dram_watches();
}

void MachineTarget::ask(const Place& place, const Asked& asked) {
  stops(place).set_breakpoints(place.hart, asked.breakpoints);
  std::vector<emu::TileStops::Watch> of_tile, of_hart;
  for (const auto& [other, what] : asked_) {
    if (other.tile != place.tile) continue;
    for (const Watch& watch : what.watches) {
      if (dram_at(other, watch.address)) continue;
      emu::TileStops::Watch wanted{watch.address, watch.bytes, watch.reads, watch.writes};
      if (is_local(watch.address)) {
        if (other == place) of_hart.push_back(wanted);
        continue;
      }
      if (is_own(watch.address)) wanted.hart = other.hart;
      of_tile.push_back(wanted);
    }
  }
  stops(place).set_watches(std::move(of_tile));
  stops(place).set_local_watches(place.hart, std::move(of_hart));
  changed(place);
}

bool MachineTarget::can_see(Pid pid, const emu::Stop& stop) const {
  const bool is_dram = pid_of(stop.tile, arch::Hart::Brisc) == 0;
  const emu::TileId tile = tile_of(pid);
  if (is_dram) return stop.address < arch::kLdmBase && tile.chip == stop.tile.chip;
  return tile == stop.tile && (!is_own(stop.address) || pid_of(stop) == pid);
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

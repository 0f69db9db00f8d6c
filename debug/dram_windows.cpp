// DRAM, which harts reach by packets only, as a client sees it: each bank of the process's chip through a window of
// 256 MiB from 0x80000000 on, where harts have nothing.
#include <fmt/format.h>

#include <algorithm>

#include "arch/harvesting.hpp"
#include "debug/hex.hpp"
#include "debug/machine_target.hpp"
#include "emu/noc/message.hpp"

namespace kerr::debug {

namespace {

constexpr uint32_t kFirstWindow = 0x8000'0000, kWindowBytes = 0x1000'0000;

constexpr uint32_t window_of(size_t bank) { return kFirstWindow + kWindowBytes * static_cast<uint32_t>(bank); }
// The last one ends where registers begin.
constexpr uint64_t end_of(size_t bank) {
  return std::min<uint64_t>(uint64_t{window_of(bank)} + kWindowBytes, arch::kLdmBase);
}

bool overlap(uint64_t a, uint64_t bytes_of_a, uint64_t b, uint64_t bytes_of_b) {
  return a < b + bytes_of_b && b < a + bytes_of_a;
}

}  // namespace

std::optional<MachineTarget::DramPlace> MachineTarget::dram_at(const Place& place, uint32_t address) const {
  if (address < kFirstWindow || address >= arch::kLdmBase) return std::nullopt;
  const size_t bank = (address - kFirstWindow) / kWindowBytes;
  const arch::Harvesting& harvesting = machine_->chip(place.tile.chip).geometry.harvesting();
  if (!(harvesting.dram_banks >> bank & 1)) return std::nullopt;
  const uint64_t offset = dram_begins_[bank] + (address - window_of(bank));
  if (offset >= arch::kDramRegisterBase) return std::nullopt;
  return DramPlace{bank, offset, std::min(end_of(bank) - address, arch::kDramRegisterBase - offset)};
}

size_t MachineTarget::read_dram(const Place& place, const DramPlace& at, std::span<uint8_t> out) {
  emu::FaultLog faults;
  const auto bytes = static_cast<size_t>(std::min<uint64_t>(out.size(), at.bytes));
  emu::DramBank& bank = *machine_->chip(place.tile.chip).dram[at.bank];
  return bank.read({faults, place.tile, 0, at.offset}, out.first(bytes)) ? bytes : 0;
}

void MachineTarget::find_dram_watches() {
  dram_watches_.clear();
  for (const auto& [place, asked] : asked_) {
    for (const Watch& watch : asked.watches)
      if (const auto at = dram_at(place, watch.address)) dram_watches_.push_back({watch, place.tile.chip, *at});
  }
}

bool MachineTarget::is_in_bank(const DramWatch& watched, emu::TileId tile) const {
  const auto bank = arch::dram_port(emu::NocGeometry::raw_of(tile.node)).bank;
  return watched.chip == tile.chip && bank >= 0 && watched.at.bank == static_cast<size_t>(bank);
}

std::optional<emu::Stop> MachineTarget::dram_access(const emu::Message& request) const {
  const bool is_read = request.kind == emu::MessageKind::ReadRequest;
  for (const DramWatch& watched : dram_watches_) {
    const auto& [watch, chip, at] = watched;
    if (!is_in_bank(watched, request.destination) || !(is_read ? watch.reads : watch.writes)) continue;
    uint64_t begin = request.address;
    bool touches = is_read && overlap(begin, request.length, at.offset, watch.bytes);
    if (request.kind == emu::MessageKind::Write) {
      touches = !emu::for_each_enabled_run(request, [&](size_t first, size_t count) {
        begin = request.address + first;
        return !overlap(begin, count, at.offset, watch.bytes);
      });
    }
    if (!touches) continue;
    return emu::Stop{.why = is_read ? emu::Stop::Why::Read : emu::Stop::Why::Write,
                     .tile = request.destination,
                     .agent = emu::Agent::Units,
                     .address = watched.address_of(begin),
                     .sender = request.source};
  }
  return std::nullopt;
}

std::optional<emu::Stop> MachineTarget::dram_write(emu::TileId tile, uint64_t address, uint64_t bytes) const {
  for (const DramWatch& watched : dram_watches_) {
    if (!is_in_bank(watched, tile) || !watched.watch.writes) continue;
    if (!overlap(address, bytes, watched.at.offset, watched.watch.bytes)) continue;
    return emu::Stop{.why = emu::Stop::Why::Write, .tile = tile, .address = watched.address_of(address)};
  }
  return std::nullopt;
}

std::string MachineTarget::dram(const Place& place, std::string_view arguments) {
  const std::string_view which = next_word(arguments), first = next_word(arguments);
  if (!which.empty()) {
    const auto bank = count_in(which);
    const auto begin = count_in(first);
    if (!bank || *bank >= arch::kDramBanks || !begin || *begin >= arch::kDramRegisterBase)
      return fmt::format("monitor dram [BANK FIRST]: a bank, 0 to {}, and a byte of it, decimal or 0x...\n",
                         arch::kDramBanks - 1);
    dram_begins_[*bank] = *begin;
    find_dram_watches();
  }
  const emu::NocGeometry& geometry = machine_->chip(place.tile.chip).geometry;
  std::string out;
  for (size_t bank = 0; bank < arch::kDramBanks; ++bank) {
    if (!(geometry.harvesting().dram_banks >> bank & 1)) continue;
    std::string tiles;
    for (int port = 0; port < arch::kDramPorts; ++port) {
      const arch::NocCoord at = arch::logical_id(geometry.harvesting(), arch::dram_tile(static_cast<int>(bank), port));
      tiles += fmt::format(" ({},{})", at.x, at.y);
    }
    const uint64_t end =
        std::min<uint64_t>(end_of(bank) - window_of(bank), arch::kDramRegisterBase - dram_begins_[bank]);
    out += fmt::format("bank {}, tiles{}: its bytes {:#x} to {:#x} are at {:#x}\n", bank, tiles, dram_begins_[bank],
                       dram_begins_[bank] + end - 1, window_of(bank));
  }
  return out;
}

}  // namespace kerr::debug

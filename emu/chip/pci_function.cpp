#include "emu/chip/pci_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "arch/bytes.hpp"
#include "emu/chip/chip.hpp"
#include "emu/noc/id_registers.hpp"

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

constexpr uint64_t kSmallWindowsEnd = pcie::kSmallWindows * pcie::kSmallWindowBytes;
constexpr uint32_t kWordBytes = 4;

bool in(uint64_t offset, uint64_t base, uint64_t bytes) { return offset >= base && offset - base < bytes; }

uint32_t offset_in(uint64_t offset, uint64_t base) { return static_cast<uint32_t>(offset - base); }

// The window at an offset of BAR0 or BAR4, or -1.
int window_at(Bar bar, uint64_t offset) {
  if (bar == Bar::k0 && offset < kSmallWindowsEnd) return static_cast<int>(offset / pcie::kSmallWindowBytes);
  if (bar == Bar::k4) return pcie::kSmallWindows + static_cast<int>(offset / pcie::kLargeWindowBytes);
  return -1;
}

constexpr const char* bar_name(Bar bar) { return bar == Bar::k0 ? "BAR0" : bar == Bar::k2 ? "BAR2" : "BAR4"; }

}  // namespace

PciFunction::PciFunction(Chip& chip) : chip_(chip), config_(chip.index), windows_(chip.geometry, chip.index) {}

Fault PciFunction::refusal(FaultCategory category, uint64_t address, std::string what, std::string advice) const {
  return {.category = category,
          .cycle = chip_.now,
          .tile = {static_cast<uint8_t>(chip_.index),
                   NocGeometry::node_of(arch::kPcieTiles[chip_.board.harvesting.pcie_instance])},
          .address = address,
          .what = std::move(what),
          .advice = std::move(advice)};
}

template <class Byte, class AtWindow, class AtRegister>
std::optional<Fault> PciFunction::each_part(const char* did, Bar bar, uint64_t offset, std::span<Byte> bytes,
                                            AtWindow at_window, AtRegister at_register) {
  if (bytes.empty() || offset > bar_bytes(bar) || bytes.size() > bar_bytes(bar) - offset) {
    return refusal(FaultCategory::HostError, offset,
                   fmt::format("The host {} {} bytes at {:#x} of {}, which has {:#x}.", did, bytes.size(), offset,
                               bar_name(bar), bar_bytes(bar)));
  }
  while (!bytes.empty()) {
    const int window = window_at(bar, offset);
    size_t part = std::min<size_t>(bytes.size(), kWordBytes);
    std::optional<Fault> fault;
    if (window >= 0) {
      const uint64_t size = pcie::window_bytes(window);
      part = static_cast<size_t>(std::min<uint64_t>(bytes.size(), size - offset % size));
      fault = at_window(window, offset % size, bytes.first(part));
    } else if (bytes.size() % kWordBytes != 0 || offset % kWordBytes != 0) {
      fault = refusal(FaultCategory::Misaligned, offset,
                      fmt::format("The host {} {} bytes at {:#x} of {}: registers are aligned words.", did,
                                  bytes.size(), offset, bar_name(bar)));
    } else {
      fault = at_register(offset, bytes.first(part));
    }
    if (fault) return fault;
    offset += part;
    bytes = bytes.subspan(part);
  }
  return std::nullopt;
}

std::optional<Fault> PciFunction::read(Bar bar, uint64_t offset, std::span<uint8_t> out) {
  const auto at_window = [this](int window, uint64_t at, auto part) { return read_window(window, at, part); };
  const auto at_register = [&](uint64_t at, std::span<uint8_t> word) {
    uint32_t value = 0;
    auto fault = read_register(bar, at, value);
    std::memcpy(word.data(), &value, kWordBytes);
    return fault;
  };
  auto fault = each_part("read", bar, offset, out, at_window, at_register);
  if (fault) std::fill(out.begin(), out.end(), uint8_t{0xFF});
  return fault;
}

std::optional<Fault> PciFunction::write(Bar bar, uint64_t offset, std::span<const uint8_t> bytes) {
  const auto at_window = [this](int window, uint64_t at, auto part) { return write_window(window, at, part); };
  const auto at_register = [&](uint64_t at, std::span<const uint8_t> word) {
    uint32_t value;
    std::memcpy(&value, word.data(), kWordBytes);
    return write_register(bar, at, value);
  };
  return each_part("wrote", bar, offset, bytes, at_window, at_register);
}

std::optional<Fault> PciFunction::read_window(int window, uint64_t offset, std::span<uint8_t> out) {
  const WindowTarget target = windows_.resolve(window, offset);
  if (target.multicast) {
    return refusal(FaultCategory::UndefinedBehavior, target.address,
                   fmt::format("The host read through window {}, which is set to multicast.", window),
                   "Read from one tile.");
  }
  if (target.tiles.empty())
    return refusal(FaultCategory::HostError, target.address,
                   "The host's access cannot be done: " + target.problem + ".");
  return chip_.read_tile(target.noc, target.tiles.front(), target.address, out);
}

std::optional<Fault> PciFunction::write_window(int window, uint64_t offset, std::span<const uint8_t> bytes) {
  const WindowTarget target = windows_.resolve(window, offset);
  if (target.tiles.empty())
    return refusal(FaultCategory::HostError, target.address,
                   "The host's access cannot be done: " + target.problem + ".");
  for (const TileId tile : target.tiles) {
    const HostWay way{.noc = target.noc, .posted = target.posted};
    if (auto fault = chip_.write_tile(way, tile, target.address, bytes)) return fault;
  }
  return std::nullopt;
}

std::optional<uint64_t> PciFunction::arc_address(Bar bar, uint64_t offset) const {
  constexpr uint64_t kCsm = 0x1FE8'0000;
  constexpr uint64_t kApb = 0x1FF0'0000;
  if (bar != Bar::k0 || chip_.board.harvesting.pcie_instance != 1) return std::nullopt;
  if (in(offset, kCsm, Arc::kCsmBytes)) return Arc::kCsmBase + (offset - kCsm);
  if (in(offset, kApb, Arc::kApbBytes)) return Arc::kApbBase + (offset - kApb);
  return std::nullopt;
}

std::optional<Fault> PciFunction::read_register(Bar bar, uint64_t offset, uint32_t& value) {
  if (bar == Bar::k2) {
    if (in(offset, pcie::kIatuBase, Iatu::kBytes)) {
      value = chip_.pcie.iatu().read(offset_in(offset, pcie::kIatuBase));
      return std::nullopt;
    }
    if (in(offset, DmaEngine::kBase, DmaEngine::kBytes)) {
      value = dma_.read(offset_in(offset, DmaEngine::kBase));
      return std::nullopt;
    }
  } else if (in(offset, pcie::kTlbConfigBase, TlbWindows::kConfigBytes)) {
    value = windows_.read_config(offset_in(offset, pcie::kTlbConfigBase));
    return std::nullopt;
  } else if (const auto arc = arc_address(bar, offset)) {
    return chip_.read_tile(0, TileId::at(chip_.index, arch::kArcTile.x, arch::kArcTile.y), *arc, arch::as_uint8(value));
  } else {
    for (int noc = 0; noc < arch::kNocs; ++noc) {
      const uint64_t base = noc == 0 ? pcie::kNiu0Base : pcie::kNiu1Base;
      if (!in(offset, base, pcie::kNiuBytes)) continue;
      const arch::NocCoord raw = arch::kPcieTiles[chip_.board.harvesting.pcie_instance];
      const auto niu = id_register_at(chip_.geometry, raw, noc, offset_in(offset, base));
      if (!niu) break;
      value = *niu;
      return std::nullopt;
    }
  }
  return refusal(FaultCategory::Unsupported, offset,
                 fmt::format("The host read {:#x} of {}, where nothing is modelled.", offset, bar_name(bar)));
}

std::optional<Fault> PciFunction::write_register(Bar bar, uint64_t offset, uint32_t value) {
  if (bar == Bar::k2) {
    if (in(offset, pcie::kIatuBase, Iatu::kBytes)) {
      chip_.pcie.iatu().write(offset_in(offset, pcie::kIatuBase), value);
      return std::nullopt;
    }
    if (in(offset, DmaEngine::kBase, DmaEngine::kBytes)) {
      return dma_.write(offset_in(offset, DmaEngine::kBase), value) ? run_dma() : std::nullopt;
    }
  } else if (in(offset, pcie::kTlbConfigBase, TlbWindows::kConfigBytes)) {
    windows_.write_config(offset_in(offset, pcie::kTlbConfigBase), value);
    return std::nullopt;
  } else if (const auto arc = arc_address(bar, offset)) {
    return chip_.write_tile({}, TileId::at(chip_.index, arch::kArcTile.x, arch::kArcTile.y), *arc,
                            arch::as_uint8(value));
  }
  return refusal(
      FaultCategory::Unsupported, offset,
      fmt::format("The host wrote {:#x} to {:#x} of {}, where nothing is modelled.", value, offset, bar_name(bar)));
}

// In pieces of 4 KiB counted from the start address, each through the window in which it starts.
std::optional<Fault> PciFunction::run_dma() {
  uint64_t source = dma_.source();
  uint64_t destination = dma_.destination();
  uint64_t left = dma_.bytes();
  if (left == 0 || left % kWordBytes != 0 || destination % kWordBytes != 0) {
    return refusal(FaultCategory::Misaligned, destination,
                   fmt::format("The host started a DMA of {} bytes to BAR0 offset {:#x}: both must be multiples of 4.",
                               left, destination));
  }
  if (destination >= kSmallWindowsEnd || left > kSmallWindowsEnd - destination) {
    return refusal(FaultCategory::OutOfBounds, destination,
                   fmt::format("The host started a DMA of {} bytes to {:#x}, which is not in the windows of BAR0.",
                               left, destination));
  }
  FaultLog faults;
  const arch::NocCoord raw = arch::kPcieTiles[chip_.board.harvesting.pcie_instance];
  const TileId tile = TileId::at(chip_.index, raw.x, raw.y);
  std::vector<uint8_t> piece(DmaEngine::kPieceBytes);
  while (left != 0) {
    const std::span<uint8_t> bytes(piece.data(), std::min<uint64_t>(left, DmaEngine::kPieceBytes));
    if (!chip_.pcie.read_bus({faults, tile, 0, source, chip_.now, tile, Agent::Host}, source, bytes))
      return faults.take().front();
    if (auto fault = write(Bar::k0, destination, bytes)) return fault;
    source += bytes.size();
    destination += bytes.size();
    left -= bytes.size();
  }
  dma_.complete();
  return std::nullopt;
}

}  // namespace kerr::emu

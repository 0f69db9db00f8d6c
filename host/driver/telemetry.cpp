#include "host/driver/telemetry.hpp"

#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "arch/arc.hpp"

namespace kerr::host {
namespace {

namespace arc = arch::arc;

constexpr uint32_t kMaxEntries = 1024;  // many times what any firmware publishes

[[noreturn]] void refuse(const std::string& sentence) {
  throw DeviceError(Category::Protocol, "telemetry: " + sentence);
}

std::vector<uint32_t> read_csm(NocIo& io, const char* what, uint32_t address, uint32_t words) {
  const uint32_t offset = address - arc::kCsmBase;
  if (address % 4 != 0 || offset > arc::kCsmBytes || words > (arc::kCsmBytes - offset) / 4) {
    refuse(fmt::format("the {} at {:#x} with {} words lies outside ARC's memory", what, address, words));
  }
  std::vector<uint32_t> out(words);
  io.read(arch::kArcTile, address, std::as_writable_bytes(std::span(out)));
  return out;
}

// Card types of the board id, bits 55:36 (host-pcie.md 5.6).
const char* card_name(uint32_t type) {
  switch (type) {
    case 0x36: return "p100";
    case 0x40: return "p150a";
    case 0x41: return "p150b";
    case 0x42: return "p150c";
    case 0x43: return "p100a";
    case 0x44: return "p300b";
    case 0x45: return "p300a";
    case 0x46: return "p300c";
    case 0x47: return "galaxy";
    default: return nullptr;
  }
}

}  // namespace

Telemetry Telemetry::read(NocIo& io, Deadline deadline) {
  uint32_t table_address = 0;
  await(
      io.device(), "boot of the board's firmware",
      [&] {
        const uint32_t status = io.read32(arch::kArcTile, arc::kBootStatus);
        if (status == kChipGone) refuse("the chip answers nothing but ones; it is hung or has left the bus");
        if ((status & arc::kBootStatusMask) != arc::kBootStatusReady) return false;
        table_address = io.read32(arch::kArcTile, arc::kTelemetryTablePointer);
        return table_address != 0;
      },
      deadline);
  const uint32_t values_address = io.read32(arch::kArcTile, arc::kTelemetryValuesPointer);
  const uint32_t count = read_csm(io, "table", table_address, 2)[1];
  if (count > kMaxEntries) refuse(fmt::format("{} entries", count));
  const std::vector<uint32_t> entries = read_csm(io, "table", table_address + 8, count);
  const std::vector<uint32_t> values = read_csm(io, "value array", values_address, count);
  Telemetry telemetry;
  for (uint32_t entry : entries) {
    const uint32_t tag = entry & 0xFFFF;
    const uint32_t offset = entry >> 16;
    if (tag == 0) continue;  // firmware leaves one slot empty
    if (offset >= count) refuse(fmt::format("tag {} points at value {} of {}", tag, offset, count));
    telemetry.values_[static_cast<uint16_t>(tag)] = values[offset];
  }
  return telemetry;
}

std::optional<uint32_t> Telemetry::value(arch::Telemetry tag) const {
  const auto found = values_.find(static_cast<uint16_t>(tag));
  if (found == values_.end()) return std::nullopt;
  return found->second;
}

std::string Telemetry::board_name() const {
  const uint64_t high = value(arch::Telemetry::BoardIdHigh).value_or(0);
  const uint64_t low = value(arch::Telemetry::BoardIdLow).value_or(0);
  const auto type = static_cast<uint32_t>((high << 32 | low) >> 36) & 0xFFFFF;
  const char* name = card_name(type);
  return name != nullptr ? name : fmt::format("board type {:#x}", type);
}

arch::Harvesting read_harvesting(const Telemetry& telemetry, MissingHarvesting missing) {
  const auto columns = telemetry.value(arch::Telemetry::EnabledTensixCol);
  const auto banks = telemetry.value(arch::Telemetry::EnabledGddr);
  if ((!columns || !banks) && missing == MissingHarvesting::Refuse) {
    refuse(fmt::format("the device does not publish tag {}, so the good {} are not known", columns ? 36 : 34,
                       columns ? "DRAM banks" : "Tensix columns"));
  }
  arch::Harvesting h;
  h.tensix_columns = static_cast<uint16_t>(columns.value_or(h.tensix_columns));
  h.dram_banks = static_cast<uint8_t>(banks.value_or(h.dram_banks));
  h.ethernet = static_cast<uint16_t>(telemetry.value(arch::Telemetry::EnabledEth).value_or(h.ethernet));
  // Two bits for each PCIe tile, 1 = endpoint.
  const uint32_t pcie = telemetry.value(arch::Telemetry::PcieUsage).value_or(1);
  h.pcie_instance = (pcie >> 2 & 3) == 1 ? 1 : 0;
  if (!arch::is_valid(h)) {
    refuse(fmt::format("impossible harvesting: Tensix columns {:#x}, DRAM banks {:#x}, Ethernet {:#x}",
                       h.tensix_columns, h.dram_banks, h.ethernet));
  }
  return h;
}

}  // namespace kerr::host

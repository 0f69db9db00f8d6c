#include "emu/server/pcie_tile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kerr::emu {

namespace {

namespace pcie = arch::pcie;

constexpr uint64_t kWindowBytes = uint64_t{1} << pcie::kNocWindowShift;
constexpr uint64_t kDeviceControl = pcie::kNocDbiBase + 0x78;

constexpr uint64_t window_of(uint64_t address) { return address / kWindowBytes; }

}  // namespace

PcieTile::PcieTile(const NocGeometry& geometry, HostMemory* host, const timing::Parameters& parameters)
    : Server(geometry), parameters_(parameters), host_(host) {}

bool PcieTile::read(const ServerAccess& access, std::span<uint8_t> out) {
  if (read_id_register(access, out)) return true;
  if (access.address == kDeviceControl && out.size() == 4) {
    std::memcpy(out.data(), &device_control_, 4);
    return true;
  }
  uint64_t bus = 0;
  return to_bus(access, "read", out.size(), bus) && read_bus(access, bus, out);
}

bool PcieTile::write(const ServerAccess& access, std::span<const uint8_t> bytes) {
  if (access.address == kDeviceControl && bytes.size() == 4) {
    std::memcpy(&device_control_, bytes.data(), 4);
    return true;
  }
  uint64_t bus = 0;
  return to_bus(access, "write", bytes.size(), bus) && write_bus(access, bus, bytes);
}

bool PcieTile::to_bus(const ServerAccess& access, const char* verb, size_t bytes, uint64_t& bus) {
  const uint64_t window = window_of(access.address);
  const uint64_t offset = access.address % kWindowBytes;
  if (window > pcie::kNocWindowIatuLast) {
    return refuse(
        access, FaultCategory::Unsupported, verb, bytes,
        "of the controller's own registers only DBI 0x78 and the NIU's identification are modelled, with 4 bytes",
        "Host memory is at bit 60: NOC_*_ADDR_MID = 0x10000000.");
  }
  if (bytes == 0 || bytes > kWindowBytes - offset) {
    return refuse(access, FaultCategory::OutOfBounds, verb, bytes,
                  "the transfer is empty or leaves its window of 2^58 bytes");
  }
  if (window < pcie::kNocWindowIatuFirst) {
    bus = offset;
    return true;
  }
  const auto translated = iatu_.translate(offset, bytes);
  if (!translated) {
    return refuse(access, FaultCategory::UndefinedBehavior, verb, bytes,
                  "two enabled outbound iATU regions match the address",
                  "Disable a region before its addresses are given to another.");
  }
  bus = *translated;
  return true;
}

// Page by page: handlers check no further (docs/hardware/host-pcie.md 6.5).
template <class Byte>
bool PcieTile::each_page(const ServerAccess& access, const char* verb, uint64_t bus, std::span<Byte> bytes,
                         bool (HostMemory::*move)(uint64_t, std::span<Byte>)) {
  constexpr uint64_t kPage = pcie::kHostAccessSplitBytes;
  for (size_t at = 0, part; at < bytes.size(); at += part) {
    part = std::min<size_t>(kPage - (bus + at) % kPage, bytes.size() - at);
    if (host_ && (host_->*move)(bus + at, bytes.subspan(at, part))) continue;
    return refuse(access, FaultCategory::OutOfBounds, verb, bytes.size(),
                  fmt::format("the host offers no memory at bus address {:#x}", bus + at),
                  "Pin the buffer, and use the address that pinning returned.");
  }
  return true;
}

bool PcieTile::read_bus(const ServerAccess& access, uint64_t bus, std::span<uint8_t> out) {
  return each_page(access, "read", bus, out, &HostMemory::read);
}

bool PcieTile::write_bus(const ServerAccess& access, uint64_t bus, std::span<const uint8_t> bytes) {
  return each_page(access, "write", bus, bytes, &HostMemory::write);
}

Cycle PcieTile::ready(Cycle arrival, bool is_write, size_t bytes) {
  const timing::Parameters& p = parameters_;
  Cycle& free = is_write ? write_free_ : read_free_;
  const uint64_t rate = is_write ? p.pcie_write_tenth_bytes_per_cycle : p.pcie_read_tenth_bytes_per_cycle;
  const Cycle start = std::max(arrival, free);
  const Cycle transfer = (bytes * 10 + rate - 1) / rate;
  free = start + transfer;
  if (is_write) return start + p.pcie_write_ack;
  // As of a DRAM bank: the NIU's flits do not outrun the data.
  const Cycle flits = (bytes + arch::niu::kFlitBytes - 1) / arch::niu::kFlitBytes;
  return start + p.pcie_read + (transfer > flits ? transfer - flits : 0);
}

void PcieTile::serialize(Archive& a) {
  Server::serialize(a);
  a(iatu_, device_control_);
  a.machinery(read_free_, write_free_);
}

}  // namespace kerr::emu

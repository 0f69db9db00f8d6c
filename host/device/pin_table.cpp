#include "host/device/pin_table.hpp"

#include <fmt/format.h>

#include "host/device/pcie_device.hpp"

namespace kerr::host {

uint64_t PinTable::add(std::span<std::byte> memory) {
  const auto start = reinterpret_cast<uintptr_t>(memory.data());
  if (memory.empty() || start % kPageBytes != 0 || memory.size() % kPageBytes != 0) {
    host_error(fmt::format("pin: memory of {} bytes at {:#x} is not a whole number of aligned {}-byte pages",
                           memory.size(), start, kPageBytes));
  }
  uint64_t address = kFirstAddress;
  for (const auto& [base, range] : ranges_) {
    if (base - address >= memory.size()) break;
    address = base + range.size();
  }
  if (memory.size() > kEndAddress - address) {
    host_error(
        fmt::format("pin: no room for {} bytes; pinned host memory must stay below the device's 4 GiB", memory.size()));
  }
  ranges_.emplace(address, memory);
  return address;
}

void PinTable::remove(uint64_t address) {
  if (ranges_.erase(address) == 0) host_error(fmt::format("unpin: nothing is pinned at {:#x}", address));
}

std::span<std::byte> PinTable::range_at(uint64_t address) const {
  const auto found = ranges_.find(address);
  return found == ranges_.end() ? std::span<std::byte>() : found->second;
}

std::byte* PinTable::find(uint64_t address, uint64_t bytes) const {
  auto next = ranges_.upper_bound(address);
  if (next == ranges_.begin()) return nullptr;
  const auto& [base, range] = *std::prev(next);
  const uint64_t offset = address - base;
  if (offset > range.size() || bytes > range.size() - offset) return nullptr;
  return range.data() + offset;
}

}  // namespace kerr::host

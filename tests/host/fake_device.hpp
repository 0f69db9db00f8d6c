// A PcieDevice without a chip behind it: windows onto sparse memory, and time that is whatever a test scripts.
#pragma once

#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "arch/pcie.hpp"
#include "host/device/pcie_device.hpp"
#include "host/device/pin_table.hpp"

namespace kerr::host {

class FakeDevice : public PcieDevice {
 public:
  struct Access {
    arch::NocCoord tile;  // or the first tile of a multicast
    uint64_t address;
    std::vector<std::byte> bytes;
    Caching caching;
  };

  /// Called once per simulated slice of `slice_cycles`; returns false when nothing can happen any more.
  std::function<bool()> tick = [] { return false; };
  uint64_t slice_cycles = 100;
  /// Called with every 4-byte write, before it is stored.
  std::function<void(arch::NocCoord, uint64_t, uint32_t)> on_write32 = [](arch::NocCoord, uint64_t, uint32_t) {};
  uint64_t bar4_bytes = arch::pcie::kBar4Bytes;
  DeviceStatus next_status;
  std::vector<Access> writes;  // to tiles, in order
  uint64_t config_writes = 0;  // to window configuration
  uint64_t flushes = 0;
  bool fail_config_writes = false;
  uint64_t unflushed_when_configured = 0;  // window configurations that overtook write-combined data
  PinTable pins;

  std::byte& at(arch::NocCoord tile, uint64_t address) {
    auto& page = memory_[{tile.x, tile.y, address >> 12}];
    if (page.empty()) page.resize(4096);
    return page[address & 4095];
  }
  uint32_t word(arch::NocCoord tile, uint64_t address) {
    uint32_t value;
    for (int i = 0; i < 4; ++i) reinterpret_cast<std::byte*>(&value)[i] = at(tile, address + i);
    return value;
  }
  void set_word(arch::NocCoord tile, uint64_t address, uint32_t value) {
    for (int i = 0; i < 4; ++i) at(tile, address + i) = reinterpret_cast<std::byte*>(&value)[i];
  }
  std::byte* host_memory(uint64_t noc_address, uint64_t bytes) {
    return pins.find(noc_address & ~arch::pcie::kNocHostBase, bytes);
  }

  std::string name() const override { return "fake"; }
  uint32_t config_read(uint32_t) override { return arch::pcie::kVendorId | arch::pcie::kDeviceId << 16; }
  void config_write(uint32_t, uint32_t) override {}
  uint64_t bar_bytes(Bar bar) const override {
    return bar == Bar::k0 ? arch::pcie::kBar0Bytes : bar == Bar::k2 ? arch::pcie::kBar2Bytes : bar4_bytes;
  }
  void flush() override {
    ++flushes;
    unflushed_ = false;
  }
  uint64_t pin(std::span<std::byte> memory) override { return arch::pcie::kNocHostBase | pins.add(memory); }
  void unpin(uint64_t address) override { pins.remove(address & ~arch::pcie::kNocHostBase); }

  void read(Bar bar, uint64_t offset, std::span<std::byte> out) override {
    const auto [entry, address] = resolve(bar, offset);
    if (entry.multicast) throw std::logic_error("read through a multicast window");
    for (size_t i = 0; i < out.size(); ++i) out[i] = at({entry.x_end, entry.y_end}, address + i);
  }

  void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) override {
    if (bar == Bar::k0 && offset >= arch::pcie::kTlbConfigBase && offset < arch::pcie::kTlbConfigEnd) {
      if (bytes.size() != 4 || offset % 4 != 0 || caching != Caching::Uncached) throw std::logic_error("bad TLB write");
      if (fail_config_writes) throw DeviceError(Category::Protocol, "configuration is refused");
      unflushed_when_configured += unflushed_;
      std::memcpy(&tlb_[(offset - arch::pcie::kTlbConfigBase) / 4], bytes.data(), 4);
      ++config_writes;
      return;
    }
    const auto [entry, address] = resolve(bar, offset);
    const arch::NocCoord first =
        entry.multicast ? arch::NocCoord{entry.x_start, entry.y_start} : arch::NocCoord{entry.x_end, entry.y_end};
    unflushed_ |= caching == Caching::WriteCombined;
    writes.push_back({first, address, {bytes.begin(), bytes.end()}, caching});
    for (uint8_t y = first.y; y <= entry.y_end; ++y) {
      for (uint8_t x = first.x; x <= entry.x_end; ++x) {
        if (bytes.size() == 4) {
          uint32_t value;
          std::memcpy(&value, bytes.data(), 4);
          on_write32({x, y}, address, value);
        }
        for (size_t i = 0; i < bytes.size(); ++i) at({x, y}, address + i) = bytes[i];
      }
    }
  }

  WaitResult wait(const std::function<bool()>& condition, Deadline deadline) override {
    for (uint64_t spent = 0;; spent += slice_cycles) {
      if (condition()) return WaitResult::Done;
      if (next_status.state == DeviceStatus::State::Faulted) return WaitResult::Faulted;
      if (spent >= deadline.cycles) return WaitResult::TimedOut;
      if (!tick() && !condition()) return WaitResult::Quiescent;
    }
  }
  DeviceStatus status() override { return next_status; }

 private:
  struct Resolved {
    arch::pcie::TlbEntry entry;
    uint64_t address;
  };
  Resolved resolve(Bar bar, uint64_t offset) const {
    int window;
    if (bar == Bar::k0) {
      window = static_cast<int>(offset / arch::pcie::kSmallWindowBytes);
      if (window >= arch::pcie::kSmallWindows) throw std::logic_error("BAR0 beyond the windows");
    } else {
      window = arch::pcie::kSmallWindows + static_cast<int>(offset / arch::pcie::kLargeWindowBytes);
    }
    const arch::pcie::TlbFormat& format = arch::pcie::tlb_format(window);
    const arch::pcie::TlbWords words{tlb_[3 * window], tlb_[3 * window + 1], tlb_[3 * window + 2]};
    const auto entry = arch::pcie::decode(format, words);
    return {entry, entry.local_offset << format.offset_shift | (offset & (arch::pcie::window_bytes(window) - 1))};
  }

  bool unflushed_ = false;
  uint32_t tlb_[3 * arch::pcie::kWindows] = {};
  std::map<std::tuple<uint8_t, uint8_t, uint64_t>, std::vector<std::byte>> memory_;
};

inline std::vector<std::byte> pattern(size_t bytes, uint8_t seed = 1) {
  std::vector<std::byte> out(bytes);
  for (size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::byte>(seed + 37 * i + (i >> 8));
  return out;
}

}  // namespace kerr::host

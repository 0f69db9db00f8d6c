// The device in this process: a machine of emu/ with one chip. Knows quiescence and faults, so a wait that can never end is
// reported in milliseconds.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "arch/boards.hpp"
#include "host/device/pcie_device.hpp"
#include "host/device/pin_table.hpp"

namespace kerr::emu {
class Machine;
}

namespace kerr::host {

struct EmulatedOptions {
  arch::Board board = arch::kP100a;
  int shards = 1;          // results do not depend on it
  bool reference = false;  // the reference scheduler: slow, and the definition of the other
  bool parking = true;     // false: polling harts spin for real
};

class EmulatedDevice final : public PcieDevice {
 public:
  explicit EmulatedDevice(const EmulatedOptions& options = {});
  ~EmulatedDevice() override;

  std::string name() const override { return name_; }
  uint32_t config_read(uint32_t offset) override;
  void config_write(uint32_t offset, uint32_t value) override;
  uint64_t bar_bytes(Bar bar) const override;
  void read(Bar bar, uint64_t offset, std::span<std::byte> out) override;
  void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) override;
  void flush() override {}
  uint64_t pin(std::span<std::byte> memory) override;
  void unpin(uint64_t noc_address) override;
  WaitResult wait(const std::function<bool()>& condition, Deadline deadline) override;
  DeviceStatus status() override;

  /// Device time. Relaxed timing: a fair order of events, not a time.
  uint64_t cycles();
  /// Of all architectural state of the machine. Slow.
  uint64_t state_hash();
  /// For inspection and reports; the caller keeps other threads away.
  emu::Machine& machine() { return *machine_; }

 private:
  class HostMemory;

  std::string name_;
  std::mutex mutex_;  // the machine takes one caller at a time
  PinTable pins_;
  std::unique_ptr<HostMemory> memory_;
  std::unique_ptr<emu::Machine> machine_;
};

}  // namespace kerr::host

// What the two ways to a real card have in common: mapped BARs, and waiting by looking again.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "host/device/card/pci.hpp"
#include "host/device/card/system.hpp"
#include "host/device/pcie_device.hpp"

namespace kerr::host {

/// Time is wall time: wait() looks at its condition again and again until the deadline. A card cannot say what it waits
/// for, so it is never quiescent; one that answers nothing but ones has left the bus and counts as faulted.
class CardDevice : public PcieDevice {
 public:
  uint64_t bar_bytes(Bar bar) const override { return bars_[index(bar)].bytes; }
  void read(Bar bar, uint64_t offset, std::span<std::byte> out) override;
  void write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) override;
  void flush() override;
  WaitResult wait(const std::function<bool()>& condition, Deadline deadline) override;
  DeviceStatus status() override;

 protected:
  explicit CardDevice(System& system) : system_(system) {}

  /// Both views of one BAR; without a combined one, combined writes are uncached.
  struct BarView {
    Mapping uncached, combined;
    uint64_t bytes = 0;
  };
  static size_t index(Bar bar) { return static_cast<size_t>(bar) / 2; }
  BarView& bar(Bar bar) { return bars_[index(bar)]; }
  void unmap_bars();
  /// Throws CardError if `error`, of a Mapping, is one.
  static void require_mapped(int error, Bar bar, const Card& card);

  System& system_;
  std::atomic<bool> in_reset_ = false;  // all ones are no news then

 private:
  void check_range(Bar bar, uint64_t offset, uint64_t bytes) const;
  bool is_gone();

  BarView bars_[3];
  std::atomic<bool> unflushed_ = false;
};

}  // namespace kerr::host

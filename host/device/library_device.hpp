// A device behind any shared library with the libttsim C ABI (docs/hardware/host-pcie.md 6): our own libttsim_bh.so or
// another simulator. Such a library is one chip per process and has no notion of quiescence, so wait() ends by its
// deadline only; a library that meets an error may end the whole process (6.2).
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "host/device/pcie_device.hpp"
#include "host/device/pin_table.hpp"

namespace kerr::host {

struct LibraryAbi;

class LibraryDevice final : public PcieDevice {
 public:
  /// Loads and initialises the library. Throws DeviceError (HostError): not loadable, a function missing, not a
  /// Blackhole, or another LibraryDevice is alive (the ABI's callbacks carry no context, so one at a time).
  static std::unique_ptr<LibraryDevice> open(const std::string& path);
  ~LibraryDevice() override;

  std::string name() const override { return "library " + path_; }
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

  /// Clocks let pass so far, all of them inside wait().
  uint64_t cycles() const;

 private:
  explicit LibraryDevice(std::string path);
  static void dma_read(uint64_t address, void* out, uint32_t bytes);
  static void dma_write(uint64_t address, const void* in, uint32_t bytes);
  std::byte* dma_target(uint64_t address, uint32_t bytes, const char* verb);
  uint64_t bus_address(Bar bar, uint64_t offset, uint64_t bytes) const;

  std::string path_;
  std::unique_ptr<LibraryAbi> abi_;
  mutable std::mutex mutex_;  // the ABI wants its calls one after another
  uint64_t bar_base_[3] = {};
  PinTable pins_;
  std::string fault_;
  uint64_t cycles_ = 0;
};

}  // namespace kerr::host

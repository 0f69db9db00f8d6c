#include "host/device/card/sysfs_reset.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>

#include "host/device/card/pci.hpp"

namespace kerr::host {
namespace {

constexpr uint64_t kBridgeControl = 0x3E;
constexpr uint16_t kSecondaryBusReset = 1 << 6;
constexpr const char* kRoot = "It takes root, or CAP_SYS_ADMIN and CAP_DAC_OVERRIDE.";

// The first parent that is a PCI bridge (class 0x0604xx).
std::optional<std::string> bridge_above(System& system, const std::string& bdf) {
  std::optional<std::string> path = system.real_path(pci_path(bdf));
  while (path) {
    const size_t slash = path->rfind('/');
    if (slash == 0 || slash == std::string::npos) return std::nullopt;
    path->resize(slash);
    const auto device_class = read_text(system, *path + "/class");
    if (!device_class) return std::nullopt;
    if (device_class->starts_with("0x0604")) return path;
  }
  return std::nullopt;
}

}  // namespace

SysfsResetPort::SysfsResetPort(System& system, const std::string& bdf) : system_(system), bdf_(bdf) {}

// Opened when it is needed: a kernel driver that resets by itself needs no rights here.
File& SysfsResetPort::config() {
  if (config_.is_open()) return config_;
  config_ = File(system_, system_.open(pci_path(bdf_) + "/config", O_RDWR | O_CLOEXEC));
  require(config_.fd(), fmt::format("configuration space of {} cannot be written", bdf_), kRoot);
  return config_;
}

// Reading ends where the kernel lets this process see no further.
uint32_t SysfsResetPort::config_bytes() {
  if (!bytes_) {
    std::byte all[4096];
    bytes_ = static_cast<uint32_t>(std::max<int64_t>(0, system_.pread(config().fd(), all, 0)));
  }
  return *bytes_;
}

void SysfsResetPort::config_read(uint32_t offset, std::span<std::byte> out) {
  const int64_t count = system_.pread(config().fd(), out, offset);
  if (count != static_cast<int64_t>(out.size())) std::fill(out.begin(), out.end(), std::byte{0xFF});
}

void SysfsResetPort::config_write(uint32_t offset, std::span<const std::byte> bytes) {
  const int64_t count = system_.pwrite(config().fd(), bytes, offset);
  if (count != static_cast<int64_t>(bytes.size())) {
    refuse(fmt::format("configuration space of {} cannot be written at {:#x}", bdf_, offset),
           static_cast<int>(std::min<int64_t>(count, -1)), kRoot);
  }
}

bool SysfsResetPort::hold_bus_reset(bool asserted) {
  if (!bridge_.is_open()) {
    const auto path = bridge_above(system_, bdf_);
    if (!path) return false;
    bridge_ = File(system_, system_.open(*path + "/config", O_RDWR | O_CLOEXEC));
    if (!bridge_.is_open()) return false;
  }
  uint16_t control = 0;
  if (!bridge_.read(kBridgeControl, control)) return false;
  control = static_cast<uint16_t>(asserted ? control | kSecondaryBusReset : control & ~kSecondaryBusReset);
  return bridge_.write(kBridgeControl, control) == 0;
}

void SysfsResetPort::function_reset() {
  const std::string path = pci_path(bdf_) + "/reset";
  require(write_text(system_, path, "1"), fmt::format("{} cannot be reset through {}", bdf_, path), kRoot);
}

}  // namespace kerr::host

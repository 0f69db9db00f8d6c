#include "host/driver/chip_reset.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <optional>

#include "arch/boards.hpp"
#include "arch/bytes.hpp"
#include "arch/pcie.hpp"
#include "host/device/reset_port.hpp"
#include "host/driver/arc_messages.hpp"

namespace kerr::host {
namespace {

namespace pcie = arch::pcie;

// Configuration space.
constexpr uint32_t kCommand = 0x04;
constexpr uint32_t kCacheLine = 0x0C;
constexpr uint32_t kBars = 0x10;
constexpr uint32_t kBarsBytes = 0x18;
constexpr uint32_t kCapabilities = 0x34;
constexpr uint32_t kInterrupt = 0x3C;
constexpr uint32_t kSavedBytes = 256;
constexpr uint8_t kPciExpress = 0x10;  // capability id
constexpr uint32_t kDeviceControlInCapability = 8;
constexpr uint16_t kMemoryAndMaster = 0x0006;
constexpr uint16_t kMarker = 1 << 6;  // parity error response: reset clears it
constexpr uint16_t kMpsMask = 0x00E0;
constexpr uint16_t kMrrsMask = 0x7000, kMrrs4096 = 0x5000;
constexpr uint32_t kTimerEnableAndFire = 0x11;
constexpr uint64_t kDbiDeviceControl = pcie::kNocDbiBase + 0x78;

// Times of host-pcie.md 4.1 that are no limits but waits.
const Deadline kHold = Deadline::milliseconds(2), kBusSettle = Deadline::milliseconds(500);

// One reset: the steps of host-pcie.md 4.1 as functions, in their order in run().
class Reset {
 public:
  Reset(PcieDevice& device, ResetPort& port, const ChipResetOptions& options)
      : device_(device), port_(port), options_(options) {}

  ChipResetReport run() {
    try {
      return attempt();
    } catch (const DeviceError& error) {
      if (error.category() == Category::HostError) throw;
      std::string text;
      for (const std::string& step : report_.steps) text += step + "\n";
      throw DeviceError(error.category(), error.sentence(), text + error.report());
    }
  }

 private:
  ChipResetReport attempt() {
    if (const auto done = port_.reset_by_driver()) {
      say(*done);
      report_.chip = true;
      port_.restored();
      wake();
      return report_;
    }
    save();
    if (port_.config_bytes() <= kInterfaceTimerTarget + 4) {
      reset_function_only("extended configuration space cannot be reached");
    } else {
      if (options_.bus_reset) reset_bus();
      restore_config();
      const uint32_t column = pcie_column();
      if (fire_timer()) {
        report_.chip = true;
        pass(options_.settle);
        await_function("the reset");
        restore_config();
        restore_mps(column);
      } else {
        reset_function_only("the reset marker stayed set");
      }
    }
    port_.restored();
    wake();
    return report_;
  }

  void say(std::string step) { report_.steps.push_back(std::move(step)); }
  // Lets time pass; a device that has nothing to do passes it at once.
  void pass(Deadline time) {
    device_.wait([] { return false; }, time);
  }
  uint16_t read16(uint32_t offset) {
    uint16_t value;
    port_.config_read(offset, arch::bytes_of(value));
    return value;
  }
  void write16(uint32_t offset, uint16_t value) { port_.config_write(offset, arch::bytes_of(value)); }
  void write32(uint32_t offset, uint32_t value) { port_.config_write(offset, arch::bytes_of(value)); }
  // By polling configuration space, which needs no help of a device that may have faulted.
  bool poll(const std::function<bool()>& condition, Deadline deadline) {
    if (condition()) return true;
    return device_.wait(condition, deadline) == WaitResult::Done || condition();
  }
  void await_function(const char* after) {
    if (!poll([&] { return read16(0) == pcie::kVendorId; }, options_.answer)) {
      throw DeviceError(Category::Timeout,
                        fmt::format("{} does not answer after {}. Power-cycle the machine.", device_.name(), after));
    }
  }

  void save() {
    port_.config_read(0, saved_);
    answered_ = saved16(0) == pcie::kVendorId;
    if (!answered_) return say("the function does not answer; its configuration is lost");
    // A walk along the list of capabilities, which a broken device must not make endless.
    uint8_t at = static_cast<uint8_t>(saved_[kCapabilities]);
    for (int i = 0; i < 48 && at >= 0x40 && at <= kSavedBytes - 10; ++i) {
      if (static_cast<uint8_t>(saved_[at]) == kPciExpress) device_control_at_ = at + kDeviceControlInCapability;
      at = static_cast<uint8_t>(saved_[at + 1u]);
    }
    if (device_control_at_) device_control_ = saved16(*device_control_at_);
    say("saved the function's configuration");
  }
  uint16_t saved16(uint32_t offset) const {
    uint16_t value;
    std::memcpy(&value, saved_.data() + offset, sizeof value);
    return value;
  }

  void reset_bus() {
    if (!port_.hold_bus_reset(true)) return say("no bridge can be reached; the bus is not reset");
    pass(kHold);
    port_.hold_bus_reset(false);
    pass(kBusSettle);
    await_function("the bus reset");
    say("reset the bus");
  }

  // Never the status half of the command word: writing it clears errors.
  void restore_config() {
    if (!answered_) return write16(kCommand, kMemoryAndMaster);
    const auto saved = std::span<const std::byte>(saved_);
    write16(kCommand, static_cast<uint16_t>((saved16(kCommand) | kMemoryAndMaster) & ~kMarker));
    port_.config_write(kCacheLine, saved.subspan(kCacheLine, 2));
    port_.config_write(kBars, saved.subspan(kBars, kBarsBytes));
    port_.config_write(kInterrupt, saved.subspan(kInterrupt, 4));
    if (device_control_at_) {
      write16(*device_control_at_, static_cast<uint16_t>((device_control_ & ~kMrrsMask) | kMrrs4096));
    }
  }

  // Which of the two PCIe tiles is the endpoint; 0: neither, something is wrong with the mapping.
  uint32_t pcie_column() {
    uint32_t id;
    device_.read(Bar::k0, pcie::kNiu0Base + 0x44, arch::bytes_of(id));
    const uint32_t x = id & 0x3F;
    return x == arch::kPcieTiles[0].x || x == arch::kPcieTiles[1].x ? x : 0;
  }

  bool fire_timer() {
    write16(kCommand, static_cast<uint16_t>(read16(kCommand) | kMarker));
    write32(kInterfaceTimerTarget, 1);
    write32(kInterfaceTimerControl, kTimerEnableAndFire);
    const bool fired = poll([&] { return (read16(kCommand) & kMarker) == 0; }, options_.answer);
    say(fired ? "the interface timer reset the chip" : "the interface timer did not reset the chip");
    return fired;
  }

  void reset_function_only(const char* why) {
    say(fmt::format("{}: only the function is reset", why));
    port_.function_reset();
    pass(kBusSettle);
    await_function("the function's reset");
    restore_config();
  }

  // Through the controller's own registers: the platform may rewrite or block what a host writes there.
  void restore_mps(uint32_t column) {
    if (column == 0 || !device_control_at_) return say("the payload size is left as it is");
    constexpr int kWindow = pcie::kDriverWindow;
    const uint64_t base = kDbiDeviceControl & ~(pcie::kSmallWindowBytes - 1);
    pcie::TlbEntry entry;
    entry.local_offset = base >> pcie::kSmallTlbFormat.offset_shift;
    entry.x_end = static_cast<uint8_t>(column);
    entry.ordering = pcie::Ordering::Strict;
    const pcie::TlbWords words = pcie::encode(pcie::kSmallTlbFormat, entry);
    const uint32_t all[] = {words.low, words.mid, words.high};
    for (uint32_t i = 0; i < 3; ++i) {
      device_.write(Bar::k0, pcie::tlb_config_address(kWindow) + 4 * i, std::as_bytes(std::span(all + i, 1)));
    }
    const uint64_t at = kWindow * pcie::kSmallWindowBytes + (kDbiDeviceControl - base);
    uint32_t word;
    device_.read(Bar::k0, at, arch::bytes_of(word));
    word = (word & ~uint32_t{kMpsMask | kMrrsMask}) | (device_control_ & kMpsMask) | kMrrs4096;
    device_.write(Bar::k0, at, arch::bytes_of(word));
    say(fmt::format("restored the payload size ({} bytes)", 128u << (device_control_ >> 5 & 7)));
  }

  // The firmware is up again when it answers. Old ones do not know the watchdog.
  void wake() {
    NocIo io(device_);
    ArcMessages messages(io);
    messages.require(ArcCode::AsicState0);
    const uint32_t timeout[] = {options_.watchdog_ms};
    const ArcAnswer answer = messages.send(ArcCode::SetWatchdog, timeout);
    say(fmt::format("the management controller answers{}", answer.status == 0 ? "" : "; it knows no watchdog"));
  }

  PcieDevice& device_;
  ResetPort& port_;
  const ChipResetOptions& options_;
  ChipResetReport report_;
  std::array<std::byte, kSavedBytes> saved_{};
  bool answered_ = false;
  std::optional<uint32_t> device_control_at_;
  uint16_t device_control_ = 0;
};

}  // namespace

ChipResetReport reset_chip(PcieDevice& device, ResetPort& port, const ChipResetOptions& options) {
  return Reset(device, port, options).run();
}

ChipResetReport reset_chip(PcieDevice& device, const ChipResetOptions& options) {
  const auto port = device.reset_port();
  if (port == nullptr) host_error(device.name() + " cannot be reset");
  return reset_chip(device, *port, options);
}

}  // namespace kerr::host

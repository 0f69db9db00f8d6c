#include "host/device/pcie_device.hpp"

#include <fmt/format.h>

#include "host/device/hang_explainer.hpp"
#include "host/device/reset_port.hpp"

namespace kerr::host {

std::unique_ptr<ResetPort> PcieDevice::reset_port() { return nullptr; }

HangExplainer* HangExplainer::of(PcieDevice& device) { return dynamic_cast<HangExplainer*>(&device); }

ChipClaim::ChipClaim(PcieDevice& device) : device_(device) {
  if (device_.has_chip_.exchange(true)) {
    host_error(device_.name() +
               " has a host::Chip already, and a second one would take its tiles from it: use that one, or "
               "destroy it first");
  }
}

std::string first_fault(const DeviceStatus& status) {
  if (status.faults.empty()) return "the device has stopped with a fault";
  const DeviceStatus::Faulted& fault = status.faults.front();
  std::string text = fmt::format("tile ({},{}) {}", fault.tile.x, fault.tile.y, fault.agent);
  if (fault.hart >= 0) text += fmt::format(" at pc {:#x}", fault.pc);
  if (!fault.instruction.empty()) text += ", " + fault.instruction;
  return text + ": " + fault.cause;
}

void await(PcieDevice& device, const std::string& what, const std::function<bool()>& condition, Deadline deadline,
           const std::function<uint64_t()>& progress) {
  uint64_t seen = progress ? progress() : 0;
  while (true) {
    const WaitResult result = device.wait(condition, deadline);
    if (result == WaitResult::Done) return;
    if (result == WaitResult::TimedOut && progress) {
      const uint64_t now = progress();
      if (now != seen) {
        seen = now;
        continue;
      }
    }
    DeviceStatus status = device.status();
    if (status.state == DeviceStatus::State::Faulted) {
      throw DeviceError(status.category, what + ": " + first_fault(status), std::move(status.report));
    }
    if (result == WaitResult::Quiescent) {
      throw DeviceError(Category::Deadlock, what + ": it never happened, and nothing on the device can happen any more",
                        std::move(status.report));
    }
    throw DeviceError(Category::Timeout,
                      what + ": no progress within " + std::to_string(deadline.cycles) + " device cycles (" +
                          std::to_string(deadline.wall.count()) + " ms on a card)",
                      std::move(status.report));
  }
}

}  // namespace kerr::host

#include "host/device/emulated_device.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "arch/pcie.hpp"
#include "emu/machine/machine.hpp"

namespace kerr::host {

namespace {

// The device's categories are the host's first nine, in the same order.
Category category_of(emu::FaultCategory category) { return static_cast<Category>(category); }
static_assert(static_cast<int>(Category::kDeadlock) == static_cast<int>(emu::FaultCategory::Deadlock));
static_assert(static_cast<int>(Category::kHostError) == static_cast<int>(emu::FaultCategory::HostError));

std::span<std::uint8_t> raw(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}
std::span<const std::uint8_t> raw(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

emu::Bar bar_of(Bar bar) { return static_cast<emu::Bar>(bar); }

[[noreturn]] void raise(const emu::Fault& fault) { throw DeviceError(category_of(fault.category), fault.what, fault.text()); }

emu::MachineOptions machine_options(const EmulatedOptions& options, emu::HostMemory* memory) {
  emu::MachineOptions machine;
  machine.boards = {options.board};
  machine.host_memory = memory;
  machine.shards = options.shards;
  machine.scheduler = options.reference ? emu::Scheduler::Reference : emu::Scheduler::Fast;
  machine.parking = options.parking;
  return machine;
}

}  // namespace

// The device sees pinned pages and nothing else. Shared words are written with release and read with acquire.
class EmulatedDevice::HostMemory final : public emu::HostMemory {
 public:
  explicit HostMemory(const PinTable& pins) : pins_(pins) {}

  bool read(std::uint64_t address, std::span<std::uint8_t> out) override {
    const std::byte* source = pins_.find(address, out.size());
    if (source == nullptr) return false;
    std::atomic_thread_fence(std::memory_order_acquire);
    std::memcpy(out.data(), source, out.size());
    return true;
  }
  bool write(std::uint64_t address, std::span<const std::uint8_t> bytes) override {
    std::byte* target = pins_.find(address, bytes.size());
    if (target == nullptr) return false;
    std::atomic_thread_fence(std::memory_order_release);
    std::memcpy(target, bytes.data(), bytes.size());
    return true;
  }

 private:
  const PinTable& pins_;
};

EmulatedDevice::EmulatedDevice(const EmulatedOptions& options)
    : name_(fmt::format("emulated {}", options.board.name)),
      memory_(std::make_unique<HostMemory>(pins_)),
      machine_(std::make_unique<emu::Machine>(machine_options(options, memory_.get()))) {}

EmulatedDevice::~EmulatedDevice() = default;

uint32_t EmulatedDevice::config_read(uint32_t offset) {
  const std::lock_guard lock(mutex_);
  return machine_->config_read(0, offset);
}

void EmulatedDevice::config_write(uint32_t offset, uint32_t value) {
  const std::lock_guard lock(mutex_);
  machine_->config_write(0, offset, value);
}

uint64_t EmulatedDevice::bar_bytes(Bar bar) const { return emu::bar_bytes(bar_of(bar)); }

void EmulatedDevice::read(Bar bar, uint64_t offset, std::span<std::byte> out) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = machine_->read(0, bar_of(bar), offset, raw(out))) raise(*fault);
}

void EmulatedDevice::write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching) {
  const std::lock_guard lock(mutex_);
  if (const auto fault = machine_->write(0, bar_of(bar), offset, raw(bytes))) raise(*fault);
}

// No iATU region is programmed: addresses outside all regions pass unchanged (docs/hardware/host-pcie.md 1.10).
uint64_t EmulatedDevice::pin(std::span<std::byte> memory) {
  const std::lock_guard lock(mutex_);
  return arch::pcie::kNocHostBase | pins_.add(memory);
}

void EmulatedDevice::unpin(uint64_t noc_address) {
  const std::lock_guard lock(mutex_);
  pins_.remove(noc_address & ~arch::pcie::kNocHostBase);
}

WaitResult EmulatedDevice::wait(const std::function<bool()>& condition, Deadline deadline) {
  uint64_t end = 0;
  {
    const std::lock_guard lock(mutex_);
    end = machine_->now() + deadline.cycles;
  }
  while (true) {
    if (condition()) return WaitResult::kDone;  // without the lock: it may read from this device
    const std::lock_guard lock(mutex_);
    if (machine_->faulted()) return WaitResult::kFaulted;
    if (machine_->now() >= end) return WaitResult::kTimedOut;
    if (machine_->quiescent()) return WaitResult::kQuiescent;
    machine_->step(end);
  }
}

DeviceStatus EmulatedDevice::status() {
  const std::lock_guard lock(mutex_);
  if (machine_->faulted()) {
    std::string report;
    for (const emu::Fault& fault : machine_->faults()) report += fault.text();
    return {DeviceStatus::State::kFaulted, category_of(machine_->faults().front().category), std::move(report)};
  }
  if (!machine_->quiescent()) return {};
  return {DeviceStatus::State::kQuiescent, Category::kDeadlock, emu::text(machine_->waits())};
}

uint64_t EmulatedDevice::cycles() {
  const std::lock_guard lock(mutex_);
  return machine_->now();
}

uint64_t EmulatedDevice::state_hash() {
  const std::lock_guard lock(mutex_);
  return machine_->state_hash();
}

}  // namespace kerr::host

#include "host/device/library_device.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "arch/pcie.hpp"
#include "host/device/library_abi.hpp"

namespace kerr::host {
namespace {

// The ABI's callbacks get an address and nothing else.
std::atomic<LibraryDevice*> open_device{nullptr};

constexpr uint32_t kVendorDevice = arch::pcie::kVendorId | arch::pcie::kDeviceId << 16;

// One data call moves at most this much: what tt-umd's longest transfer through a 2 MiB window is.
constexpr size_t kMaxTransferBytes = 2 << 20;

template <class Call, class Span>
void transfer(Call* call, uint64_t address, Span bytes) {
  while (!bytes.empty()) {
    const Span piece = bytes.first(std::min(bytes.size(), kMaxTransferBytes));
    call(address, piece.data(), static_cast<uint32_t>(piece.size()));
    address += piece.size();
    bytes = bytes.subspan(piece.size());
  }
}

// wait() tests its condition after this many clocks, then after twice as many, up to the longest slice.
constexpr uint64_t kFirstSliceCycles = 64;
constexpr uint64_t kLongestSliceCycles = 4096;

}  // namespace

std::unique_ptr<LibraryDevice> LibraryDevice::open(const std::string& path) {
  return std::unique_ptr<LibraryDevice>(new LibraryDevice(path));
}

LibraryDevice::LibraryDevice(std::string path) : path_(std::move(path)) {
  LibraryDevice* none = nullptr;
  if (!open_device.compare_exchange_strong(none, this)) {
    host_error(fmt::format("'{}' cannot be opened: '{}' is still open, and there is one such device per process", path_,
                           none->path_));
  }
  try {
    abi_ = std::make_unique<LibraryAbi>(path_);
    abi_->set_dma(&LibraryDevice::dma_read, &LibraryDevice::dma_write);
    abi_->init();
    const uint32_t id = abi_->config_read(0, arch::pcie::kConfigVendorDevice);
    if (id != kVendorDevice) {
      abi_->exit();
      host_error(
          fmt::format("'{}' is no Blackhole: vendor and device read {:#010x}, not {:#010x}", path_, id, kVendorDevice));
    }
    for (uint32_t i = 0; i < 3; ++i) {
      const uint64_t low = abi_->config_read(0, arch::pcie::kConfigBar0 + 8 * i) & ~0xFu;
      bar_base_[i] = low | static_cast<uint64_t>(abi_->config_read(0, arch::pcie::kConfigBar0 + 8 * i + 4)) << 32;
    }
  } catch (...) {
    open_device = nullptr;
    throw;
  }
}

LibraryDevice::~LibraryDevice() {
  abi_->exit();
  open_device = nullptr;
}

uint32_t LibraryDevice::config_read(uint32_t offset) {
  if (offset % 4 != 0) host_error(fmt::format("configuration read at {:#x} is not aligned to 4 bytes", offset));
  std::lock_guard lock(mutex_);
  return abi_->config_read(0, offset);
}

void LibraryDevice::config_write(uint32_t offset, uint32_t value) {
  if (offset % 4 != 0) host_error(fmt::format("configuration write at {:#x} is not aligned to 4 bytes", offset));
  std::lock_guard lock(mutex_);
  abi_->config_write(0, offset, value);
}

uint64_t LibraryDevice::bar_bytes(Bar bar) const { return arch::pcie::bar_bytes(bar); }

uint64_t LibraryDevice::bus_address(Bar bar, uint64_t offset, uint64_t bytes) const {
  const uint64_t size = bar_bytes(bar);
  if (offset > size || bytes > size - offset) {
    host_error(fmt::format("access to BAR{} at {:#x} of {} bytes ends beyond its {:#x} bytes", static_cast<int>(bar),
                           offset, bytes, size));
  }
  return bar_base_[static_cast<uint32_t>(bar) / 2] + offset;
}

void LibraryDevice::read(Bar bar, uint64_t offset, std::span<std::byte> out) {
  const uint64_t address = bus_address(bar, offset, out.size());
  std::lock_guard lock(mutex_);
  transfer(abi_->read, address, out);
}

void LibraryDevice::write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching) {
  const uint64_t address = bus_address(bar, offset, bytes.size());
  std::lock_guard lock(mutex_);
  transfer(abi_->write, address, bytes);
}

// No iATU region is programmed: addresses outside all regions pass unchanged (host-pcie.md 1.10).
uint64_t LibraryDevice::pin(std::span<std::byte> memory) {
  std::lock_guard lock(mutex_);
  return arch::pcie::kNocHostBase | pins_.add(memory);
}

void LibraryDevice::unpin(uint64_t noc_address) {
  std::lock_guard lock(mutex_);
  pins_.remove(noc_address & ~arch::pcie::kNocHostBase);
}

WaitResult LibraryDevice::wait(const std::function<bool()>& condition, Deadline deadline) {
  uint64_t slice = kFirstSliceCycles;
  uint64_t left = deadline.cycles;
  while (true) {
    if (condition()) return WaitResult::Done;
    std::lock_guard lock(mutex_);
    if (!fault_.empty()) return WaitResult::Faulted;
    if (left == 0) return WaitResult::TimedOut;
    const uint64_t cycles = std::min(slice, left);
    abi_->clock(static_cast<uint32_t>(cycles));
    cycles_ += cycles;
    left -= cycles;
    slice = std::min(slice * 2, kLongestSliceCycles);
  }
}

DeviceStatus LibraryDevice::status() {
  std::lock_guard lock(mutex_);
  if (fault_.empty()) return {};
  return {DeviceStatus::State::Faulted, Category::OutOfBounds, fault_};
}

uint64_t LibraryDevice::cycles() const {
  std::lock_guard lock(mutex_);
  return cycles_;
}

std::byte* LibraryDevice::dma_target(uint64_t address, uint32_t bytes, const char* verb) {
  std::byte* target = pins_.find(address, bytes);
  if (target == nullptr && fault_.empty()) {
    fault_ = fmt::format("the device {} {} bytes of host memory at {:#x}, which is not pinned", verb, bytes, address);
  }
  return target;
}

// Called from inside clock() or a BAR access, so with the lock held.
void LibraryDevice::dma_read(uint64_t address, void* out, uint32_t bytes) {
  const std::byte* source = open_device.load()->dma_target(address, bytes, "read");
  if (source != nullptr) {
    std::atomic_thread_fence(std::memory_order_acquire);
    std::memcpy(out, source, bytes);
  } else {
    std::memset(out, 0xFF, bytes);
  }
}

void LibraryDevice::dma_write(uint64_t address, const void* in, uint32_t bytes) {
  std::byte* target = open_device.load()->dma_target(address, bytes, "wrote");
  if (target == nullptr) return;
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(target, in, bytes);
}

}  // namespace kerr::host

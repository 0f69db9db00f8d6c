#include "host/device/card/card_device.hpp"

#include <fmt/format.h>

#include <cstring>

#include "arch/bytes.hpp"
#include "arch/pcie.hpp"

namespace kerr::host {
namespace {

constexpr uint32_t kNodeIdOffset = 0x44;  // of a NIU; never all ones on a card that answers (host-pcie.md 1.8, 1.9)
constexpr uint32_t kGone = 0xFFFF'FFFF;
constexpr std::chrono::milliseconds kLookForCardEvery{100};

}  // namespace

void CardDevice::check_range(Bar bar, uint64_t offset, uint64_t bytes) const {
  const uint64_t size = bar_bytes(bar);
  if (bytes == 0 || offset > size || bytes > size - offset) {
    host_error(fmt::format("{} bytes at {:#x} of BAR{}, which has {:#x}", bytes, offset, static_cast<int>(bar), size));
  }
}

void CardDevice::read(Bar bar, uint64_t offset, std::span<std::byte> out) {
  check_range(bar, offset, out.size());
  if (unflushed_.load(std::memory_order_relaxed)) flush();
  system_.load(bars_[index(bar)].uncached.at() + offset, out);
}

void CardDevice::write(Bar bar, uint64_t offset, std::span<const std::byte> bytes, Caching caching) {
  check_range(bar, offset, bytes.size());
  const BarView& view = bars_[index(bar)];
  if (caching == Caching::WriteCombined && view.combined.at() != nullptr) {
    unflushed_.store(true, std::memory_order_relaxed);
    system_.store(view.combined.at() + offset, bytes);
  } else {
    system_.store(view.uncached.at() + offset, bytes);
  }
}

void CardDevice::flush() {
  system_.fence();
  unflushed_.store(false, std::memory_order_relaxed);
}

bool CardDevice::is_gone() {
  if (in_reset_ || bars_[0].uncached.at() == nullptr) return false;
  uint32_t id;
  system_.load(bars_[0].uncached.at() + arch::pcie::kNiu0Base + kNodeIdOffset, arch::bytes_of(id));
  return id == kGone;
}

WaitResult CardDevice::wait(const std::function<bool()>& condition, Deadline deadline) {
  const auto start = system_.now();
  auto looked = start;
  while (true) {
    if (condition()) return WaitResult::Done;
    const auto now = system_.now();
    if (now - start >= deadline.wall) return condition() ? WaitResult::Done : WaitResult::TimedOut;
    if (now - looked >= kLookForCardEvery) {
      looked = now;
      if (is_gone()) return WaitResult::Faulted;
    }
    system_.pause();
  }
}

DeviceStatus CardDevice::status() {
  DeviceStatus status;
  if (is_gone()) {
    status.state = DeviceStatus::State::Faulted;
    status.category = Category::Protocol;
    status.report = name() +
                    " answers nothing but ones: it is hung or has left the bus. Reset it ('kerr reset'); if that does "
                    "not help, power-cycle the machine.\n";
  }
  return status;
}

void CardDevice::require_mapped(int error, Bar bar, const Card& card) {
  require(error, fmt::format("BAR{} of {} cannot be mapped", static_cast<int>(bar), card.bdf), kSeeLog);
}

void CardDevice::unmap_bars() {
  for (BarView& view : bars_) {
    view.combined.unmap();
    view.uncached.unmap();
  }
}

}  // namespace kerr::host

#include "host/tlb.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>

namespace kerr::host {

namespace pcie = arch::pcie;

struct WindowAllocator::Pool {
  PcieDevice& device;
  int large_windows;
  std::mutex mutex;
  std::bitset<pcie::kWindows> used;

  explicit Pool(PcieDevice& d)
      : device(d),
        large_windows(
            static_cast<int>(std::min<uint64_t>(d.bar_bytes(Bar::k4) / pcie::kLargeWindowBytes, pcie::kLargeWindows))) {
    used.set(pcie::kDriverWindow);
  }

  // The windows of one size in the order of preference.
  template <class Visit>
  void each(Size size, Visit&& visit) const {
    if (size == Size::k4GiB) {
      for (int i = 0; i < large_windows; ++i) {
        if (visit(pcie::kSmallWindows + i)) return;
      }
      return;
    }
    for (int i = 0; i < pcie::kSmallWindows; ++i) {
      if (visit((i + pcie::kStridedWindows) % pcie::kSmallWindows)) return;
    }
  }
};

WindowAllocator::WindowAllocator(PcieDevice& device) : pool_(std::make_unique<Pool>(device)) {}
WindowAllocator::~WindowAllocator() = default;

std::optional<Window> WindowAllocator::allocate(Size size) {
  std::lock_guard lock(pool_->mutex);
  int found = -1;
  pool_->each(size, [&](int i) {
    if (pool_->used[i]) return false;
    found = i;
    return true;
  });
  if (found < 0) return std::nullopt;
  pool_->used.set(found);
  return Window(*pool_, static_cast<uint32_t>(found));
}

uint32_t WindowAllocator::available(Size size) const {
  std::lock_guard lock(pool_->mutex);
  uint32_t count = 0;
  pool_->each(size, [&](int i) {
    count += !pool_->used[i];
    return false;
  });
  return count;
}

Window::Window(Window&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), index_(other.index_), target_(other.target_) {}

Window& Window::operator=(Window&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(index_, other.index_);
  std::swap(target_, other.target_);
  return *this;
}

Window::~Window() {
  if (pool_ == nullptr) return;
  std::lock_guard lock(pool_->mutex);
  pool_->used.reset(index_);
}

uint64_t Window::bytes() const { return pcie::window_bytes(static_cast<int>(index_)); }

void Window::configure(const WindowTarget& target) {
  const Rectangle& tiles = target.tiles;
  if (target.base % bytes() != 0) {
    host_error(fmt::format("window base {:#x} is not a multiple of the window's {:#x} bytes", target.base, bytes()));
  }
  if (target.multicast && (!tiles.first.on_grid() || !tiles.last.on_grid())) {
    host_error(fmt::format("multicast to ({},{})..({},{}) leaves the grid", tiles.first.x, tiles.first.y, tiles.last.x,
                           tiles.last.y));
  }
  const pcie::TlbFormat& format = pcie::tlb_format(static_cast<int>(index_));
  pcie::TlbEntry entry;
  entry.local_offset = target.base >> format.offset_shift;
  entry.x_end = tiles.last.x;
  entry.y_end = tiles.last.y;
  if (target.multicast) {  // otherwise ignored by the hardware and refused by some models (host-pcie.md 1.5)
    entry.x_start = tiles.first.x;
    entry.y_start = tiles.first.y;
  }
  entry.noc = target.noc;
  entry.multicast = target.multicast;
  entry.ordering = target.ordering;
  const pcie::TlbWords words = pcie::encode(format, entry);
  const uint64_t at = pcie::tlb_config_address(static_cast<int>(index_));
  // Each word with one aligned 32-bit store.
  for (const auto& [offset, word] : {std::pair{0, words.low}, {4, words.mid}, {8, words.high}}) {
    std::byte bytes[4];
    std::memcpy(bytes, &word, 4);
    pool_->device.write(Bar::k0, at + offset, bytes, Caching::kUncached);
  }
  target_ = target;
}

uint64_t Window::bar_offset(uint64_t offset, uint64_t count) const {
  if (offset > bytes() || count > bytes() - offset) {
    host_error(fmt::format("{} bytes at offset {:#x} leave the window of {:#x} bytes", count, offset, bytes()));
  }
  const uint64_t base = index_ < pcie::kSmallWindows ? index_ * pcie::kSmallWindowBytes
                                                     : (index_ - pcie::kSmallWindows) * pcie::kLargeWindowBytes;
  return base + offset;
}

void Window::read(uint64_t offset, std::span<std::byte> out) const {
  const uint64_t at = bar_offset(offset, out.size());
  if (target_.multicast) host_error("a read through a multicast window");
  pool_->device.read(index_ < pcie::kSmallWindows ? Bar::k0 : Bar::k4, at, out);
}

void Window::write(uint64_t offset, std::span<const std::byte> bytes, Caching caching) const {
  const uint64_t at = bar_offset(offset, bytes.size());
  pool_->device.write(index_ < pcie::kSmallWindows ? Bar::k0 : Bar::k4, at, bytes, caching);
}

}  // namespace kerr::host

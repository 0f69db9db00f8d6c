#include "host/driver/tlb.hpp"

#include <algorithm>
#include <bitset>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "arch/bytes.hpp"

namespace kerr::host {

namespace pcie = arch::pcie;

namespace {

void write_word(PcieDevice& device, uint64_t offset, uint32_t word) {
  device.write(Bar::k0, offset, arch::bytes_of(word), Caching::Uncached);
}

}  // namespace

struct WindowAllocator::Pool {
  PcieDevice& device;
  WindowOwner* owner;
  int large_windows;
  std::mutex mutex;
  std::bitset<pcie::kWindows> used;

  explicit Pool(PcieDevice& d)
      : device(d),
        owner(d.window_owner()),
        large_windows(
            static_cast<int>(std::min<uint64_t>(d.bar_bytes(Bar::k4) / pcie::kLargeWindowBytes, pcie::kLargeWindows))) {
    used.set(pcie::kDriverWindow);
  }

  int claim(Size size) {
    if (owner != nullptr) return owner->claim_window(size == Size::k4GiB).value_or(-1);
    std::lock_guard lock(mutex);
    const int found = size == Size::k4GiB ? free_large() : free_small();
    if (found >= 0) used.set(static_cast<size_t>(found));
    return found;
  }
  void release(uint32_t index) {
    if (owner != nullptr) return owner->release_window(static_cast<int>(index));
    std::lock_guard lock(mutex);
    used.reset(index);
  }

 private:
  int free_large() const {
    for (int i = pcie::kSmallWindows; i < pcie::kSmallWindows + large_windows; ++i) {
      if (!used[static_cast<size_t>(i)]) return i;
    }
    return -1;
  }
  int free_small() const {
    for (int i = 0; i < pcie::kSmallWindows; ++i) {
      const int window = (i + pcie::kStridedWindows) % pcie::kSmallWindows;
      if (!used[static_cast<size_t>(window)]) return window;
    }
    return -1;
  }
};

WindowAllocator::WindowAllocator(PcieDevice& device) : pool_(std::make_unique<Pool>(device)) {}
WindowAllocator::~WindowAllocator() = default;

std::optional<Window> WindowAllocator::allocate(Size size) {
  const int found = pool_->claim(size);
  if (found < 0) return std::nullopt;
  Window window(*pool_, static_cast<uint32_t>(found));
  // Another process may have left a pattern.
  if (pool_->owner != nullptr && found < pcie::kStridedWindows) {
    write_word(pool_->device, pcie::kStridedConfigBase + 4 * static_cast<uint64_t>(found), 0);
  }
  return window;
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
  if (pool_ != nullptr) pool_->release(index_);
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
  pool_->device.flush();
  target_.reset();  // until all three words are written
  write_word(pool_->device, at, words.low);
  write_word(pool_->device, at + 4, words.mid);
  write_word(pool_->device, at + 8, words.high);
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
  if (target_ && target_->multicast) host_error("a read through a multicast window");
  pool_->device.read(index_ < pcie::kSmallWindows ? Bar::k0 : Bar::k4, at, out);
}

void Window::write(uint64_t offset, std::span<const std::byte> bytes, Caching caching) const {
  const uint64_t at = bar_offset(offset, bytes.size());
  pool_->device.write(index_ < pcie::kSmallWindows ? Bar::k0 : Bar::k4, at, bytes, caching);
}

}  // namespace kerr::host

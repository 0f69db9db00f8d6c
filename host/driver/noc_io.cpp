#include "host/driver/noc_io.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "arch/bytes.hpp"

namespace kerr::host {
namespace {

// DRAM tiles in translated coordinates (docs/hardware/noc.md 1.5): one 4 GiB window shows a whole bank.
bool is_dram(arch::NocCoord tile) { return (tile.x == 17 || tile.x == 18) && tile.y >= 12 && tile.y < 24; }

// Enough that every Tensix tile keeps its own window over L1 while the host goes round them, and few enough that other
// processes find some.
constexpr size_t kSmallWindowsKept = 160;

}  // namespace

NocIo::NocIo(PcieDevice& device) : device_(device), allocator_(device) {}

bool NocIo::has_large_windows() {
  if (large_.empty() && !std::exchange(asked_for_large_, true)) {
    if (auto window = allocator_.allocate(WindowAllocator::Size::k4GiB)) large_.push_back(std::move(*window));
  }
  return !large_.empty();
}

// The window that shows `target` already; else a fresh one while there are any; else the one that was used longest ago.
const Window& NocIo::window_for(const WindowTarget& target, bool large) {
  Cache& cache = large ? large_ : small_;
  auto found = std::find_if(cache.begin(), cache.end(), [&](const Window& w) { return w.target() == target; });
  if (found == cache.end()) {
    if (large || cache.size() < kSmallWindowsKept) {
      auto fresh = allocator_.allocate(large ? WindowAllocator::Size::k4GiB : WindowAllocator::Size::k2MiB);
      if (fresh) cache.push_back(std::move(*fresh));
    }
    if (cache.empty()) {
      host_error(device_.name() + ": other processes hold all TLB windows. End one of them.");
    }
    found = std::prev(cache.end());
    found->configure(target);
  }
  cache.splice(cache.begin(), cache, found);
  return cache.front();
}

template <class Span, class Access>
void NocIo::pieces(WindowTarget target, uint64_t address, Span bytes, Access&& access) {
  const bool large = !target.multicast && is_dram(target.tiles.last) && has_large_windows();
  const uint64_t window_bytes = large ? arch::pcie::kLargeWindowBytes : arch::pcie::kSmallWindowBytes;
  while (!bytes.empty()) {
    const uint64_t offset = address & (window_bytes - 1);
    const uint64_t count = std::min<uint64_t>(bytes.size(), window_bytes - offset);
    target.base = address - offset;
    access(window_for(target, large), offset, bytes.first(count));
    bytes = bytes.subspan(count);
    address += count;
  }
}

void NocIo::read(arch::NocCoord tile, uint64_t address, std::span<std::byte> out) {
  std::lock_guard lock(mutex_);
  pieces(WindowTarget::tile(tile, 0), address, out,
         [](const Window& window, uint64_t offset, std::span<std::byte> piece) { window.read(offset, piece); });
}

void NocIo::write_through(const WindowTarget& target, uint64_t address, std::span<const std::byte> bytes) {
  std::lock_guard lock(mutex_);
  // Small writes are messages and registers; they must not overtake the data before them.
  const Caching caching = bytes.size() <= 4 ? Caching::Uncached : Caching::WriteCombined;
  if (caching == Caching::Uncached && std::exchange(unflushed_, false)) device_.flush();
  unflushed_ |= caching == Caching::WriteCombined;
  pieces(target, address, bytes, [&](const Window& window, uint64_t offset, std::span<const std::byte> piece) {
    window.write(offset, piece, caching);
  });
}

void NocIo::write(arch::NocCoord tile, uint64_t address, std::span<const std::byte> bytes) {
  write_through(WindowTarget::tile(tile, 0), address, bytes);
}

void NocIo::multicast(const Rectangle& tiles, uint64_t address, std::span<const std::byte> bytes) {
  if (tiles.tiles() == 1) return write(tiles.first, address, bytes);
  write_through({.tiles = tiles, .multicast = true}, address, bytes);
}

void NocIo::flush() {
  std::lock_guard lock(mutex_);
  if (std::exchange(unflushed_, false)) device_.flush();
}

uint32_t NocIo::read32(arch::NocCoord tile, uint64_t address) {
  uint32_t value;
  read(tile, address, arch::bytes_of(value));
  return value;
}

void NocIo::write32(arch::NocCoord tile, uint64_t address, uint32_t value) {
  write(tile, address, arch::bytes_of(value));
}

void NocIo::write16(arch::NocCoord tile, uint64_t address, uint16_t value) {
  write(tile, address, arch::bytes_of(value));
}

}  // namespace kerr::host

// Windows of the PCI function onto the NoC: 202 of 2 MiB in BAR0 and up to 8 of 4 GiB in BAR4.
// docs/hardware/host-pcie.md 1.3 to 1.6
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "arch/grid.hpp"
#include "arch/pcie.hpp"
#include "host/device/pcie_device.hpp"
#include "host/driver/rectangle.hpp"

namespace kerr::host {

/// Order of accesses through one window (1.6). Strict keeps writes in order across tiles too: a launch message lands
/// before the go word. Posted writes are acknowledged as soon as they enter the NoC.
using arch::pcie::Ordering;

/// What a window shows. Coordinates are translated.
struct WindowTarget {
  Rectangle tiles;         ///< one tile (first == last), or the receivers of a multicast
  bool multicast = false;  ///< writes only; both corners must be Tensix tiles
  uint64_t base = 0;       ///< tile address of the window's first byte, a multiple of the window's size
  Ordering ordering = Ordering::Strict;
  uint8_t noc = 0;

  /// One tile, strictly ordered on NoC 0.
  static WindowTarget tile(arch::NocCoord tile, uint64_t base) { return {.tiles = {tile, tile}, .base = base}; }
  friend bool operator==(const WindowTarget&, const WindowTarget&) = default;
};

/// Gives out windows: the device's, or those that its owner (PcieDevice::window_owner()) grants to this process.
/// Thread-safe. Must outlive its windows.
class WindowAllocator {
 public:
  enum class Size : uint8_t { k2MiB, k4GiB };

  /// The device must outlive it.
  explicit WindowAllocator(PcieDevice& device);
  ~WindowAllocator();

  class Window;
  /// The lowest free window, or nothing: never waits for one. Window 201 belongs to the kernel driver and is never
  /// given out. Windows below 32, whose multicasts can carry a stride pattern of an earlier user, come last.
  std::optional<Window> allocate(Size size);

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

/// One window, returned to the allocator at the end of its life. Not thread-safe.
class WindowAllocator::Window {
 public:
  Window(Window&& other) noexcept;
  Window& operator=(Window&& other) noexcept;
  ~Window();

  /// Its number on the device: below arch::pcie::kSmallWindows one of 2 MiB, else one of 4 GiB.
  uint32_t index() const { return index_; }
  uint64_t bytes() const;  ///< its size

  /// Later accesses go to `target`, earlier ones, write-combined ones too, still to the old one. Throws DeviceError
  /// (HostError) for a base that is not a multiple of bytes() or a multicast corner outside the grid.
  void configure(const WindowTarget& target);
  /// Nothing before the first configure(), and after one that failed half-way.
  const std::optional<WindowTarget>& target() const { return target_; }

  /// `offset` counts from target().base; the range must end inside the window.
  void read(uint64_t offset, std::span<std::byte> out) const;
  void write(uint64_t offset, std::span<const std::byte> bytes, Caching caching) const;

 private:
  friend class WindowAllocator;
  Window(Pool& pool, uint32_t index) : pool_(&pool), index_(index) {}
  uint64_t bar_offset(uint64_t offset, uint64_t bytes) const;

  Pool* pool_;
  uint32_t index_;
  std::optional<WindowTarget> target_;
};

using Window = WindowAllocator::Window;

}  // namespace kerr::host

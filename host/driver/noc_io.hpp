// Reads and writes of any tile by its translated coordinate, through TLB windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <span>

#include "host/driver/rectangle.hpp"
#include "host/driver/tlb.hpp"

namespace kerr::host {

/// What a chip that is hung, or has left the bus, answers to every read of a word (host-pcie.md 1.8).
inline constexpr uint32_t kChipGone = 0xFFFF'FFFF;

/// Thread-safe. Throws DeviceError (HostError) if other processes hold all windows. Windows are strictly ordered, so
/// writes take effect in the order of the calls, across tiles too. A window stays configured until another target needs
/// it. Addresses from 0xFF000000 to 0xFFFFFFFF, and all of ARC's APB, are registers: 4 aligned bytes at a time.
class NocIo {
 public:
  /// Takes no window yet. The device must outlive it.
  explicit NocIo(PcieDevice& device);

  /// Bytes of a tile's address space, which a range must not leave. A read sees every earlier write. Throw DeviceError
  /// also for what the device refuses: addresses where nothing is, registers in other pieces than 4 aligned bytes.
  void read(arch::NocCoord tile, uint64_t address, std::span<std::byte> out);
  void write(arch::NocCoord tile, uint64_t address, std::span<const std::byte> bytes);
  /// One aligned word.
  uint32_t read32(arch::NocCoord tile, uint64_t address);
  void write32(arch::NocCoord tile, uint64_t address, uint32_t value);
  /// One 2-byte store (entries of the prefetch queue).
  void write16(arch::NocCoord tile, uint64_t address, uint16_t value);

  /// The same bytes to all Tensix tiles of a rectangle.
  void multicast(const Rectangle& tiles, uint64_t address, std::span<const std::byte> bytes);

  /// Every earlier write is on its way to the device: needed before the device is told of it by any other way than a
  /// write of this class.
  void flush();

  /// Whose windows these are.
  PcieDevice& device() { return device_; }

 private:
  using Cache = std::list<Window>;  // most recently used first

  bool has_large_windows();
  const Window& window_for(const WindowTarget& target, bool large);
  template <class Span, class Access>
  void pieces(WindowTarget target, uint64_t address, Span bytes, Access&& access);
  void write_through(const WindowTarget& target, uint64_t address, std::span<const std::byte> bytes);

  PcieDevice& device_;
  std::mutex mutex_;
  WindowAllocator allocator_;
  Cache small_, large_;
  bool asked_for_large_ = false;
  bool unflushed_ = false;  // write-combined data may still be on its way
};

}  // namespace kerr::host

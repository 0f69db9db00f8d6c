// Write-combined stores as the worst host bus makes them: late, merged, in pieces and in any order. For tests of the
// rule that code which depends on them calls flush() first. docs/hardware/host-pcie.md 1.6
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "host/device/pcie_device.hpp"

namespace kerr::host {

/// Stores wait in lines of 64 bytes, in which later ones replace earlier ones. A line leaves when there is no room for
/// another, now and then for no reason, and at the latest with drain(). Which one goes follows from the seed alone.
class LateWrites {
 public:
  explicit LateWrites(uint64_t seed) : random_(seed) {}

  using Emit = std::function<void(Bar bar, uint64_t offset, std::span<const std::byte> bytes)>;
  /// `emit` is called for the pieces of lines that leave because of this store.
  void add(Bar bar, uint64_t offset, std::span<const std::byte> bytes, const Emit& emit);
  /// All that is under way, in any order.
  void drain(const Emit& emit);
  /// Nothing is under way.
  bool empty() const { return lines_.empty(); }
  /// It never arrives: the device was reset.
  void forget() { lines_.clear(); }

 private:
  static constexpr size_t kLines = 12;  // as many as cores have fill buffers
  static constexpr uint64_t kLineBytes = 64;

  struct Line {
    Bar bar;
    uint64_t offset;
    uint64_t valid = 0;  // a bit a byte
    std::array<std::byte, kLineBytes> bytes;
  };
  void leave(size_t index, const Emit& emit);

  std::mt19937_64 random_;
  std::vector<Line> lines_;
};

}  // namespace kerr::host

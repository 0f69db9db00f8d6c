// What those who launch programs on a chip must know of one another: its queues, and Chip::run().
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "arch/cq_layout.hpp"
#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"

namespace kerr::host {

/// What launches have left on each tile, and who has which queue. A Chip owns it. Thread-safe.
class LaunchLedger {
 public:
  /// `layout` must outlive the ledger.
  explicit LaunchLedger(const arch::FirmwareLayout& layout) : layout_(layout) {}

  /// The entry of a tile's launch ring that its firmware reads next, from 0 on.
  uint32_t slot(arch::NocCoord tile) const { return slots_[index(tile)]; }
  /// That after a launch by the device: the next one.
  void launched(arch::NocCoord tile) { set_slot(tile, slot(tile) + 1); }
  /// That after `launches` from entry 0 on.
  void set_slot(arch::NocCoord tile, uint32_t launches) {
    slots_[index(tile)] = static_cast<uint8_t>(launches % layout_.launch_entries);
  }

  /// What the last launch left in a half (0 or 1) of a tile's kernel-config area: a key of code and tables
  /// (PreparedLaunch::code_key()), 0 if not known.
  uint64_t code(arch::NocCoord tile, uint32_t half) const { return code_[index(tile)][half]; }
  void set_code(arch::NocCoord tile, uint32_t half, uint64_t key) { code_[index(tile)][half] = key; }
  /// Nothing is known of either half any more.
  void forget_code(arch::NocCoord tile) {
    for (std::atomic<uint64_t>& key : code_[index(tile)]) key = 0;
  }

  /// These queues, a bit each: nobody else can have them for as long as the claim lives. Throws DeviceError (HostError)
  /// if somebody has one.
  [[nodiscard]] std::shared_ptr<void> claim_queues(uint32_t mask);

  /// Takes out what the device has put into a queue's completion ring. A device that waits for room in one queue's ring
  /// may be what a thread waits for on another: it calls drain_others() until then. Empty: the queue is gone.
  void set_drain(uint32_t queue, std::function<void()> drain);
  void drain_others(uint32_t queue);

 private:
  static size_t index(arch::NocCoord tile) { return tile.packed() & 0xFFF; }

  const arch::FirmwareLayout& layout_;
  std::array<std::atomic<uint8_t>, 4096> slots_{};
  std::array<std::array<std::atomic<uint64_t>, 2>, 4096> code_{};
  std::mutex mutex_;      // of what follows
  uint32_t claimed_ = 0;  // a bit for each queue
  std::array<std::function<void()>, arch::cq::kMaxQueues> drains_;
};

}  // namespace kerr::host

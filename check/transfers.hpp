// Requests that NIUs have issued, as the checker remembers them.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

#include "check/clock.hpp"
#include "check/finding.hpp"
#include "emu/cycle.hpp"

namespace kerr::check {

/// One packet of a request. Waits of the hardware are for everything up to a number: of a class, an id or a channel.
struct Transfer {
  SnapshotPtr clock;    // of the issuer; null: not kept
  uint64_t remote = 0;  // address at the other tile
  uint32_t local = 0;   // of the source bytes, or of where read data goes
  uint32_t bytes = 0;
  emu::Cycle cycle = 0;  // of the issue
  uint32_t pc = 0;
  uint32_t word = 0;
  uint32_t request = 0;       // number among the requests of the NIU, from 1 on
  uint32_t number = 0;        // of its class
  uint32_t acknowledged = 0;  // the last acknowledged write's number with it; 0: posted, or no write
  uint32_t over = 0;          // of its id: reads, acknowledged writes, atomics; 0: nothing tells of its end by id
  uint32_t left = 0;          // of its id: writes
  uint32_t channel = 0;       // component of the source tile
  uint32_t in_channel = 0;
  emu::TileId remote_tile;  // of a multicast: one of them
  Class kind{};
  uint8_t noc = 0;
  uint8_t id = 0;
  uint8_t vc = 0;
  emu::Agent issuer{};
  bool linked = false;
  bool multicast = false;
  bool returns_here = true;  // its response comes to the tile that has issued it

  /// It moves bytes of which nobody has written any. Said by the tile that is read, in a window before the bytes come;
  /// asked for when they have come.
  void mark_unwritten() const { unwritten.store(true, std::memory_order_relaxed); }
  bool is_unwritten() const { return unwritten.load(std::memory_order_relaxed); }
  mutable std::atomic<bool> unwritten{false};

  // When the answer to a read or an atomic had come. 0: not yet. Written by the tile that has asked.
  emu::Cycle came = 0;
  bool brought_nothing = false;  // likewise: what came were bytes that nobody has written
};

/// Fills in what the transfer is: its cycle and lane, how many bytes it moves, and where they are at the other tile.
void describe(Site& site, const Transfer& transfer);

/// The transfers of one tile, by the number of their packet. The tile's own run writes them; others read, in later
/// windows, what was written before. Old ones are forgotten: whoever asks for one of them takes it to be over.
class Transfers {
 public:
  Transfers() = default;
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// A new one; nullptr: there are too many.
  Transfer* add(uint64_t packet);
  /// nullptr: none of that number, or not kept.
  const Transfer* find(uint64_t packet) const;
  /// The tile's own run alone.
  Transfer* find(uint64_t packet) { return const_cast<Transfer*>(std::as_const(*this).find(packet)); }

  /// Between windows: keeps those of the last kKept packets.
  void forget_old();
  /// How often somebody has asked for one that was forgotten, or for which there was no room.
  uint64_t missed() const { return missed_.load(std::memory_order_relaxed); }

  static constexpr uint64_t kKept = 1u << 14;

 private:
  static constexpr uint64_t kPerBlock = 64;
  static constexpr uint64_t kPerGroup = 512;  // blocks
  static constexpr uint64_t kGroups = 512;
  static constexpr uint64_t kBlocks = kGroups * kPerGroup;
  struct Block {
    uint64_t number = 0;
    std::array<Transfer, kPerBlock> transfers;
  };

  using Group = std::array<std::atomic<Block*>, kPerGroup>;

  Block* block(uint64_t n) const {
    const Group* const group = groups_[n % kBlocks / kPerGroup].load(std::memory_order_acquire);
    return group != nullptr ? (*group)[n % kPerGroup].load(std::memory_order_acquire) : nullptr;
  }
  void miss() const { missed_.fetch_add(1, std::memory_order_relaxed); }

  std::array<std::atomic<Group*>, kGroups> groups_{};  // a ring: block n is at n % kBlocks of them
  uint64_t first_ = 0, end_ = 0;                       // blocks that there may be
  uint64_t forgotten_ = 0;                             // blocks before this one
  mutable std::atomic<uint64_t> missed_{0};
};

}  // namespace kerr::check

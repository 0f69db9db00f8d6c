// What the checker keeps of each request that an NIU has issued.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "check/clock.hpp"
#include "check/finding.hpp"
#include "emu/cycle.hpp"

namespace kerr::check {

/// One packet of a request. All waits of the hardware are for all up to a number: of a class, of an id, of a channel.
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
};

/// The bytes at the other tile.
Object remote_of(const Transfer& transfer);

/// The transfers of one tile, by the number of their packet. Written by the tile's own run only; others read, in later
/// windows, what was written before.
class Transfers {
 public:
  Transfers();
  ~Transfers();
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  /// A new one; nullptr: there are too many.
  Transfer* add(uint64_t packet);
  /// nullptr: none of that number, or not kept.
  const Transfer* find(uint64_t packet) const;

 private:
  static constexpr uint32_t kPerChunk = 64;
  static constexpr uint32_t kChunks = 1u << 18;
  using Block = std::array<Transfer, kPerChunk>;

  std::unique_ptr<std::atomic<Block*>[], void (*)(void*)> chunks_;
  uint64_t used_ = 0;  // chunks: all behind them are empty
};

}  // namespace kerr::check

// The entries of a vector clock.   docs/architecture.md "Checking"
#pragma once

#include <cstdint>

#include "emu/agent.hpp"

namespace kerr::check {

/// A tile as clocks name it; the host and those who are no tile have one of their own.
using Place = uint16_t;

constexpr Place place_of(emu::TileId tile) { return static_cast<Place>(tile.chip << 8 | tile.node); }
constexpr emu::TileId tile_of(Place place) {
  return {static_cast<uint8_t>(place >> 8), static_cast<uint8_t>(place & 0xFF)};
}
inline constexpr Place kHostPlace = 0xFFFF;

/// What a transfer asks of the memory of its issuer and of others, as the counters of an NIU tell them apart.
enum class Class : uint8_t { Read, Write, PostedWrite, Atomic };
inline constexpr int kClasses = 4;

/// What works in the order of a coprocessor thread, and ends some time after the issue.
enum class Lane : uint8_t { Unpacker0, Unpacker1, Packer, Scalar };
inline constexpr int kLanes = 4;

/// A component of the clock of its tile.
namespace component {
inline constexpr uint32_t hart(int h) { return static_cast<uint32_t>(h); }
inline constexpr uint32_t issue(int thread) { return static_cast<uint32_t>(5 + thread); }
inline constexpr uint32_t lane(int thread, Lane l) {
  return static_cast<uint32_t>(8 + kLanes * thread + static_cast<int>(l));
}
inline constexpr uint32_t kMover = 20;
/// Bytes of a source that an NIU has read; of a read: data that has arrived.
inline constexpr uint32_t done(int noc, Class c) {
  return static_cast<uint32_t>(21 + kClasses * noc + static_cast<int>(c));
}
/// Acknowledged writes that have arrived.
inline constexpr uint32_t arrived(int noc) { return static_cast<uint32_t>(29 + noc); }
/// Of a transaction id: reads, acknowledged writes and atomics that are over; sources of writes that have been read.
inline constexpr uint32_t id_over(int noc, int id) { return static_cast<uint32_t>(31 + 16 * noc + id); }
inline constexpr uint32_t id_left(int noc, int id) { return static_cast<uint32_t>(63 + 16 * noc + id); }
inline constexpr uint32_t kHost = 95;
inline constexpr uint32_t kFixed = 96;
/// Requests of one channel of the tile's NIUs, in the order of first use.
inline constexpr uint32_t channel(uint32_t n) { return kFixed + n; }
}  // namespace component

/// A component of any tile, and how much of it has happened.
struct Event {
  Place place = 0;
  uint32_t component = 0;
  uint32_t number = 0;  // from 1 on; 0: nothing, which everybody knows
  friend bool operator==(const Event&, const Event&) = default;
};

}  // namespace kerr::check

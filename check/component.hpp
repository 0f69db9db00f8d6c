// The entries of a vector clock.   docs/architecture.md "Checking"
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "emu/agent.hpp"

namespace kerr::check {

/// The number of a hart, of a coprocessor thread, by its agent.
constexpr int hart_index(emu::Agent hart) { return static_cast<int>(hart) - static_cast<int>(emu::Agent::Brisc); }
constexpr int thread_index(emu::Agent thread) {
  return static_cast<int>(thread) - static_cast<int>(emu::Agent::Thread0);
}
/// The TRISC that feeds a thread.
constexpr emu::Agent hart_of_thread(emu::Agent thread) {
  return static_cast<emu::Agent>(static_cast<int>(emu::Agent::Trisc0) + thread_index(thread));
}
constexpr bool is_hart(emu::Agent agent) { return agent >= emu::Agent::Brisc && agent <= emu::Agent::Trisc2; }
constexpr bool is_thread(emu::Agent agent) { return agent >= emu::Agent::Thread0 && agent <= emu::Agent::Thread2; }

inline constexpr int kTrisc0 = hart_index(emu::Agent::Trisc0);

/// A tile as clocks name it; the host, which is no tile, has a place of its own.
using Place = uint16_t;

constexpr Place place_of(emu::TileId tile) { return static_cast<Place>(tile.chip << 8 | tile.node); }
constexpr emu::TileId tile_of(Place place) {
  return {static_cast<uint8_t>(place >> 8), static_cast<uint8_t>(place & 0xFF)};
}
inline constexpr Place kHostPlace = 0xFFFF;

/// Requests that the counters of an NIU tell apart.
enum class Class : uint8_t { Read, Write, PostedWrite, Atomic };
inline constexpr int kClasses = 4;

constexpr std::string_view name(Class c) {
  constexpr std::array<std::string_view, kClasses> names{"read", "write", "posted write", "atomic"};
  return names[static_cast<size_t>(c)];
}

/// Units that work in the order of a coprocessor thread, and end some time after the issue.
enum class Lane : uint8_t { Unpacker0, Unpacker1, Packer, Scalar, Matrix, Vector, Mover };
inline constexpr int kLanes = 7;
constexpr std::string_view name(Lane lane) {
  constexpr std::array<std::string_view, kLanes> names{"unpacker 0",  "unpacker 1",  "packer", "scalar unit",
                                                       "matrix unit", "vector unit", "mover"};
  return names[static_cast<size_t>(lane)];
}

/// Components of the clock of a tile.
namespace component {
inline constexpr uint32_t hart(int h) { return static_cast<uint32_t>(h); }
inline constexpr uint32_t issue(int thread) { return static_cast<uint32_t>(5 + thread); }
inline constexpr uint32_t lane(int thread, Lane l) {
  return static_cast<uint32_t>(8 + kLanes * thread + static_cast<int>(l));
}
constexpr bool is_lane(uint32_t c) { return c >= 8 && c < 8 + 3 * kLanes; }
/// Precondition: is_lane(c).
constexpr Lane lane_of(uint32_t c) { return static_cast<Lane>((c - 8) % kLanes); }
constexpr int thread_of_lane(uint32_t c) { return static_cast<int>((c - 8) / kLanes); }
/// The host's write-combined stores, counted with its other stores.
inline constexpr uint32_t kHostCombined = 29;
/// Writes whose source the NIU has read; reads whose data has arrived.
inline constexpr uint32_t done(int noc, Class c) {
  return static_cast<uint32_t>(30 + kClasses * noc + static_cast<int>(c));
}
/// Acknowledged writes that have arrived.
inline constexpr uint32_t arrived(int noc) { return static_cast<uint32_t>(38 + noc); }
inline constexpr uint32_t kHost = 40;
/// Up to here every tile has something to count; few programs use transaction ids.
inline constexpr uint32_t kCore = 41;
/// Reads, acknowledged writes and atomics of a transaction id that are over; writes of it whose source has been read.
inline constexpr uint32_t id_over(int noc, int id) { return kCore + static_cast<uint32_t>(16 * noc + id); }
inline constexpr uint32_t id_left(int noc, int id) { return kCore + static_cast<uint32_t>(32 + 16 * noc + id); }
inline constexpr uint32_t kFixed = kCore + 64;
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

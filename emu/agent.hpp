// Who acts inside a tile, in the order that breaks ties.   docs/architecture.md "Inside a tile"
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "arch/grid.hpp"
#include "arch/memory_map.hpp"

namespace kerr::emu {

using arch::kHarts;
inline constexpr int kThreads = arch::kTensixThreads;

enum class Agent : uint8_t { Inbox, Units, Thread0, Thread1, Thread2, Brisc, Ncrisc, Trisc0, Trisc1, Trisc2, Host };
inline constexpr int kAgents = 10;  // Host is outside the tile and acts between windows

constexpr Agent agent_of(arch::Hart hart) {
  return static_cast<Agent>(static_cast<int>(Agent::Brisc) + static_cast<int>(hart));
}
constexpr Agent agent_of_thread(int thread) { return static_cast<Agent>(static_cast<int>(Agent::Thread0) + thread); }

constexpr std::string_view name(Agent agent) {
  constexpr std::array<std::string_view, 5> others{"inbox", "units", "T0", "T1", "T2"};
  if (agent == Agent::Host) return "host";
  return agent < Agent::Brisc ? others[static_cast<size_t>(agent)]
                              : arch::kHartNames[static_cast<size_t>(agent) - static_cast<size_t>(Agent::Brisc)];
}

/// The coprocessor thread that a TRISC drives, or -1.
constexpr int thread_of(arch::Hart hart) { return static_cast<int>(hart) - static_cast<int>(arch::Hart::Trisc0); }

inline constexpr int kMostChips = 32;  // of a machine

/// A place on the machine's grid: chip, and the raw NoC 0 position as y * 17 + x.
struct TileId {
  uint8_t chip = 0;
  uint8_t node = 0;

  static constexpr TileId at(int chip, int x, int y) {
    return {static_cast<uint8_t>(chip), static_cast<uint8_t>(y * arch::kGridColumns + x)};
  }
  constexpr int x() const { return node % arch::kGridColumns; }
  constexpr int y() const { return node / arch::kGridColumns; }
  friend constexpr auto operator<=>(const TileId&, const TileId&) = default;
};

class Archive;
void serialize(Archive& archive, TileId& tile);  // emu/snapshot/archive.cpp

}  // namespace kerr::emu

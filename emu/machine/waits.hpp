// What every agent of a machine waits for: the substance of a deadlock report.
// docs/architecture.md "Quiescent and deadlocked"
#pragma once

#include <string>
#include <vector>

#include "emu/agent.hpp"
#include "emu/cycle.hpp"
#include "emu/tile/tile.hpp"

namespace kerr::emu {

struct TileWaits {
  TileId tile;
  std::string name;  // "Tensix tile (1,2), raw (1,2)"
  std::vector<AgentWait> agents;
};

/// Several lines for a person. Tiles in which every agent does the same are told once, with a count.
std::string text(const std::vector<TileWaits>& waits);

}  // namespace kerr::emu

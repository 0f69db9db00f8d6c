// What the agents of a tile are called.
#pragma once

#include <string_view>

#include "emu/agent.hpp"

namespace kerr::emu {

/// "BRISC", "T0"; of an Ethernet tile (row 1) "E0" and "E1", which are the harts of index Brisc and Ncrisc.
constexpr std::string_view name(TileId tile, Agent agent) {
  if (tile.y() != 1) return name(agent);
  return agent == Agent::Brisc ? "E0" : agent == Agent::Ncrisc ? "E1" : name(agent);
}

}  // namespace kerr::emu

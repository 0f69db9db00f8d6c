#include "emu/machine/waits.hpp"

#include <fmt/format.h>

#include <map>

#include "emu/observe/agent_names.hpp"

namespace kerr::emu {

namespace {

std::string text_of(const TileWaits& tile) {
  std::string lines;
  for (const AgentWait& agent : tile.agents)
    lines += fmt::format("    {:<7} {}\n", name(tile.tile, agent.agent), agent.text);
  return lines;
}

}  // namespace

std::string text(const std::vector<TileWaits>& waits) {
  std::map<std::string, size_t> group_of;
  std::vector<std::pair<std::string, std::vector<const TileWaits*>>> groups;  // in the order of their first tile
  for (const TileWaits& tile : waits) {
    const std::string lines = text_of(tile);
    const auto [place, is_new] = group_of.emplace(lines, groups.size());
    if (is_new) groups.push_back({lines, {}});
    groups[place->second].second.push_back(&tile);
  }
  std::string report;
  for (const auto& [lines, tiles] : groups) {
    report += "  " + tiles.front()->name;
    if (tiles.size() > 1) report += fmt::format(" and {} more tiles alike", tiles.size() - 1);
    report += "\n" + lines;
  }
  return report;
}

}  // namespace kerr::emu

#include "hang/last_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"
#include "emu/observe/agent_names.hpp"
#include "hang/scene.hpp"

namespace kerr::hang {

namespace {

constexpr size_t kMostHarts = 10, kMostPlaces = 4;

// Distinct places, the first of them named.
std::string places(const Scene& scene, const AgentAt& agent, const std::vector<uint32_t>& pcs) {
  std::vector<std::string> all;
  for (const uint32_t pc : pcs) {
    const bool named = agent.kernel != nullptr && agent.kernel->code.image;
    if (named && pc - agent.kernel->code.address >= agent.kernel->code.bytes) continue;
    std::string place = scene.place(agent, pc);
    if (place.empty()) place = fmt::format("pc {:#x}", pc);
    // The first instruction of a line will do.
    const size_t line = place.find("  ");
    const std::string_view where =
        line == std::string::npos ? std::string_view(place) : std::string_view(place).substr(line);
    if (line != std::string::npos &&
        std::ranges::any_of(all, [&](const std::string& known) { return known.ends_with(where); }))
      continue;
    all.push_back(std::move(place));
  }
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kMostPlaces); ++i) out += (i == 0 ? "" : ", ") + all[i];
  if (all.size() > kMostPlaces) out += fmt::format(" and {} more places", all.size() - kMostPlaces);
  return out;
}

}  // namespace

LastSteps::Moved LastSteps::moved(emu::Machine& machine) {
  Moved sum;
  for (int c = 0; c < machine.chips(); ++c) {
    emu::TileTable& tiles = machine.chip(c).tiles;
    for (const uint8_t node : tiles.nodes()) {
      emu::Tile& tile = *tiles.find(node);
      for (int noc = 0; noc < arch::kNocs; ++noc) sum.packets += tile.niu(noc).packets_sent();
      // Ethernet; and an observer would be told of loads that nobody has made.
      if (tile.id().y() == 1 || machine.options().observer != nullptr) continue;
      for (uint32_t buffer = 0; buffer < arch::kFwB.circular_buffers; ++buffer) {
        const auto stream = static_cast<int>(arch::kFwB.first_cb_stream + buffer);
        for (const int reg : {arch::stream::kRemoteDestBufStart, arch::stream::kRemoteDestBufSize}) {
          sum.pages += stream_register(tile, stream, reg);
        }
      }
    }
  }
  return sum;
}

void LastSteps::look(emu::Machine& machine, emu::Cycle limit) {
  if (limit != limit_ || steps_.empty()) {
    steps_.clear();
    limit_ = limit;
    since_ = machine.now();
    before_ = moved(machine);
  }
  until_ = machine.now();
  for (int c = 0; c < machine.chips(); ++c) {
    emu::TileTable& tiles = machine.chip(c).tiles;
    for (const uint8_t node : tiles.nodes()) {
      const emu::Tile& tile = *tiles.find(node);
      for (size_t h = 0; h < arch::kHarts; ++h) {
        const emu::HartState& state = tile.hart(static_cast<arch::Hart>(h)).state();
        if (!state.running()) continue;
        std::vector<uint32_t>& pcs = steps_[{tile.id(), static_cast<uint8_t>(h)}];
        const auto at = std::ranges::lower_bound(pcs, state.pc);
        if ((at == pcs.end() || *at != state.pc) && pcs.size() < kMostPcs) pcs.insert(at, state.pc);
      }
    }
  }
}

std::string LastSteps::text(emu::Machine& machine, const arch::HangQuestion& question) const {
  if (steps_.empty() || until_ != machine.now()) return {};
  const Scene scene(machine, question);
  std::vector<std::string> lines;
  size_t more = 0;
  for (const auto& [key, pcs] : steps_) {
    const auto tile = scene.tile_at(key.first);
    if (!tile) continue;
    const size_t index = scene.agent(*tile, emu::agent_of(static_cast<arch::Hart>(key.second)));
    if (index == Scene::kNobody || scene.agents()[index].state == AgentAt::State::Finished) continue;
    const AgentAt& agent = scene.agents()[index];
    const std::string where = places(scene, agent, pcs);
    if (where.empty()) continue;
    if (lines.size() == kMostHarts)
      ++more;
    else
      lines.push_back(fmt::format("{}  ran through {}", scene.name(agent), where));
  }
  if (lines.empty()) return {};
  const bool nothing_came = moved(machine) == before_;
  const std::string span = check::counted(until_ - since_, "cycle");
  std::string out = fmt::format("root: {}\n", lines.front());
  const char* const pages = machine.options().observer == nullptr ? ", and no page was pushed or popped" : "";
  const size_t others = lines.size() + more - 1;
  const std::string who = others == 0 ? "" : fmt::format(" and {}", check::counted(others, "other hart"));
  out += nothing_came
             ? fmt::format("      livelock, or a long computation: in the last {} it{} ran, no packet was sent{}\n",
                           span, who, pages)
             : fmt::format("      late: in the last {} packets were sent, or pages pushed or popped\n", span);
  for (size_t i = 1; i < lines.size(); ++i) out += fmt::format("also: {}\n", lines[i]);
  if (more > 0) out += fmt::format("also: {}\n", check::counted(more, "more hart"));
  return out;
}

}  // namespace kerr::hang

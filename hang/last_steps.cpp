#include "hang/last_steps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arch/firmware_layout.hpp"
#include "arch/stream_registers.hpp"
#include "emu/observe/agent_names.hpp"
#include "hang/scene.hpp"

namespace kerr::hang {

namespace {

constexpr size_t kMostHarts = 10;

// Of a loop in which a hart is.
std::string what_comes_of(const Spin* spin) {
  if (spin == nullptr) return {};
  switch (spin->kind) {
    case Recurrence::Kind::Unknown: return {};
    case Recurrence::Kind::Ends:
      return fmt::format("; its loop {} after {} of {}, when {}", spin->leaves ? "ends" : "takes another way",
                         check::counted(spin->rounds, "more round"), check::counted(spin->steps, "instruction"),
                         spin->deciding);
    case Recurrence::Kind::ForEver: return "; by itself it does so for ever";
  }
  return {};
}

// Why there is no proof of a livelock.
std::string why_not(const Scene& scene, const Livelock& livelock) {
  if (!livelock.beside().empty()) return livelock.beside();
  const auto unknown = std::ranges::find(livelock.spins(), Recurrence::Kind::Unknown, &Spin::kind);
  if (unknown == livelock.spins().end() || unknown->why.empty()) return {};
  return fmt::format("{} {}: {}", scene.places().text(unknown->tile),
                     emu::name(unknown->tile, emu::agent_of(unknown->hart)), unknown->why);
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

std::string LastSteps::text(emu::Machine& machine, const Scene& scene, const Livelock& livelock) const {
  if (steps_.empty() || until_ != machine.now()) return {};
  std::vector<std::string> lines;
  size_t more = 0;
  for (const auto& [key, pcs] : steps_) {
    const auto tile = scene.tile_at(key.first);
    if (!tile) continue;
    const size_t index = scene.agent(*tile, emu::agent_of(static_cast<arch::Hart>(key.second)));
    if (index == Scene::kNobody || scene.agents()[index].state == AgentAt::State::Finished) continue;
    const AgentAt& agent = scene.agents()[index];
    const std::string where = scene.places(agent, pcs);
    if (where.empty()) continue;
    if (lines.size() == kMostHarts)
      ++more;
    else
      lines.push_back(fmt::format("{}  ran through {}{}", scene.name(agent), where, what_comes_of(agent.spin)));
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
  if (const std::string why = why_not(scene, livelock); !why.empty())
    out += fmt::format("      no proof that it goes on for ever: {}\n", why);
  for (size_t i = 1; i < lines.size(); ++i) out += fmt::format("also: {}\n", lines[i]);
  if (more > 0) out += fmt::format("also: {}\n", check::counted(more, "more hart"));
  return out;
}

}  // namespace kerr::hang

#include "hang/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>

#include "emu/observe/agent_names.hpp"

namespace kerr::hang {

Graph::Graph(const Scene& scene) : scene_(scene), nodes_(scene.agents().size()), before_(scene.agents().size()) {
  const NamedTiles named(scene);
  for (size_t a = 0; a < nodes_.size(); ++a) find_cause(a, named);
  for (size_t a = 0; a < nodes_.size(); ++a)
    for (const size_t next : nodes_[a].next) before_[next].push_back(a);
  find_roots();
}

// Any of several things may let the agent go: it is lost only if all are. The first of them that somebody may still
// bring decides, otherwise the first.
void Graph::find_cause(size_t a, const NamedTiles& named) {
  const AgentAt& agent = scene_.agents()[a];
  Node& node = nodes_[a];
  if (agent.state == AgentAt::State::Runs) {
    node.cause = Cause::Runs;
    runs_ = true;
  }
  node.pc = agent.pc;
  if (agent.is_hart() && agent.state != AgentAt::State::Finished) node.place = scene_.place(agent, node.pc);
  if (agent.state == AgentAt::State::Paused) node.cause = Cause::Paused;
  if (!agent.waits()) return;
  node.wants = wants_of(scene_, a);
  std::vector<Cause> causes;
  for (const Want& want : node.wants) {
    const Providers& p = node.providers.emplace_back(providers_of(scene_, named, a, want));
    const auto has = [&](auto is) {
      return std::ranges::any_of(p.agents, [&](size_t n) { return is(scene_.agents()[n]); });
    };
    const auto is_alive = [](const AgentAt& n) { return n.state != AgentAt::State::Finished; };
    causes.push_back(want.unreachable                       ? Cause::Unreachable
                     : want.thing.kind == Thing::Kind::Time ? Cause::Runs
                     : !p.known                             ? Cause::Unknown
                     : has(is_alive)                        ? Cause::Waits
                     : p.agents.empty()                     ? Cause::NoProvider
                                                            : Cause::ProviderFinished);
  }
  const auto first_of = [&](Cause cause) {
    return static_cast<size_t>(std::ranges::find(causes, cause) - causes.begin());
  };
  node.deciding = 0;
  for (const Cause cause : {Cause::Runs, Cause::Waits, Cause::Unknown}) {
    if (first_of(cause) == causes.size()) continue;
    node.deciding = first_of(cause);
    break;
  }
  const Cause unnamed = agent.state == AgentAt::State::Spins ? Cause::Spins : Cause::Unknown;
  node.cause = causes.empty() ? unnamed : causes[node.deciding];
  for (const Providers& p : node.providers) {
    for (const size_t n : p.agents) {
      const bool finished = scene_.agents()[n].state == AgentAt::State::Finished;
      (finished ? node.done : node.next).push_back(n);
    }
  }
  if (node.cause == Cause::Unreachable) node.next.clear();
  if (node.wants.empty()) return;
  node.certain = node.providers[node.deciding].certain;
  if (node.wants[node.deciding].pc == 0) return;
  node.pc = node.wants[node.deciding].pc;
  node.place = scene_.place(agent, node.pc);
}

size_t Graph::count_waiting(size_t agent) const {
  std::vector<bool> seen(nodes_.size());
  std::deque<size_t> open{agent};
  seen[agent] = true;
  size_t count = 0;
  for (; !open.empty(); open.pop_front()) {
    for (const size_t n : before_[open.front()]) {
      if (seen[n]) continue;
      seen[n] = true;
      ++count;
      open.push_back(n);
    }
  }
  return count;
}

// The shortest way from an agent back to itself along waits; empty if there is none.
std::vector<size_t> Graph::cycle_from(size_t agent) const {
  std::vector<size_t> from(nodes_.size(), Scene::kNobody);
  std::deque<size_t> open{agent};
  for (; !open.empty(); open.pop_front()) {
    for (const size_t n : nodes_[open.front()].next) {
      if (n == agent) {
        std::vector<size_t> cycle;
        for (size_t at = open.front(); at != agent; at = from[at]) cycle.push_back(at);
        cycle.push_back(agent);
        std::ranges::reverse(cycle);
        return cycle;
      }
      if (from[n] != Scene::kNobody) continue;
      from[n] = open.front();
      open.push_back(n);
    }
  }
  return {};
}

void Graph::find_roots() {
  constexpr size_t kMostLooks = 64;  // for cycles: those of many tiles are alike
  std::map<std::pair<Root::Rank, std::string>, Root> found;
  const auto rank_of = [](Cause cause) -> std::optional<Root::Rank> {
    switch (cause) {
      case Cause::Unreachable: return Root::Rank::Unreachable;
      case Cause::Paused:
      case Cause::Spins:
      case Cause::NoProvider: return Root::Rank::NoProvider;
      case Cause::ProviderFinished: return Root::Rank::ProviderFinished;
      case Cause::Unknown: return Root::Rank::Unknown;
      default: return std::nullopt;
    }
  };
  for (size_t a = 0; a < nodes_.size(); ++a) {
    if (const auto rank = rank_of(nodes_[a].cause)) {
      Root& root = found[{*rank, kind_of(scene_, *this, a)}];
      root.rank = *rank;
      root.agents.push_back(a);
    }
  }
  std::vector<size_t> cycle;
  size_t looks = 0;
  for (size_t a = 0; a < nodes_.size() && looks < kMostLooks; ++a) {
    if (nodes_[a].cause != Cause::Waits) continue;
    ++looks;
    std::vector<size_t> own = cycle_from(a);
    if (!own.empty() && (cycle.empty() || own.size() < cycle.size())) cycle = std::move(own);
  }
  for (auto& [key, root] : found) roots_.push_back(std::move(root));
  if (!cycle.empty()) roots_.push_back({Root::Rank::Cycle, std::move(cycle), 0});
  for (Root& root : roots_) root.waiting = count_waiting(root.agents.front());
  std::ranges::stable_sort(roots_, [](const Root& a, const Root& b) {
    if (a.rank != b.rank) return a.rank < b.rank;
    if (a.waiting != b.waiting) return a.waiting > b.waiting;
    return a.agents.front() < b.agents.front();
  });
}

std::string kind_of(const Scene& scene, const Graph& graph, size_t a) {
  const AgentAt& agent = scene.agents()[a];
  const Node& node = graph.nodes()[a];
  std::string key =
      fmt::format("{}|{}|{}|{}", emu::name(agent.agent), agent.kernel ? agent.kernel->code.name : "",
                  node.place.empty() ? fmt::format("{:#x}", node.pc) : node.place, static_cast<int>(node.cause));
  for (const Want& want : node.wants)
    key += fmt::format("|{} {}", name(scene, want.thing), static_cast<int>(want.wanted.kind));
  if (node.wants.empty()) key += agent.text;
  return key;
}

}  // namespace kerr::hang

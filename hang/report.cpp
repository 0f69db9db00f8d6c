#include "hang/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include "emu/observe/agent_names.hpp"
#include "hang/cores.hpp"
#include "hang/graph.hpp"
#include "hang/past.hpp"
#include "hang/requests.hpp"

namespace kerr::hang {

namespace {

constexpr size_t kMostRoots = 3, kMostOfCycle = 6, kLinesOfRequests = 5, kMostMisses = 4, kMostEvents = 12,
                 kMostCounters = 4;
constexpr size_t kMostRectangles = 12;

class Report {
 public:
  /// `stands_still`: nothing can come any more but by the host.
  Report(const Scene& scene, const Graph& graph, bool stands_still, const History* history)
      : scene_(scene),
        graph_(graph),
        lost_(stands_still && !graph.somebody_runs()),
        history_(history),
        requests_(last_requests(scene)) {}

  std::string text() {
    if (!lost_) lines_.push_back("the device still runs; this is one moment of it");
    if (graph_.roots().empty()) {
      nobody();
    } else {
      const Root& root = graph_.roots().front();
      root.rank == Root::Rank::Cycle ? cycle(root) : blame(root);
      others();
    }
    const std::vector<std::string> last = last_of_root();
    const std::vector<std::string> cores = cores_text(scene_, graph_, kMostLines - lines_.size() - last.size());
    lines_.insert(lines_.end(), cores.begin(), cores.end());
    lines_.insert(lines_.end(), last.begin(), last.end());
    return joined();
  }

  // Of agents of one tile. Only what they wait for in the end is looked for, and it may not be lost.
  std::string text_for(std::span<const size_t> agents, bool whole) {
    for (const size_t a : agents) chain(a);
    const bool is_known = lost_ || (whole && !graph_.roots().empty() &&
                                    graph_.nodes()[graph_.roots().front().agents.front()].cause == Cause::Unreachable);
    if (is_known && !graph_.roots().empty()) {
      const Root& root = graph_.roots().front();
      root.rank == Root::Rank::Cycle ? cycle(root) : blame(root);
    } else if (!agents.empty()) {
      lines_.push_back("the run may still go on");
    }
    return joined();
  }

 private:
  const AgentAt& agent(size_t a) const { return scene_.agents()[a]; }
  std::string joined() const {
    std::string out;
    for (const std::string& line : lines_) out += line + "\n";
    return out;
  }
  // From whom to whom it waits, as far as there is one way.
  void chain(size_t a) {
    constexpr size_t kMostLinks = 8;
    std::vector<size_t> seen;
    while (std::ranges::find(seen, a) == seen.end() && seen.size() < kMostLinks) {
      const Node& node = graph_.nodes()[a];
      std::string line = node.place.empty() ? scene_.name(agent(a)) : who(a);
      line += node.cause == Cause::None ? "  has returned"
              : node.wants.empty()      ? "  " + agent(a).text
                                        : "  " + sentence(scene_, node.wants[node.deciding]);
      if (!node.wants.empty() && !node.next.empty())
        line += fmt::format("  <- {}{}", node.certain ? "" : "perhaps ", names_of(scene_, node.next));
      lines_.push_back(std::move(line));
      seen.push_back(a);
      if (node.next.empty()) return;
      a = node.next.front();
    }
  }
  void add(const std::string& line) { lines_.push_back("      " + line); }

  std::string who(size_t a) const {
    const Node& node = graph_.nodes()[a];
    if (!node.place.empty()) return scene_.name(agent(a)) + "  " + node.place;
    return scene_.name(agent(a)) + (agent(a).is_hart() ? fmt::format(" at pc {:#x}", node.pc) : "");
  }
  std::string does(size_t a) const {
    const Node& node = graph_.nodes()[a];
    if (node.cause == Cause::Paused) return agent(a).text;
    if (node.cause == Cause::Spins) return "goes round and round";
    return node.wants.empty() ? agent(a).text : sentence(scene_, node.wants[node.deciding]);
  }
  const char* verdict(size_t a) const {
    if (agent(a).state == AgentAt::State::Spins) return ": livelock";
    if (!lost_ && graph_.nodes()[a].cause != Cause::Unreachable) return "";
    return scene_.knows_programs() ? ": never" : ": never by itself";
  }

  void blame(const Root& root) {
    const size_t a = root.agents.front();
    lines_.push_back(fmt::format("root: {}  {}{}", who(a), does(a), verdict(a)));
    for (const std::string& line : why(a)) add(line);
    if (root.agents.size() > 1) {
      std::vector<emu::TileId> tiles;
      for (const size_t other : root.agents)
        if (other != a) tiles.push_back(scene_.tile_of(agent(other)).id);
      add(fmt::format("the same on {}: {}", check::counted(tiles.size(), "more core"),
                      scene_.places().rectangles(tiles, kMostRectangles)));
    }
    if (root.waiting > 0)
      add(fmt::format("{} for it", check::counted(root.waiting, "other") + (root.waiting == 1 ? " waits" : " wait")));
  }

  // The reason behind the root's wait, then what came near.
  std::vector<std::string> why(size_t a) const {
    std::vector<std::string> out;
    const Node& node = graph_.nodes()[a];
    if (agent(a).state == AgentAt::State::Spins) out = proof(a);
    if (node.wants.empty()) return out;
    const Want& want = node.wants[node.deciding];
    if (!want.why.empty()) out.push_back(want.why);
    if (node.cause == Cause::NoProvider) out.push_back(node.providers[node.deciding].nobody);
    if (node.cause == Cause::ProviderFinished) {
      std::string line = node.certain ? "it is brought by " : "it may be brought by ";
      out.push_back(line + names_of(scene_, node.done) +
                    (node.done.size() == 1 ? ", which has returned" : ", and all have returned"));
      if (history_ != nullptr)
        if (std::string less = less_than_twins(scene_, *history_, node); !less.empty()) out.push_back(std::move(less));
    }
    if (node.cause != Cause::Waits) {
      if (history_ != nullptr) {
        std::vector<std::string> past = past_of(scene_, *history_, a, want);
        std::ranges::move(past, std::back_inserter(out));
        if (!past.empty()) return out;
      }
      size_t told = 0;
      for (const std::string& miss : near_misses(scene_, want, requests_))
        if (told++ < kMostMisses) out.push_back(miss);
    }
    return out;
  }

  // That it goes on for ever, and why it was not put to sleep.
  std::vector<std::string> proof(size_t a) const {
    const Spin& spin = *agent(a).spin;
    const std::string where = scene_.places(agent(a), spin.pcs);
    std::string round = fmt::format("for ever the same {}", check::counted(spin.steps, "instruction"));
    for (size_t i = 0; i < spin.with.size(); ++i)
      round +=
          fmt::format("{}{}", i == 0 ? ", together with " : ", ", emu::name(spin.tile, emu::agent_of(spin.with[i])));
    if (!where.empty()) round += ": " + where;
    std::vector<std::string> out{round};
    std::string changes;
    for (size_t i = 0; i < std::min(spin.counters.size(), kMostCounters); ++i)
      changes += (i == 0 ? "only " : ", ") + spin.counters[i];
    if (spin.counters.size() > kMostCounters)
      changes += fmt::format(" and {} more", spin.counters.size() - kMostCounters);
    if (!changes.empty())
      changes += spin.counters.size() == 1 ? " changes, and decides nothing" : " change, and decide nothing";
    if (!spin.not_parked.empty())
      changes += (changes.empty() ? "" : "; ") + ("it runs for real, as " + spin.not_parked);
    if (!changes.empty()) out.push_back(std::move(changes));
    return out;
  }

  void cycle(const Root& root) {
    const std::vector<size_t>& members = root.agents;
    lines_.push_back(
        fmt::format("root: {}  {}{}", who(members.front()), does(members.front()), verdict(members.front())));
    if (agent(members.front()).state == AgentAt::State::Spins)
      for (const std::string& line : proof(members.front())) add(line);
    if (members.size() == 1) {
      add("only it itself could bring that");
    } else {
      add(fmt::format("{} wait for one another in a ring:", members.size()));
      for (size_t i = 0; i < std::min(members.size(), kMostOfCycle); ++i) {
        const size_t next = members[(i + 1) % members.size()];
        add(fmt::format("{}  {}  <- {}{}", who(members[i]), does(members[i]),
                        graph_.nodes()[members[i]].certain ? "" : "perhaps ", scene_.name(agent(next))));
      }
      if (members.size() > kMostOfCycle) add(fmt::format("and {} more", members.size() - kMostOfCycle));
    }
    if (root.waiting + 1 > members.size())
      add(fmt::format("{} for them", check::counted(root.waiting + 1 - members.size(), "other") +
                                         (root.waiting == members.size() ? " waits" : " wait")));
  }

  void others() {
    for (size_t i = 1; i < std::min(graph_.roots().size(), kMostRoots); ++i) {
      const Root& root = graph_.roots()[i];
      if (root.rank > Root::Rank::ProviderFinished) continue;  // what the first one explains
      const size_t a = root.agents.front();
      lines_.push_back(
          fmt::format("also: {}  {}{}", who(a), does(a),
                      root.agents.size() == 1
                          ? ""
                          : fmt::format("; the same on {}", check::counted(root.agents.size() - 1, "more core"))));
      const std::vector<std::string> reasons = why(a);
      if (!reasons.empty()) add(reasons.front());
    }
  }

  void nobody() {
    if (lost_ && scene_.knows_programs())
      lines_.push_back("no kernel waits for ever: what is missing is the host's, or the firmware's");
  }

  std::vector<std::string> last_of_root() const {
    std::vector<std::string> out;
    if (graph_.roots().empty()) return out;
    const size_t a = graph_.roots().front().agents.front();
    if (!agent(a).is_hart()) return out;
    if (history_ != nullptr) {
      for (const Event& event : last_events(scene_, *history_, a, kMostEvents))
        out.push_back("      " + hang::text(event));
      if (!out.empty()) out.insert(out.begin(), fmt::format("last events of {}, newest last:", scene_.name(agent(a))));
      return out;
    }
    for (const LastRequest& request : requests_) {
      if (request.tile != agent(a).tile || out.size() == kLinesOfRequests) continue;
      out.push_back(fmt::format("      NoC {}: {}", request.noc, hang::text(request)));
    }
    if (!out.empty())
      out.insert(out.begin(), fmt::format("last requests of {}, of each command buffer:",
                                          scene_.places().text(scene_.tile_of(agent(a)).id)));
    return out;
  }

  const Scene& scene_;
  const Graph& graph_;
  const bool lost_;  // nothing can happen any more
  const History* const history_;
  const std::vector<LastRequest> requests_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string earlier_errors(const check::Findings& found) {
  const auto is_error = [](const check::Finding& f) { return check::text_of(f.rule).level == check::Level::Error; };
  const auto errors = std::ranges::count_if(found.all, is_error);
  if (errors == 0) return {};
  const check::Finding& first = *std::ranges::find_if(found.all, is_error);
  return fmt::format("the checker has found {} before this, which may be its cause; the first at cycle {}: {}: {}\n",
                     check::counted(static_cast<uint64_t>(errors), "error"), first.cycle, check::name(first.rule),
                     first.what);
}

namespace {

// The hart, and the coprocessor thread that it feeds; one that does not wait is left out if the other does.
std::vector<size_t> agents_of(const Scene& scene, emu::TileId id, arch::Hart hart) {
  std::vector<size_t> out;
  for (size_t t = 0; t < scene.tiles().size(); ++t) {
    if (scene.tiles()[t].id != id) continue;
    const int thread = emu::thread_of(hart);
    for (const size_t a : {thread < 0 ? Scene::kNobody : scene.agent(t, emu::agent_of_thread(thread)),
                           scene.agent(t, emu::agent_of(hart))})
      if (a != Scene::kNobody && scene.agents()[a].state != AgentAt::State::Finished) out.push_back(a);
  }
  return out;
}

}  // namespace

std::string why(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile, arch::Hart hart,
                bool whole, const History* history) {
  const bool quiescent = whole && machine.quiescent();
  std::optional<Livelock> livelock;
  if (whole && !quiescent) livelock.emplace(machine);
  const bool lost = quiescent || (livelock && livelock->proved());
  const Scene scene(machine, question, livelock ? &*livelock : nullptr);
  const std::vector<size_t> agents = agents_of(scene, tile, hart);
  if (agents.empty())
    return fmt::format("{} {} runs no kernel now: {}.\n", scene.places().text(tile),
                       emu::name(tile, emu::agent_of(hart)),
                       machine.chip(tile.chip).tiles.at_present(tile.node).hart(hart).describe());
  const Graph graph(scene);
  return Report(scene, graph, lost, history).text_for(agents, whole);
}

std::vector<Event> events(emu::Machine& machine, const arch::HangQuestion& question, const History& history,
                          emu::TileId tile, arch::Hart hart, size_t most) {
  const Scene scene(machine, question);
  for (size_t t = 0; t < scene.tiles().size(); ++t) {
    const size_t a = scene.tiles()[t].id == tile ? scene.agent(t, emu::agent_of(hart)) : Scene::kNobody;
    if (a != Scene::kNobody) return last_events(scene, history, a, most);
  }
  return {};
}

std::string requests(emu::Machine& machine, const arch::HangQuestion& question, emu::TileId tile) {
  const Scene scene(machine, question);
  std::string out;
  for (const LastRequest& request : last_requests(scene))
    if (scene.tiles()[request.tile].id == tile) out += fmt::format("NoC {}: {}\n", request.noc, text(request));
  return out;
}

namespace {

// `livelock`: null if nothing runs.
std::string account(emu::Machine& machine, const arch::HangQuestion& question, const Livelock* livelock,
                    const History* history, const LastSteps* last) {
  const bool lost = livelock == nullptr || livelock->proved();
  const Scene scene(machine, question, livelock);
  const std::string before = !lost && last != nullptr ? last->text(machine, scene, *livelock) : "";
  const bool waits =
      std::ranges::any_of(scene.agents(), [](const AgentAt& a) { return a.state != AgentAt::State::Finished; });
  if (!waits) return before;
  const Graph graph(scene);
  return before + Report(scene, graph, lost, history).text();
}

}  // namespace

std::string report(emu::Machine& machine, const arch::HangQuestion& question, const History* history,
                   const LastSteps* last, bool host_acts) {
  if (machine.quiescent() && !host_acts) return account(machine, question, nullptr, history, last);
  return report(machine, question, Livelock(machine, host_acts), history, last);
}

std::string report(emu::Machine& machine, const arch::HangQuestion& question, const Livelock& livelock,
                   const History* history, const LastSteps* last) {
  return account(machine, question, &livelock, history, last);
}

}  // namespace kerr::hang

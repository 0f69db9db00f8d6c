#include "hang/cores.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "arch/sync.hpp"
#include "emu/observe/agent_names.hpp"

namespace kerr::hang {

namespace {

constexpr size_t kMostNames = 3, kMostRectangles = 12, kMostGroups = 8;

// What a thread of the coprocessor waits for at a hardware semaphore, as compute kernels use those.
// docs/hardware/kernels.md 2.7
struct SemaphoreUse {
  emu::Agent thread;
  arch::Semaphore semaphore;
  const char* meaning;
};
constexpr SemaphoreUse kSemaphoreUses[] = {
    {emu::Agent::Thread0, arch::Semaphore::MathDone, "MATH_DONE: unpack waits for math to give it a tile of Dst"},
    {emu::Agent::Thread1, arch::Semaphore::MathPack,
     "MATH_PACK: math waits for pack to release a half of Dst (tile_regs_release)"},
    {emu::Agent::Thread1, arch::Semaphore::UnpackToDest, "UNPACK_TO_DEST: math waits for unpack to fill a tile of Dst"},
    {emu::Agent::Thread2, arch::Semaphore::MathPack,
     "MATH_PACK: pack waits for math to commit a half of Dst (tile_regs_commit)"},
};

struct Group {
  std::vector<size_t> tiles;
  bool has_root = false;
};

class Cores {
 public:
  Cores(const Scene& scene, const Graph& graph) : scene_(scene), graph_(graph) {}

  std::vector<std::string> text(size_t most) {
    std::vector<Group> groups = find_groups();
    std::vector<std::string> out;
    std::string program;
    size_t shown = 0;
    for (const Group& group : groups) {
      std::vector<std::string> lines;
      const arch::note::Launched* const launch = scene_.tiles()[group.tiles.front()].launch;
      if (launch != nullptr && launch->program != program) {
        program = launch->program;
        lines.push_back(fmt::format("program '{}' is stuck on {}:", program, cores_of(program)));
      }
      lines.push_back(heading(group));
      for (const size_t a : scene_.tiles()[group.tiles.front()].agents)
        if (a != Scene::kNobody && waits(a)) add(lines, a);
      const bool is_last = shown + 1 == groups.size();
      if (shown == kMostGroups || out.size() + lines.size() + (is_last ? 0 : 1) > most) break;
      out.insert(out.end(), lines.begin(), lines.end());
      ++shown;
    }
    if (shown == groups.size() || out.size() >= most) return out;
    size_t cores = 0;
    for (size_t g = shown; g < groups.size(); ++g) cores += groups[g].tiles.size();
    out.push_back(fmt::format("  and {} that wait for something else", check::counted(cores, "more core")));
    return out;
  }

 private:
  const AgentAt& agent(size_t a) const { return scene_.agents()[a]; }
  bool waits(size_t a) const { return agent(a).state != AgentAt::State::Finished; }

  // "1 of 118 cores", of all chips that run it.
  std::string cores_of(const std::string& program) const {
    size_t all = 0, unfinished = 0;
    for (const TileAt& tile : scene_.tiles()) {
      if (tile.launch == nullptr || tile.launch->program != program) continue;
      ++all;
      unfinished += tile.unfinished ? 1 : 0;
    }
    return fmt::format("{} of {}", unfinished, check::counted(all, "core"));
  }

  std::vector<Group> find_groups() const {
    std::map<std::string, Group> by_key;
    std::vector<bool> to_blame(scene_.agents().size());
    if (!graph_.roots().empty())
      for (const size_t a : graph_.roots().front().agents) to_blame[a] = true;
    for (size_t t = 0; t < scene_.tiles().size(); ++t) {
      std::string key;
      bool has_root = false;
      for (const size_t a : scene_.tiles()[t].agents) {
        if (a == Scene::kNobody || !waits(a)) continue;
        key += kind_of(scene_, graph_, a) + "\n";
        has_root = has_root || to_blame[a];
      }
      if (key.empty()) continue;
      Group& group = by_key[key];
      group.tiles.push_back(t);
      group.has_root = group.has_root || has_root;
    }
    std::vector<Group> groups;
    for (auto& [key, group] : by_key) groups.push_back(std::move(group));
    std::ranges::sort(groups, [](const Group& a, const Group& b) {
      if (a.has_root != b.has_root) return a.has_root;
      if (a.tiles.size() != b.tiles.size()) return a.tiles.size() < b.tiles.size();
      return a.tiles < b.tiles;
    });
    return groups;
  }

  std::string heading(const Group& group) const {
    std::vector<emu::TileId> tiles;
    for (const size_t t : group.tiles) tiles.push_back(scene_.tiles()[t].id);
    if (tiles.size() == 1) return "  core " + scene_.places().text(tiles.front());
    return fmt::format("  {} cores: {}", tiles.size(), scene_.places().rectangles(tiles, kMostRectangles));
  }

  void add(std::vector<std::string>& lines, size_t a) const {
    const AgentAt& who = agent(a);
    const Node& node = graph_.nodes()[a];
    std::string line = fmt::format("    {:<7} ", emu::name(scene_.tile_of(who).id, who.agent));
    if (who.kernel != nullptr) line += fmt::format("kernel '{}' ", who.kernel->code.name);
    line += who.text;
    for (const SemaphoreUse& use : kSemaphoreUses)
      if (use.thread == who.agent && (emu::wait::semaphores(who.waits_for) >> static_cast<unsigned>(use.semaphore) & 1))
        line += fmt::format(" = {}", use.meaning);
    for (const Want& want : node.wants)
      if (want.thing.kind == Thing::Kind::Word && want.thing.index != Thing::kNone)
        line += fmt::format(" = semaphore {} of the program", want.thing.index);
    lines.push_back(line);
    std::string second = node.place.empty() ? "" : "at " + node.place;
    if (!node.wants.empty())
      second += (second.empty() ? "" : ", ") + sentence(scene_, node.wants[node.deciding]) + from(node);
    if (!second.empty()) lines.push_back("            " + second);
  }

  // Who should bring it.
  std::string from(const Node& node) const {
    const char* const perhaps = node.certain ? "" : "perhaps ";
    switch (node.cause) {
      case Cause::Waits:
      case Cause::Runs:
        if (node.next.empty()) return "";
        return fmt::format("  <- {}{}", perhaps, names_of(scene_, node.next));
      case Cause::ProviderFinished: return fmt::format("  <- {}{}, finished", perhaps, names_of(scene_, node.done));
      case Cause::NoProvider: return "  <- nobody";
      default: return "";
    }
  }

  const Scene& scene_;
  const Graph& graph_;
};

}  // namespace

std::vector<std::string> cores_text(const Scene& scene, const Graph& graph, size_t most) {
  return Cores(scene, graph).text(most);
}

std::string names_of(const Scene& scene, std::span<const size_t> agents) {
  std::string out;
  for (size_t i = 0; i < std::min(agents.size(), kMostNames); ++i)
    out += (i == 0 ? "" : ", ") + scene.name(scene.agents()[agents[i]]);
  if (agents.size() > kMostNames) out += fmt::format(" and {} more", agents.size() - kMostNames);
  return out;
}

}  // namespace kerr::hang

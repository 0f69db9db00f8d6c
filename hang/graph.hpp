// Who waits for whom, and where that ends.   docs/architecture.md "Hangs"
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "hang/providers.hpp"

namespace kerr::hang {

/// What becomes of an agent's wait.
enum class Cause : uint8_t {
  None,              // it does not wait
  Unreachable,       // for a state that cannot come
  Paused,            // it stands at ebreak
  Spins,             // it goes round for ever, and for nothing that could be named
  NoProvider,        // nobody can bring what it waits for
  ProviderFinished,  // who could has returned
  Waits,             // who could waits itself
  Unknown,           // for something of which nothing can be said
  Runs,              // it runs, or waits for somebody who does: it may still go on
};

struct Node {
  uint32_t pc = 0;    // of a hart that polls the load that decides, otherwise where it stands
  std::string place;  // of that pc
  std::vector<Want> wants;
  std::vector<Providers> providers;  // of each want
  Cause cause = Cause::None;
  size_t deciding = 0;       // the want that the cause is of
  std::vector<size_t> next;  // agents that it waits for, of Waits and Runs
  std::vector<size_t> done;  // providers that have finished
  bool certain = true;
};

/// Agents that are to blame for the same reason: of equal kernels, at the same place, for the same thing.
struct Root {
  enum class Rank : uint8_t { Unreachable, NoProvider, ProviderFinished, Cycle, Unknown };
  Rank rank = Rank::Unknown;
  std::vector<size_t> agents;  // equal ones, in the order of tiles; of a cycle its members in the order of waiting
  size_t waiting = 0;          // how many others wait for the first, by whatever way
};

class Graph {
 public:
  explicit Graph(const Scene& scene);
  const std::vector<Node>& nodes() const { return nodes_; }
  /// The one to blame first. Empty if nobody waits for ever.
  const std::vector<Root>& roots() const { return roots_; }
  /// Somebody runs: what waits for it is late, and not lost.
  bool somebody_runs() const { return runs_; }

 private:
  void find_cause(size_t agent, const NamedTiles& named);
  void find_roots();
  std::vector<size_t> cycle_from(size_t agent) const;
  size_t count_waiting(size_t agent) const;

  const Scene& scene_;
  std::vector<Node> nodes_;
  std::vector<std::vector<size_t>> before_;  // who waits for each agent
  std::vector<Root> roots_;
  bool runs_ = false;
};

/// What makes agents of different tiles equal: kernel, place, and thing.
std::string kind_of(const Scene& scene, const Graph& graph, size_t agent);

}  // namespace kerr::hang

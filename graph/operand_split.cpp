#include "graph/operand_split.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "kernels/elementwise/elementwise.hpp"

namespace kerr::graph {

namespace {

using Item = Graph::Item;
using Node = Graph::Node;
using Nodes = std::set<Node>;

constexpr uint64_t kMostVisits = 300'000;  // of nodes, while better ways are looked for

class Split {
 public:
  Split(const Graph& graph, NodesInMemory& nodes) : graph_(graph), nodes_(nodes) {}

  void run() {
    for (Node node = 0; node < graph_.size(); ++node) {
      if (graph_.item(node).kind != Item::Kind::Apply) continue;
      while (!fits(operands(node), node)) cut(node);
    }
    visits_ = 0;
    while (improve()) {
    }
  }

 private:
  std::span<const Node> sources(Node node) const {
    const Item& item = graph_.item(node);
    return {item.sources.data(), item.source_count()};
  }
  bool part_of(Node node, Node result) const {
    const Item& item = graph_.item(node);
    return item.elementwise() && item.shape == graph_.item(result).shape && !nodes_.needed[node] &&
           !nodes_.constant[node];
  }

  // What the program that makes `result` reads; what it computes itself goes to `parts`.
  Nodes operands(Node result, Nodes* parts = nullptr) const {
    Nodes found, seen;
    std::vector<Node> left{result};
    while (!left.empty()) {
      const Node node = left.back();
      left.pop_back();
      ++visits_;
      if (!seen.insert(node).second || nodes_.constant[node] || graph_.item(node).kind == Item::Kind::Constant)
        continue;
      if (node != result && !part_of(node, result)) {
        found.insert(node);
        continue;
      }
      if (parts && node != result && graph_.item(node).kind == Item::Kind::Apply) parts->insert(node);
      left.insert(left.end(), sources(node).begin(), sources(node).end());
    }
    return found;
  }

  bool fits(const Nodes& operands, Node result) const {
    std::vector<Format> formats;
    for (const Node operand : operands) formats.push_back(nodes_.formats[operand]);
    return operands.size() <= room_for_operands(formats, nodes_.formats[result]);
  }

  // The source that leaves fewest operands, the larger one if two leave as many.
  void cut(Node node) {
    std::optional<Node> best;
    size_t fewest = 0, most = 0;
    for (const Node source : sources(node)) {
      if (!part_of(source, node) || graph_.item(source).kind != Item::Kind::Apply) continue;
      const size_t own = operands(source).size();
      nodes_.needed[source] = true;
      const size_t left = operands(node).size();
      nodes_.needed[source] = false;
      if (best && (left > fewest || (left == fewest && own <= most))) continue;
      best = source, fewest = left, most = own;
    }
    nodes_.needed[*best] = true;  // three sources at most always fit, so there is one
    cuts_.insert(*best);
  }

  // Tiles read and written by all programs that the result needs; nothing if one of them has too many operands.
  std::optional<uint64_t> traffic() const {
    uint64_t tiles = 0;
    Nodes seen;
    std::vector<Node> left{graph_.result()};
    while (!left.empty()) {
      const Node node = left.back();
      left.pop_back();
      if (!seen.insert(node).second) continue;
      const Item& item = graph_.item(node);
      if (item.kind != Item::Kind::Apply) {
        left.insert(left.end(), sources(node).begin(), sources(node).end());
        continue;
      }
      const Nodes all = operands(node);
      if (!fits(all, node)) return std::nullopt;
      tiles += uint64_t{grid(item.shape).tiles()} * (all.size() + 1);
      left.insert(left.end(), all.begin(), all.end());
    }
    return tiles;
  }

  Nodes parts() const {
    Nodes all, seen;
    std::vector<Node> left{graph_.result()};
    while (!left.empty()) {
      const Node node = left.back();
      left.pop_back();
      if (!seen.insert(node).second) continue;
      if (graph_.item(node).kind != Item::Kind::Apply) {
        left.insert(left.end(), sources(node).begin(), sources(node).end());
        continue;
      }
      const Nodes list = operands(node, &all);
      left.insert(left.end(), list.begin(), list.end());
    }
    return all;
  }

  // Without a cut, or with another one in its place: whether there is less traffic then.
  bool improve() {
    bool better = false;
    const Nodes before = cuts_;
    for (const Node cut : before) {
      if (visits_ > kMostVisits) return false;
      std::optional<uint64_t> least = traffic();
      nodes_.needed[cut] = false;
      std::optional<Node> instead;
      bool found = false;
      const auto consider = [&](std::optional<Node> other) {
        const auto with = traffic();
        if (!with || (least && *with >= *least)) return;
        least = with, instead = other, found = true;
      };
      consider(std::nullopt);
      for (const Node other : parts()) {
        if (other == cut || visits_ > kMostVisits) continue;
        nodes_.needed[other] = true;
        consider(other);
        nodes_.needed[other] = false;
      }
      if (!found) {
        nodes_.needed[cut] = true;
        continue;
      }
      better = true;
      cuts_.erase(cut);
      if (instead) nodes_.needed[*instead] = true, cuts_.insert(*instead);
    }
    return better;
  }

  const Graph& graph_;
  NodesInMemory& nodes_;
  mutable uint64_t visits_ = 0;
  Nodes cuts_;  // what is needed because of this only
};

}  // namespace

bool are_mixed(std::span<const Format> operands) {
  return std::ranges::any_of(operands, [&](Format format) { return format != operands[0]; });
}

size_t room_for_operands(std::span<const Format> operands, Format out) {
  const bool wide = operands.empty() || are_mixed(operands);
  return kernels::most_operands({wide ? Format::Fp32 : operands[0], out});
}

void fit_operands(const Graph& graph, NodesInMemory& nodes) { Split(graph, nodes).run(); }

}  // namespace kerr::graph

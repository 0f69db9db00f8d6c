#include "graph/stages.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace kerr::graph {

namespace {

using Item = Graph::Item;
using Node = Graph::Node;

class Stages {
 public:
  explicit Stages(const Graph& graph) : graph_(graph), in_memory_(graph.size()), constant_(graph.size()) {
    for (Node node = 0; node < graph.size(); ++node) {
      const Item& item = graph.item(node);
      const auto is_constant = [&](Node source) { return constant_[source]; };
      constant_[node] = item.kind == Item::Kind::Constant ||
                        (item.kind == Item::Kind::Apply && std::all_of(item.sources.begin(), item.sources.begin() + static_cast<std::ptrdiff_t>(item.source_count()), is_constant));
    }
  }

  std::vector<Stage> run() {
    const Item& result = graph_.item(graph_.result());
    if (result.kind == Item::Kind::Input || result.kind == Item::Kind::Constant) {
      throw std::invalid_argument("there is nothing to compute: the expression is a name or a number");
    }
    require(graph_.result());
    return std::move(stages_);
  }

 private:
  // Makes sure that the node's matrix lies in memory.
  void require(Node node) {
    const Item& item = graph_.item(node);
    if (item.kind == Item::Kind::Input || in_memory_[node]) return;
    in_memory_[node] = true;
    if (item.kind == Item::Kind::Matmul) {
      const Node a = item.sources[0], b = item.sources[1];
      require(a);
      require(b);
      stages_.push_back(ProductStage{node, {a, graph_.item(a).shape}, {b, graph_.item(b).shape}});
      return;
    }
    ElementwiseStage stage{.result = node, .expression = {}, .operands = {}};
    std::map<Node, kernels::Expression::Node> done;
    stage.expression.set_result(translate(node, stage, done));
    stages_.push_back(std::move(stage));
  }

  // Constants and what is computed element by element at the stage's shape are part of it; all else is an operand.
  kernels::Expression::Node translate(Node node, ElementwiseStage& stage, std::map<Node, kernels::Expression::Node>& done) {
    if (const auto found = done.find(node); found != done.end()) return found->second;
    const Item& item = graph_.item(node);
    const Shape shape = graph_.item(stage.result).shape;
    kernels::Expression::Node made = 0;
    if (item.kind == Item::Kind::Constant) {
      made = stage.expression.constant(item.constant);
    } else if (item.kind == Item::Kind::Apply && (item.shape == shape || constant_[node]) && (node == stage.result || !in_memory_[node])) {
      std::vector<kernels::Expression::Node> sources;
      for (std::size_t i = 0; i < item.source_count(); ++i) sources.push_back(translate(item.sources[i], stage, done));
      made = stage.expression.apply(item.operation, sources);
    } else {
      require(node);
      made = stage.expression.input(static_cast<std::uint32_t>(stage.operands.size()));
      stage.operands.push_back({node, shape});
    }
    return done[node] = made;
  }

  const Graph& graph_;
  std::vector<bool> in_memory_;
  std::vector<bool> constant_;  // made of constants alone
  std::vector<Stage> stages_;
};

}  // namespace

std::vector<Stage> stages(const Graph& graph) { return Stages(graph).run(); }

}  // namespace kerr::graph

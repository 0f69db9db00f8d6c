#include "graph/stages.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

namespace kerr::graph {

namespace {

using Item = Graph::Item;
using Node = Graph::Node;

class Stages {
 public:
  Stages(const Graph& graph, std::uint32_t most_operands, const kernels::MatmulOptions& matmul)
      : graph_(graph),
        matmul_(matmul),
        in_memory_(graph.size()),
        constant_(graph.size()),
        needed_(graph.size()),
        uses_(graph.size()) {
    std::vector<std::set<Node>> operands(graph.size());  // of a stage that ends with the node
    for (Node node = 0; node < graph.size(); ++node) {
      const Item& item = graph.item(node);
      const std::span<const Node> sources(item.sources.data(), item.source_count());
      for (const Node source : sources) ++uses_[source];
      if (item.kind != Item::Kind::Apply) {
        for (const Node source : sources) needed_[source] = true;
        constant_[node] = item.kind == Item::Kind::Constant;
        continue;
      }
      constant_[node] = std::ranges::all_of(sources, [&](Node source) { return constant_[source]; });
      while (true) {
        operands[node] = operands_of(item, sources, operands);
        if (operands[node].size() <= most_operands) break;
        // The largest part becomes a stage of its own.
        needed_[*std::ranges::max_element(
            sources, {}, [&](Node source) { return part_of(item, source) ? operands[source].size() : 0; })] = true;
      }
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
  bool part_of(const Item& item, Node source) const {
    const Item& other = graph_.item(source);
    return other.kind == Item::Kind::Apply && other.shape == item.shape && !needed_[source] && !constant_[source];
  }
  std::set<Node> operands_of(const Item& item, std::span<const Node> sources,
                             const std::vector<std::set<Node>>& operands) const {
    std::set<Node> all;
    for (const Node source : sources) {
      if (constant_[source]) continue;
      part_of(item, source) ? all.insert(operands[source].begin(), operands[source].end()) : void(all.insert(source));
    }
    return all;
  }

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
    if (item.kind == Item::Kind::Reduce) {
      const Node a = item.sources[0];
      require(a);
      stages_.push_back(ReduceStage{node, {a, graph_.item(a).shape}, item.reduction, item.along});
      return;
    }
    if (item.kind == Item::Kind::Transpose) {
      const Node a = item.sources[0];
      require(a);
      stages_.push_back(TransposeStage{node, {a, graph_.item(a).shape}});
      return;
    }
    ElementwiseStage stage{.result = node, .expression = {}, .operands = {}};
    std::map<Node, kernels::Expression::Node> done;
    std::optional<std::size_t> product;
    stage.expression.set_result(translate(node, stage, done, product));
    if (product) {
      ProductStage whole = with_epilogue(stage, *product);
      matmul_.epilogue = whole.epilogue;
      if (kernels::has_room_for_epilogue(matmul_)) {
        require(whole.a.node);
        require(whole.b.node);
        stages_.push_back(std::move(whole));
        return;
      }
      require(stage.operands[*product].node);
    }
    stages_.push_back(std::move(stage));
  }

  // The product among a stage's operands, with the stage as its epilogue.
  ProductStage with_epilogue(const ElementwiseStage& stage, std::size_t product) const {
    const Item& item = graph_.item(stage.operands[product].node);
    const Node a = item.sources[0], b = item.sources[1];
    ProductStage made{stage.result, {a, graph_.item(a).shape}, {b, graph_.item(b).shape}};
    kernels::MatmulEpilogue epilogue;
    std::vector<kernels::Expression::Node> inputs(stage.operands.size());
    inputs[product] = epilogue.expression.input(0);
    for (std::size_t i = 0; i < stage.operands.size(); ++i) {
      if (i == product) continue;
      Operand operand = stage.operands[i];
      const bool row = graph_.item(operand.node).shape.rows == 1;
      if (row) operand.shape.rows = 32;
      made.operands.push_back(operand);
      epilogue.operands_have_rows.push_back(!row);
      inputs[i] = epilogue.expression.input(static_cast<std::uint32_t>(made.operands.size()));
    }
    epilogue.expression.set_result(epilogue.expression.insert(stage.expression, inputs));
    made.epilogue = std::make_shared<const kernels::MatmulEpilogue>(std::move(epilogue));
    return made;
  }

  // Constants and what is computed element by element at the stage's shape are part of it; all else is an operand, as is what lies in
  // memory for other stages anyway. `product`: the operand that nobody else wants and that the stage can be the epilogue of.
  kernels::Expression::Node translate(Node node, ElementwiseStage& stage,
                                      std::map<Node, kernels::Expression::Node>& done,
                                      std::optional<std::size_t>& product) {
    if (const auto found = done.find(node); found != done.end()) return found->second;
    const Item& item = graph_.item(node);
    const Shape shape = graph_.item(stage.result).shape;
    kernels::Expression::Node made = 0;
    if (item.kind == Item::Kind::Constant) {
      made = stage.expression.constant(item.constant);
    } else if (item.kind == Item::Kind::Apply && (item.shape == shape || constant_[node]) &&
               (node == stage.result || !needed_[node])) {
      std::vector<kernels::Expression::Node> sources;
      for (std::size_t i = 0; i < item.source_count(); ++i)
        sources.push_back(translate(item.sources[i], stage, done, product));
      made = stage.expression.apply(item.operation, sources);
    } else {
      const bool first_product = item.kind == Item::Kind::Matmul && item.shape == shape && uses_[node] == 1 && !product;
      first_product ? void(product = stage.operands.size()) : require(node);
      made = stage.expression.input(static_cast<std::uint32_t>(stage.operands.size()));
      stage.operands.push_back({node, shape});
    }
    return done[node] = made;
  }

  const Graph& graph_;
  kernels::MatmulOptions matmul_;
  std::vector<bool> in_memory_;
  std::vector<bool> constant_;  // made of constants alone
  std::vector<bool> needed_;    // by a product, sum, maximum or transpose, which take what lies in memory
  std::vector<std::uint32_t> uses_;
  std::vector<Stage> stages_;
};

}  // namespace

std::vector<Stage> stages(const Graph& graph, std::uint32_t most_operands, const kernels::MatmulOptions& matmul) {
  return Stages(graph, most_operands, matmul).run();
}

}  // namespace kerr::graph

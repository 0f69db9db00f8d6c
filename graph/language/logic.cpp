#include "graph/language/logic.hpp"

#include <cstdint>
#include <vector>

#include "graph/evaluate.hpp"
#include "graph/language/functions.hpp"

namespace kerr::graph {

namespace {

using Node = Graph::Node;
using enum kernels::Operation;

bool mixed(const Graph& graph, Node a, Node b) {
  const NodeType x = graph.item(a).type, y = graph.item(b).type;
  return x != y && x != NodeType::Either && y != NodeType::Either;
}

// Each node is asked once, however often it is used.
class Truths {
 public:
  explicit Truths(const Graph& graph) : graph_(graph), known_(graph.size(), Unknown) {}

  bool operator()(Node node) {
    if (known_[node] == Unknown) known_[node] = find(node) ? Yes : No;
    return known_[node] == Yes;
  }

 private:
  enum Known : uint8_t { Unknown, Yes, No };

  bool find(Node node) {
    const Graph::Item& item = graph_.item(node);
    if (item.folded) return item.folded->exact == 0 || item.folded->exact == 1;
    if (item.kind != Graph::Item::Kind::Apply) return false;
    if (is_one_of<Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual>(item.operation)) return true;
    const auto& from = item.sources;
    if (is_one_of<Multiply, Minimum, Maximum, And, Or, Xor>(item.operation))
      return (*this)(from[0]) && (*this)(from[1]);
    return item.operation == Where && (*this)(from[1]) && (*this)(from[2]);
  }

  const Graph& graph_;
  std::vector<Known> known_;
};

}  // namespace

bool is_truth(const Graph& graph, Node node) { return Truths(graph)(node); }

Node truth_of(Graph& graph, Node a) {
  return is_truth(graph, a) ? a : made_of(graph, NotEqual, {a, graph.constant(0)});
}

Node both(Graph& graph, Node a, Node b) {
  if (mixed(graph, a, b)) return made_of(graph, Where, {a, b, graph.constant(0)});
  return made_of(graph, of_integers(graph, a, b) ? And : Multiply, {a, b});
}

Node any_of_both(Graph& graph, Node a, Node b) {
  if (mixed(graph, a, b)) return made_of(graph, Where, {a, graph.constant(1), b});
  return made_of(graph, of_integers(graph, a, b) ? Or : Maximum, {a, b});
}

Node one_of_both(Graph& graph, Node a, Node b) {
  if (mixed(graph, a, b)) return made_of(graph, Where, {a, negated(graph, b), b});
  return made_of(graph, of_integers(graph, a, b) ? Xor : NotEqual, {a, b});
}

Node negated(Graph& graph, Node a) { return made_of(graph, Equal, {a, graph.constant(0)}); }

}  // namespace kerr::graph

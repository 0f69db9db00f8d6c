#include "graph/language/floor_division.hpp"

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "graph/evaluate.hpp"

namespace kerr::graph {

namespace {

using kernels::Operation;
using Node = Graph::Node;
using enum Operation;

Node apply(Graph& graph, Operation operation, std::initializer_list<Node> sources) {
  return graph.apply(operation, std::span(sources.begin(), sources.size()));
}

bool of_integers(const Graph& graph, Node a, Node b) {
  const NodeType x = graph.item(a).type, y = graph.item(b).type;
  return x == NodeType::Integer || y == NodeType::Integer;
}

// Of two numbers that are written down; nothing where they are not, or b is 0.
std::optional<double> quotient_of_numbers(const Graph& graph, Node a, Node b) {
  const auto &x = graph.item(a).folded, &y = graph.item(b).folded;
  if (!x || !y || of_integers(graph, a, b) || y->exact == 0) return std::nullopt;
  return std::floor(x->exact / y->exact);
}

// Integers of which that is plain to see.
bool never_negative(const Graph& graph, Node node) {
  const Graph::Item& item = graph.item(node);
  if (item.folded) return item.folded->as_integer >= 0;
  switch (item.kind) {
    case Graph::Item::Kind::Input: return item.format == Format::Uint8 || item.format == Format::Uint16;
    case Graph::Item::Kind::Index: return uint64_t{item.shape.rows} * item.shape.columns <= uint64_t{1} << 31;
    case Graph::Item::Kind::Constant: return item.constant >= 0 && item.constant < 0x1p31;
    case Graph::Item::Kind::Apply:
      return is_one_of<Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual, ToUint8, ToUint16>(item.operation);
    default: return false;
  }
}

// Whether the remainder that division towards 0 has left is of the other sign than b: 1 or 0.
Node has_other_sign(Graph& graph, Node rest, Node b) {
  const Node zero = graph.constant(0);
  if (never_negative(graph, b)) return apply(graph, Less, {rest, zero});
  const Node signs_differ = apply(graph, Less, {apply(graph, Xor, {rest, b}), zero});
  return apply(graph, And, {signs_differ, apply(graph, NotEqual, {rest, zero})});
}

}  // namespace

Node floor_divide(Graph& graph, Node a, Node b) {
  if (const auto number = quotient_of_numbers(graph, a, b)) return graph.constant(*number);
  const Node quotient = apply(graph, Divide, {a, b});
  if (!of_integers(graph, a, b)) return apply(graph, Floor, {quotient});
  if (never_negative(graph, a) && never_negative(graph, b)) return quotient;
  const Node rest = apply(graph, Subtract, {a, apply(graph, Multiply, {quotient, b})});
  return apply(graph, Subtract, {quotient, has_other_sign(graph, rest, b)});
}

Node floor_modulo(Graph& graph, Node a, Node b) {
  if (const auto number = quotient_of_numbers(graph, a, b))
    return graph.constant(graph.item(a).folded->exact - *number * graph.item(b).folded->exact);
  if (!of_integers(graph, a, b)) {
    const Node quotient = apply(graph, Floor, {apply(graph, Divide, {a, b})});
    return apply(graph, Subtract, {a, apply(graph, Multiply, {quotient, b})});
  }
  const Node rest = apply(graph, Modulo, {a, b});
  if (never_negative(graph, a) && never_negative(graph, b)) return rest;
  return apply(graph, Where, {has_other_sign(graph, rest, b), apply(graph, Add, {rest, b}), rest});
}

}  // namespace kerr::graph

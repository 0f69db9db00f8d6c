#include "graph/language/floor_division.hpp"

#include <cmath>
#include <cstdint>
#include <optional>

#include "graph/evaluate.hpp"
#include "graph/language/functions.hpp"

namespace kerr::graph {

namespace {

using Node = Graph::Node;
using enum kernels::Operation;

// The quotient of two float constants, rounded down; nothing if one is no constant, or b is 0.
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
  if (never_negative(graph, b)) return made_of(graph, Less, {rest, zero});
  const Node signs_differ = made_of(graph, Less, {made_of(graph, Xor, {rest, b}), zero});
  return made_of(graph, And, {signs_differ, made_of(graph, NotEqual, {rest, zero})});
}

}  // namespace

Node floor_divide(Graph& graph, Node a, Node b) {
  if (const auto number = quotient_of_numbers(graph, a, b)) return graph.constant(*number);
  const Node quotient = made_of(graph, Divide, {a, b});
  if (!of_integers(graph, a, b)) return made_of(graph, Floor, {quotient});
  if (never_negative(graph, a) && never_negative(graph, b)) return quotient;
  const Node rest = made_of(graph, Subtract, {a, made_of(graph, Multiply, {quotient, b})});
  return made_of(graph, Subtract, {quotient, has_other_sign(graph, rest, b)});
}

Node floor_modulo(Graph& graph, Node a, Node b) {
  if (const auto number = quotient_of_numbers(graph, a, b))
    return graph.constant(graph.item(a).folded->exact - *number * graph.item(b).folded->exact);
  if (!of_integers(graph, a, b)) {
    const Node quotient = made_of(graph, Floor, {made_of(graph, Divide, {a, b})});
    return made_of(graph, Subtract, {a, made_of(graph, Multiply, {quotient, b})});
  }
  const Node rest = made_of(graph, Modulo, {a, b});
  if (never_negative(graph, a) && never_negative(graph, b)) return rest;
  return made_of(graph, Where, {has_other_sign(graph, rest, b), made_of(graph, Add, {rest, b}), rest});
}

}  // namespace kerr::graph

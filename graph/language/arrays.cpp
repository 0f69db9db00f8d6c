// Matrices that are made of nothing but numbers, and functions that are a few operations of elements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "graph/language/floor_division.hpp"
#include "graph/language/functions.hpp"
#include "graph/language/logic.hpp"

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using Node = Graph::Node;

constexpr Parameter kNumber{1, {"fill_value", "number"}};

Node of_two(Call& call, Node (*make)(Graph&, Node, Node)) {
  const Node a = call.matrix(0), b = call.matrix({1, {"b", "y", "other"}});
  return make(call.graph, a, b);
}
Node of_truths(Call& call, Node (*make)(Graph&, Node, Node)) {
  const Node a = call.matrix(0), b = call.matrix({1, {"b", "y", "other"}});
  return make(call.graph, truth_of(call.graph, a), truth_of(call.graph, b));
}

// |x| beside infinity: NaN is beyond it.
Node beside_infinity(Call& call, Operation operation) {
  const Node size = made_of(call.graph, Operation::Abs, {call.matrix(0)});
  return made_of(call.graph, operation, {size, call.graph.constant(std::numeric_limits<double>::infinity())});
}

Node like(Call& call, double value) {
  const Graph::Item& item = call.graph.item(call.matrix(0));
  return call.graph.fill(item.shape, value);
}

uint32_t size_at(Call& call, size_t place, const char* name) { return call.size(call.required({place, {name}})); }

struct RandomMatrix {
  Shape shape;
  uint64_t key;
};
RandomMatrix random_matrix(Call& call) {
  const Shape shape{size_at(call, 0, "rows"), size_at(call, 1, "columns")};
  return {shape, call.whole(call.required({2, {"seed"}}))};
}

}  // namespace

Node uniform(Graph& graph, Shape shape, uint64_t key) {
  const Node bits = made_of(graph, Operation::ShiftRightLogical, {graph.random(shape, key), graph.constant(8)});
  return made_of(graph, Operation::Multiply, {made_of(graph, Operation::ToFp32, {bits}), graph.constant(0x1p-24)});
}

Node make_fill(Call& call) {
  const Shape shape{size_at(call, 0, "rows"), size_at(call, 1, "columns")};
  return call.graph.fill(shape, call.number(call.required({2, {"number"}})));
}
Node make_full(Call& call) {
  const Argument* first = call.peek({0, {"shape", "size"}});
  const bool apart = first && !first->is_sequence && call.by_place() == 3;  // full(rows, columns, number)
  if (first && !first->is_sequence && call.by_place() == 2) {               // full(columns, number)
    call.gives(1);
    const Shape row{1, call.size(call.required({0, {"shape"}}))};
    return call.graph.fill(row, call.number(call.required(kNumber)));
  }
  const Shape shape = call.shape(0);
  return call.graph.fill(shape, call.number(call.required(apart ? Parameter{2, {"fill_value"}} : kNumber)));
}
Node make_zeros(Call& call) { return call.graph.fill(call.shape(0), 0); }
Node make_ones(Call& call) { return call.graph.fill(call.shape(0), 1); }
Node make_full_like(Call& call) {
  const double value = call.number(call.required(kNumber));
  return like(call, value);
}
Node make_zeros_like(Call& call) { return like(call, 0); }
Node make_ones_like(Call& call) { return like(call, 1); }

Node make_eye(Call& call) {
  const uint32_t rows = size_at(call, 0, "rows");
  const Argument* columns = call.find({1, {"columns", "M"}});
  return made_of(call.graph, Operation::Equal,
                 {counted(call.graph, rows, Along::Column),
                  counted(call.graph, columns ? call.size(*columns) : rows, Along::Row)});
}

Node make_arange(Call& call) {
  Graph& graph = call.graph;
  const Argument &first = call.required({0, {"stop"}}), *second = call.find({1, {"stop", "end"}}),
                 *third = call.find({2, {"step"}});
  const int64_t start = second ? call.integer(first) : 0, stop = call.integer(second ? *second : first),
                step = third ? call.integer(*third) : 1;
  if (step == 0) Call::refuse(*third, "a step of 0 never arrives");
  const int64_t count = (stop - start + step - (step > 0 ? 1 : -1)) / step;
  if (count < 1 || count > kLargestSize)
    call.refuse(fmt::format("arange from {} to {} by {} has {} numbers: there must be 1 to {}", start, stop, step,
                            std::max<int64_t>(count, 0), kLargestSize));
  call.gives(1);
  Node made = counted(graph, static_cast<uint32_t>(count), Along::Row);
  if (step != 1) made = made_of(graph, Operation::Multiply, {made, graph.constant(static_cast<double>(step))});
  if (start != 0) made = made_of(graph, Operation::Add, {made, graph.constant(static_cast<double>(start))});
  return made;
}

Node make_iota(Call& call) {
  const Shape shape{size_at(call, 0, "rows"), size_at(call, 1, "columns")};
  return call.graph.index(shape);
}
Node make_random(Call& call) {
  const RandomMatrix of = random_matrix(call);
  return uniform(call.graph, of.shape, of.key);
}
Node make_random_bits(Call& call) {
  const RandomMatrix of = random_matrix(call);
  return call.graph.random(of.shape, of.key);
}

Node make_matmul(Call& call) {
  const Value a = call.value(0), b = call.value({1, {"b", "y", "other"}});
  const Value made = product(call.graph, a, b);
  call.gives(made.axes);
  return made.node;
}
Node make_outer(Call& call) {
  call.gives(2);
  return of_two(call, [](Graph& graph, Node a, Node b) {
    const Shape left = graph.item(a).shape, right = graph.item(b).shape;
    if (left.rows != 1 || right.rows != 1)
      throw std::invalid_argument(fmt::format("outer of {} and {}: two rows are expected", left.text(), right.text()));
    return made_of(graph, Operation::Multiply, {graph.transpose(a), b});
  });
}
Node make_linear(Call& call) {
  Graph& graph = call.graph;
  const Node x = call.matrix(0), weight = call.two_axes({1, {"weight"}});
  const Node product = graph.matmul(x, graph.transpose(weight));
  return call.peek({2, {"bias"}}) ? made_of(graph, Operation::Add, {product, call.matrix({2, {"bias"}})}) : product;
}

Node make_clip(Call& call) {
  Graph& graph = call.graph;
  Node x = call.matrix(0);
  const Argument *low = call.find({1, {"min", "a_min", "low"}}), *high = call.find({2, {"max", "a_max", "high"}});
  if (!low && !high) call.refuse("clip needs a least number, a largest one, or both: clip(x, 0, 1)");
  if ((low && !low->node) || (high && !high->node)) call.refuse("clip takes numbers or matrices");
  call.gives(std::max({call.axes_of_first(), low ? low->axes : 0, high ? high->axes : 0}));
  if (low) x = made_of(graph, Operation::Maximum, {x, *low->node});
  return high ? made_of(graph, Operation::Minimum, {x, *high->node}) : x;
}

Node make_remainder(Call& call) { return of_two(call, floor_modulo); }
Node make_floor_divide(Call& call) { return of_two(call, floor_divide); }
Node make_logical_and(Call& call) { return of_truths(call, both); }
Node make_logical_or(Call& call) { return of_truths(call, any_of_both); }
Node make_logical_xor(Call& call) { return of_truths(call, one_of_both); }
Node make_logical_not(Call& call) { return negated(call.graph, call.matrix(0)); }
Node make_isnan(Call& call) { return beside_infinity(call, Operation::Greater); }
Node make_isinf(Call& call) { return beside_infinity(call, Operation::Equal); }
Node make_isfinite(Call& call) { return beside_infinity(call, Operation::Less); }

}  // namespace kerr::graph

// Functions that move elements: transposes, parts, tiles side by side.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "graph/language/functions.hpp"

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using Node = Graph::Node;

uint32_t& size_along(Shape& shape, Along axis) { return axis == Along::Row ? shape.columns : shape.rows; }
uint32_t size_along(const Graph& graph, Node x, Along axis) {
  Shape shape = graph.item(x).shape;
  return size_along(shape, axis);
}

// `x` again and again along the axis, from its element `first` on, until there are `count`. Multiples of 32.
Node repeated(Graph& graph, Node x, Along axis, uint32_t first, uint32_t count) {
  Shape part = graph.item(x).shape;
  const uint32_t size = size_along(part, axis), copies = (first + count + size - 1) / size;
  const Node all = copies == 1 ? x : graph.tile(x, axis == Along::Row ? 1 : copies, axis == Along::Row ? copies : 1);
  if (first == 0 && copies * size == count) return all;
  size_along(part, axis) = count;
  return graph.slice(all, axis == Along::Row ? 0 : first, axis == Along::Row ? first : 0, part);
}

// 1 where an element is one of the first `count` along the axis.
Node is_before(Graph& graph, uint32_t count, uint32_t all, Along axis) {
  return made_of(graph, Operation::Less, {counted(graph, all, axis), graph.constant(count)});
}

// Both are brought to the size of both together, each with its own numbers where it shall be, and one of them is
// chosen.
Node joined(Graph& graph, Node a, Node b, Along axis) {
  const uint32_t left = size_along(graph, a, axis), right = size_along(graph, b, axis), all = left + right;
  if (left == 1 && right == 1) return made_of(graph, Operation::Where, {is_before(graph, 1, 2, axis), a, b});
  const uint32_t first = (right - left % right) % right;
  return made_of(
      graph, Operation::Where,
      {is_before(graph, left, all, axis), repeated(graph, a, axis, 0, all), repeated(graph, b, axis, first, all)});
}

std::vector<Node> matrices(Call& call) {
  const Argument& first = call.required({0, {"arrays", "tensors"}});
  if (!first.is_sequence)
    Call::refuse(first, fmt::format("matrices in parentheses are expected: {}((a, b))", call.name()));
  std::vector<Node> all;
  for (const Argument& each : first.sequence) {
    if (!each.node) Call::refuse(each, "a matrix is expected");
    all.push_back(*each.node);
  }
  if (all.empty()) Call::refuse(first, "there are no matrices");
  return all;
}

// Rows below one another, or columns side by side: one at a time would be as many programs.
Node stacked(Graph& graph, const std::vector<Node>& all, Along axis) {
  const auto count = static_cast<uint32_t>(all.size());
  Node made = all.back();
  for (uint32_t i = count - 1; i-- > 0;) {
    const Node here = made_of(graph, Operation::Equal, {counted(graph, count, axis), graph.constant(i)});
    made = made_of(graph, Operation::Where, {here, all[i], made});
  }
  return made;
}

Node concatenated(Call& call, Along axis) {
  Graph& graph = call.graph;
  const std::vector<Node> all = matrices(call);
  const char* what = axis == Along::Row ? "columns" : "rows";
  const Along other = axis == Along::Row ? Along::Column : Along::Row;
  bool single = true, whole = true;
  uint64_t total = 0;
  for (const Node x : all) {
    const uint32_t size = size_along(graph, x, axis);
    single = single && size == 1, whole = whole && size % kTileDim == 0, total += size;
    if (size_along(graph, x, other) != size_along(graph, all.front(), other))
      call.refuse(fmt::format("{} of {} and {}: their {} must be equal", call.name(),
                              graph.item(all.front()).shape.text(), graph.item(x).shape.text(),
                              axis == Along::Row ? "rows" : "columns"));
  }
  if (all.size() == 1) return all.front();
  if (single) return stacked(graph, all, axis);
  if (!whole)
    call.refuse(fmt::format("{} moves whole tiles: the {} of each matrix must be a multiple of {}, or 1 in all of them",
                            call.name(), what, kTileDim));
  if (total > kLargestSize) call.refuse(fmt::format("{} {} in all: at most {}", total, what, kLargestSize));
  Node made = all.front();
  for (size_t i = 1; i < all.size(); ++i) made = joined(graph, made, all[i], axis);
  return made;
}

// Matrices, or vectors, but not both: NumPy joins them only below one another.
uint32_t common_axes(Call& call) {
  matrices(call);  // refuses what is none
  const uint32_t axes = call.axes_of_first();
  for (const Argument& each : call.required({0, {"arrays", "tensors"}}).sequence)
    if (each.axes != axes)
      Call::refuse(each, fmt::format("{} takes matrices or vectors, not both: x[5:6] and keepdims=True keep a matrix, "
                                     "v[None, :] makes one of a vector",
                                     call.name()));
  call.gives(axes);
  return axes;
}

// Keeps what is on one side of a diagonal of x, and makes zeros of the rest. The diagonal is k above the one through
// the first element.
Node triangle(Call& call, Operation kept) {
  Graph& graph = call.graph;
  const Node x = call.two_axes(0);
  const Argument* k = call.find({1, {"k", "diagonal"}});
  const Shape shape = graph.item(x).shape;
  Node rows = counted(graph, shape.rows, Along::Column);
  if (const int64_t above = k ? call.integer(*k) : 0; above != 0) {
    if (std::abs(above) > kLargestSize) Call::refuse(*k, fmt::format("at most {}", kLargestSize));
    rows = made_of(graph, Operation::Add, {rows, graph.constant(static_cast<double>(above))});
  }
  const Node inside = made_of(graph, kept, {rows, counted(graph, shape.columns, Along::Row)});
  return made_of(graph, Operation::Where, {inside, x, graph.constant(0)});
}

}  // namespace

Node make_transpose(Call& call) {
  Graph& graph = call.graph;
  const Value value = call.value(0);
  const Node x = value.node;
  const Argument *first = call.find({1, {"axes", "dim0"}}), *second = call.find({2, {"dim1"}});
  if (value.axes < 2 && !first) return x;
  if (value.axes < 2) Call::refuse(*first, "a vector has one axis, 0, and nothing to exchange it with");
  std::vector<Argument> axes;
  if (first) axes = first->is_sequence ? first->sequence : std::vector{*first};
  if (second) axes.push_back(*second);
  if (axes.empty()) return graph.transpose(x);
  const auto axis = [&](const Argument& a) { return (call.integer(a) + 2) % 2; };
  if (axes.size() != 2 || axis(axes[0]) == axis(axes[1])) call.refuse("the two axes of a matrix are 0 and 1");
  // The order of axes means nothing to swapaxes and to torch's transpose; as a permutation, (0, 1) is no change.
  const bool permutation = (first && first->is_sequence) || call.name() == "permute_dims";
  return permutation && axis(axes[0]) == 0 ? x : graph.transpose(x);
}

Node make_slice(Call& call) {
  call.gives(2);
  const Node x = call.matrix(0);
  const uint32_t row = call.size(call.required({1, {"row"}})), column = call.size(call.required({2, {"column"}}));
  const Shape shape{call.size(call.required({3, {"rows"}})), call.size(call.required({4, {"columns"}}))};
  return call.graph.slice(x, row, column, shape);
}

Node make_permute(Call& call) {
  const Node x = call.matrix(0);
  call.gives(2);
  std::array<uint32_t, 6> numbers{};
  if (call.by_place() == 2 || call.by_place() == 3)
    call.refuse("permute takes tiles apart: permute(x, row blocks, column blocks, four axes); a transpose is x.T");
  for (size_t i = 0; i < 6; ++i) numbers[i] = call.size(call.required({1 + i, {"an axis or a number of blocks"}}));
  return call.graph.permute(x, {numbers[0], numbers[1]}, {numbers[2], numbers[3], numbers[4], numbers[5]});
}

Node make_tile(Call& call) {
  Graph& graph = call.graph;
  const Value x = call.value(0);
  const Shape copies = call.shape(1);
  call.gives(std::max(x.axes, call.result_axes()));
  return graph.tile(x.node, copies.rows, copies.columns);
}

Node make_concatenate(Call& call) {
  const uint32_t axes = common_axes(call);
  if (axes == 0) call.refuse("concatenate takes no single numbers: hstack and vstack do");
  return concatenated(call, call.axis(1).value_or(axes == 1 ? Along::Row : Along::Column));
}
Node make_hstack(Call& call) {
  call.gives(std::max(common_axes(call), 1u));
  return concatenated(call, Along::Row);
}
Node make_vstack(Call& call) {
  call.gives(2);
  return concatenated(call, Along::Column);
}
Node make_tril(Call& call) { return triangle(call, Operation::GreaterEqual); }
Node make_triu(Call& call) { return triangle(call, Operation::LessEqual); }

}  // namespace kerr::graph

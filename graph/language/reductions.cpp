// Sums, maxima and what is made of them: of each row, of each column, or of the whole matrix.
#include <fmt/format.h>

#include <limits>

#include "graph/language/functions.hpp"
#include "graph/language/logic.hpp"

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using kernels::Reduction;
using Node = Graph::Node;

// What a call like sum(x, axis=1, keepdims=True) says.
struct Request {
  Node x;
  std::optional<Along> along;
  bool keep;
};
Request request(Call& call, size_t place_of_axis = 1) {
  const Value x = call.value(0);
  Request out{.x = x.node, .along = call.axis(place_of_axis), .keep = false};
  out.keep = call.truth({kByNameOnly, {"keepdims", "keepdim"}}, false);
  call.gives(out.keep ? x.axes : out.along ? x.axes - 1 : 0);
  return out;
}

// One number of each row, each column, or of all: in two steps.
template <class One>
Node over(Graph& graph, const Request& r, One&& one) {
  if (!r.along) return one(Along::Column, one(Along::Row, r.x));
  const Node made = one(*r.along, r.x);
  return *r.along == Along::Row ? vector_of(graph, made, r.keep) : made;
}

Node reduction(Call& call, Reduction of) {
  const Request r = request(call);
  return over(call.graph, r, [&](Along along, Node x) { return call.graph.reduce(of, along, x); });
}

// As over(), but a column of numbers for rows stays one.
Node kept(Graph& graph, const Request& r, Reduction of, Node x) {
  return over(graph, {x, r.along, true}, [&](Along along, Node y) { return graph.reduce(of, along, y); });
}
Node kept_mean(Graph& graph, const Request& r, Node x) {
  return over(graph, {x, r.along, true}, [&](Along along, Node y) { return mean(graph, along, y); });
}
Node finished(Graph& graph, const Request& r, Node made) {
  return r.along == Along::Row ? vector_of(graph, made, r.keep) : made;
}

double count(const Graph& graph, const Request& r) {
  const Shape shape = graph.item(r.x).shape;
  return r.along == Along::Row      ? shape.columns
         : r.along == Along::Column ? shape.rows
                                    : double{1.0 * shape.columns * shape.rows};
}

// The column that is kept.
Node variance(Call& call, Request& r) {
  Graph& graph = call.graph;
  r = request(call);
  const Argument* ddof = call.find({kByNameOnly, {"ddof", "correction"}});
  const double off = ddof ? call.number(*ddof) : 0, all = count(graph, r);
  if (ddof && !(off >= 0 && off < all))
    Call::refuse(*ddof, fmt::format("a number from 0 to below {} is expected", all));
  const Node difference = made_of(graph, Operation::Subtract, {r.x, kept_mean(graph, r, r.x)});
  const Node squares = kept_mean(graph, r, made_of(graph, Operation::Square, {difference}));
  return off == 0 ? squares : made_of(graph, Operation::Multiply, {squares, graph.constant(all / (all - off))});
}

// The least place at which x is what `of` finds.
Node place_of(Call& call, Reduction of) {
  Graph& graph = call.graph;
  const Request r = request(call);
  const Shape shape = graph.item(r.x).shape;
  const Node best = kept(graph, r, of, r.x);
  const Node places = r.along == Along::Row      ? counted(graph, shape.columns, Along::Row)
                      : r.along == Along::Column ? counted(graph, shape.rows, Along::Column)
                                                 : graph.index(shape);
  const Node nowhere = graph.constant(std::numeric_limits<int32_t>::max());
  const Node found = made_of(graph, Operation::Where, {made_of(graph, Operation::Equal, {r.x, best}), places, nowhere});
  return finished(graph, r, kept(graph, r, Reduction::Minimum, found));
}

}  // namespace

Node vector_of(Graph& graph, Node column, bool keep) {
  return keep || graph.item(column).shape.rows == 1 ? column : graph.transpose(column);
}

Node counted(Graph& graph, uint32_t count, Along along) {
  return graph.index(along == Along::Row ? Shape{1, count} : Shape{count, 1});
}

Node mean(Graph& graph, Along along, Node x) {
  const Shape shape = graph.item(x).shape;
  const uint32_t count = along == Along::Row ? shape.columns : shape.rows;
  Node total = graph.reduce(Reduction::Sum, along, x);
  if (graph.item(total).type == NodeType::Integer) total = graph.cast(Format::Fp32, total);
  return made_of(graph, Operation::Multiply, {total, graph.constant(1.0f / static_cast<float>(count))});
}

template <Reduction kReduction, Along kAlong>
Node make_reduction(Call& call) {
  call.gives(2);
  return call.graph.reduce(kReduction, kAlong, call.matrix(0));
}
template Node make_reduction<Reduction::Sum, Along::Row>(Call&);
template Node make_reduction<Reduction::Sum, Along::Column>(Call&);
template Node make_reduction<Reduction::Maximum, Along::Row>(Call&);
template Node make_reduction<Reduction::Maximum, Along::Column>(Call&);
template Node make_reduction<Reduction::Minimum, Along::Row>(Call&);
template Node make_reduction<Reduction::Minimum, Along::Column>(Call&);

template <Along kAlong>
Node make_mean(Call& call) {
  call.gives(2);
  return mean(call.graph, kAlong, call.matrix(0));
}
template Node make_mean<Along::Row>(Call&);
template Node make_mean<Along::Column>(Call&);

Node make_sum(Call& call) { return reduction(call, Reduction::Sum); }
Node make_max(Call& call) { return reduction(call, Reduction::Maximum); }
Node make_min(Call& call) { return reduction(call, Reduction::Minimum); }

Node make_mean_of_axis(Call& call) {
  const Request r = request(call);
  return over(call.graph, r, [&](Along along, Node x) { return mean(call.graph, along, x); });
}

Node make_var(Call& call) {
  Request r{};
  const Node made = variance(call, r);
  return finished(call.graph, r, made);
}
Node make_std(Call& call) {
  Request r{};
  const Node made = made_of(call.graph, Operation::SquareRoot, {variance(call, r)});
  return finished(call.graph, r, made);
}

Node make_norm(Call& call) {
  Graph& graph = call.graph;
  Request r = request(call, kByNameOnly);
  const Node squares = kept(graph, r, Reduction::Sum, made_of(graph, Operation::Square, {r.x}));
  return finished(graph, r, made_of(graph, Operation::SquareRoot, {squares}));
}

Node make_any(Call& call) {
  Request r = request(call);
  r.x = truth_of(call.graph, r.x);
  return finished(call.graph, r, kept(call.graph, r, Reduction::Maximum, r.x));
}
Node make_all(Call& call) {
  Request r = request(call);
  r.x = truth_of(call.graph, r.x);
  return finished(call.graph, r, kept(call.graph, r, Reduction::Minimum, r.x));
}

Node make_argmax(Call& call) { return place_of(call, Reduction::Maximum); }
Node make_argmin(Call& call) { return place_of(call, Reduction::Minimum); }

Node make_trace(Call& call) {
  Graph& graph = call.graph;
  const Node x = call.two_axes(0);
  call.gives(0);
  const Shape shape = graph.item(x).shape;
  const Node diagonal = made_of(graph, Operation::Equal,
                                {counted(graph, shape.rows, Along::Column), counted(graph, shape.columns, Along::Row)});
  const Node only = made_of(graph, Operation::Where, {diagonal, x, graph.constant(0)});
  return graph.reduce(Reduction::Sum, Along::Column, graph.reduce(Reduction::Sum, Along::Row, only));
}

// A product with a triangle of ones, in which the matrix unit adds up.
Node make_cumsum(Call& call) {
  constexpr uint32_t kMost = 8192;  // columns and rows of the triangle
  Graph& graph = call.graph;
  const auto [x, axes] = call.value(0);
  const Graph::Item item = graph.item(x);
  std::optional<Along> along = call.axis(1);
  if (!along && axes == 1) along = Along::Row;
  if (!along) call.refuse("cumsum needs an axis: 1 adds up along each row, 0 along each column");
  const uint32_t count = *along == Along::Row ? item.shape.columns : item.shape.rows;
  if (count > kMost)
    call.refuse(fmt::format(
        "cumsum is a product with a triangle of ones, and one of {} numbers is too large: at most {}", count, kMost));
  const bool integers = item.type == NodeType::Integer;
  if (integers && item.format != Format::Int8)
    call.refuse(
        "cumsum is a product with a triangle of ones, and the matrix unit has integers of int8 only: write "
        "cumsum(fp32(x), axis) or cumsum(int8(x), axis)");
  const Node down = counted(graph, count, Along::Column), across = counted(graph, count, Along::Row);
  const bool row = *along == Along::Row;
  const Node ones = made_of(graph, Operation::LessEqual, {row ? down : across, row ? across : down});
  const Node triangle = integers ? graph.cast(Format::Int8, ones) : made_of(graph, Operation::ToFp32, {ones});
  return row ? graph.matmul(x, triangle) : graph.matmul(triangle, x);
}

}  // namespace kerr::graph

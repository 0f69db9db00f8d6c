#include "graph/language/subscript.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "graph/language/functions.hpp"
#include "graph/language/mistake.hpp"

namespace kerr::graph {

namespace {

using kernels::Along;
using kernels::Operation;
using Node = Graph::Node;

struct Range {
  uint32_t first, count;
};

Range range_of(const Subscript& s, uint32_t all, const char* what) {
  const auto from_end = [&](int64_t i) { return i < 0 ? i + all : i; };
  if (!s.is_range) {
    const int64_t i = from_end(*s.first);
    if (i < 0 || i >= all)
      throw Mistake(s.at,
                    fmt::format("{} {} of {}: they are counted from 0, or from -1 at the end", what, *s.first, all));
    return {static_cast<uint32_t>(i), 1};
  }
  const int64_t first = std::clamp<int64_t>(from_end(s.first.value_or(0)), 0, all);
  const int64_t last = std::clamp<int64_t>(from_end(s.last.value_or(all)), 0, all);
  if (first >= last)
    throw Mistake(s.at, fmt::format("there is no {} from {} to before {}, of {}", what, first, last, all));
  return {static_cast<uint32_t>(first), static_cast<uint32_t>(last - first)};
}

// Where a range does not begin at a tile; the row or column alone is selected from its tiles by a sum of zeros and it.
bool is_inside_tile(const Range& range) { return range.first % kTileDim != 0; }
Range tile_of(const Range& range, uint32_t all) {
  const uint32_t first = range.first / kTileDim * kTileDim;
  return {first, std::min(kTileDim, all - first)};
}

void check(const Subscript& s, const Range& range, const char* what) {
  if (!is_inside_tile(range) || range.count == 1) return;
  throw Mistake(
      s.at, fmt::format("{}s {} to {}: a range begins at a multiple of 32, as tiles of 32 x 32 are moved: at {} or {}",
                        what, range.first, range.first + range.count, range.first / kTileDim * kTileDim,
                        (range.first / kTileDim + 1) * kTileDim));
}

Node selected(Graph& graph, Node x, uint32_t place, Along across) {
  const Shape shape = graph.item(x).shape;
  const uint32_t count = across == Along::Column ? shape.rows : shape.columns;  // a sum of each column leaves one row
  const Node here = made_of(graph, Operation::Equal, {counted(graph, count, across), graph.constant(place)});
  return graph.reduce(kernels::Reduction::Sum, across, made_of(graph, Operation::Where, {here, x, graph.constant(0)}));
}

Node part_of(Graph& graph, Node x, const Subscript& by_row, const Subscript& by_column) {
  const Shape all = graph.item(x).shape;
  const Range rows = range_of(by_row, all.rows, "row"), columns = range_of(by_column, all.columns, "column");
  check(by_row, rows, "row"), check(by_column, columns, "column");
  const Range row_tiles = is_inside_tile(rows) ? tile_of(rows, all.rows) : rows;
  const Range column_tiles = is_inside_tile(columns) ? tile_of(columns, all.columns) : columns;
  Node made = x;
  if (const Shape part{row_tiles.count, column_tiles.count}; part != all)
    made = graph.slice(x, row_tiles.first, column_tiles.first, part);
  if (is_inside_tile(rows)) made = selected(graph, made, rows.first - row_tiles.first, Along::Column);
  if (is_inside_tile(columns)) made = selected(graph, made, columns.first - column_tiles.first, Along::Row);
  return by_column.is_range ? made : vector_of(graph, made, false);
}

Value part_of_vector(Graph& graph, Value x, const std::vector<Subscript>& subscripts) {
  const Subscript everything{.is_range = true};
  const Subscript* own = nullptr;
  const Subscript* added = nullptr;
  for (const Subscript& s : subscripts) {
    const Subscript*& which = s.is_new ? added : own;
    if (which)
      throw Mistake(s.at,
                    "a vector has one subscript, as in NumPy: v[5], v[0:32]; x[5:6, 0:32] and keepdims=True keep a "
                    "matrix, v[None, :] and v[:, None] make one of a vector");
    which = &s;
  }
  if (added && own && !own->is_range) throw Mistake(added->at, "a single number gets no axis: write a range, v[0:1]");
  const Node part = part_of(graph, x.node, everything, own ? *own : everything);
  if (!added) return {part, own->is_range ? 1u : 0u};
  const bool is_column = added == &subscripts.back() && own;
  return {is_column ? graph.transpose(part) : part, 2};
}

}  // namespace

Value subscripted(Graph& graph, Value x, std::vector<Subscript> subscripts) {
  if (x.axes == 0) throw Mistake(subscripts.at(0).at, "a single number has no parts");
  // The ... beside the one subscript of a vector stands for no axis.
  if (x.axes == 1 && subscripts.size() == 2 && !subscripts[0].is_new && !subscripts[1].is_new) {
    const auto rest = std::ranges::find(subscripts, true, &Subscript::is_rest);
    if (rest != subscripts.end()) subscripts.erase(rest);
  }
  if (x.axes == 1) return part_of_vector(graph, x, subscripts);
  for (const Subscript& s : subscripts)
    if (s.is_new)
      throw Mistake(s.at, "a matrix has rows and columns and gets no third axis; None is for vectors: v[:, None]");
  if (subscripts.size() < 2) subscripts.push_back({.is_range = true});
  const uint32_t chosen = (subscripts[0].is_range ? 0 : 1) + (subscripts[1].is_range ? 0 : 1);
  return {part_of(graph, x.node, subscripts[0], subscripts[1]), 2 - chosen};
}

}  // namespace kerr::graph

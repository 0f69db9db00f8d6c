// A graph's result in float64, and how far the device's may be from it.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "graph/bounds.hpp"
#include "graph/evaluate.hpp"
#include "graph/float64_product.hpp"
#include "graph/random.hpp"
#include "graph/run.hpp"
#include "graph/stages.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 31;  // products and operations

struct Rows {
  std::uint32_t columns = 0;
  std::vector<Bounded> values;  // of the rows that were asked for, one after the other
  std::span<const Bounded> row(std::size_t i) const { return std::span(values).subspan(i * columns, columns); }
};

class Exact {
 public:
  Exact(const Graph& graph, const Inputs& inputs, const RunOptions& options)
      : graph_(graph), inputs_(inputs), matmul_(options.matmul), in_memory_(graph.size()), uses_(graph.size()) {
    for (const Stage& stage : stages(graph, options.format, options.matmul)) {
      const Place& place = std::visit([](const auto& s) -> const Place& { return s.result; }, stage);
      in_memory_[place.node].push_back(place.format);
      const auto* product = std::get_if<ProductStage>(&stage);
      if (!product) continue;
      const Format operands = product->a.place.format;
      product_formats_[{product->a.place.node, product->b.place.node}] = operands;
      matmul_.in = operands;
      // What an epilogue makes goes back to Dst before it is packed.
      if (product->epilogue && !matmul_.dst32()) in_memory_[place.node].push_back(Format::Bf16);
    }
    for (Graph::Node node = 0; node < graph.size(); ++node) {
      for (std::size_t i = 0; i < graph.item(node).source_count(); ++i) ++uses_[graph.item(node).sources[i]];
    }
  }

  // The node's `rows`; of a node of one row, that one, repeated.
  Rows rows_of(Graph::Node node, std::vector<std::uint32_t> rows) {
    const Graph::Item& item = graph_.item(node);
    if (item.shape.rows == 1) std::ranges::fill(rows, 0u);
    if (const auto known = known_.find({node, rows}); known != known_.end()) return known->second;
    Rows out{item.shape.columns, {}};
    out.values.reserve(rows.size() * out.columns);
    switch (item.kind) {
      case Graph::Item::Kind::Input: {
        const Tensor& t = inputs_.find(item.name)->second;
        for (const std::uint32_t row : rows) {
          for (std::uint32_t column = 0; column < t.columns; ++column)
            out.values.push_back(of_input(t, t.at(t.rows == 1 ? 0 : row, column)));
        }
        break;
      }
      case Graph::Item::Kind::Constant: {
        const double rounding = std::abs(item.constant - double{static_cast<float>(item.constant)});
        const bool integer = item.constant == std::trunc(item.constant);
        out.values.assign(rows.size() * out.columns, {item.constant, integer ? 0 : rounding});
        break;
      }
      case Graph::Item::Kind::Index:
      case Graph::Item::Kind::Random:
        for (const std::uint32_t row : rows) {
          for (std::uint32_t column = 0; column < out.columns; ++column) {
            const std::uint32_t number = row * out.columns + column;
            const std::uint32_t bits = item.kind == Graph::Item::Kind::Index ? number : threefry(number, item.key);
            out.values.push_back({static_cast<double>(static_cast<std::int32_t>(bits)), 0});
          }
        }
        break;
      case Graph::Item::Kind::Apply: apply(item, rows, out); break;
      case Graph::Item::Kind::Matmul: multiply(item, rows, out); break;
      case Graph::Item::Kind::Reduce: reduce(item, rows, out); break;
      case Graph::Item::Kind::Transpose: transpose(item, rows, out); break;
      case Graph::Item::Kind::Arrange: arrange(item, rows, out); break;
    }
    for (const Format format : in_memory_[node]) store(out, format);
    // Or else each use would compute all before it anew.
    if (uses_[node] > 1 && item.kind >= Graph::Item::Kind::Apply) known_.emplace(std::pair(node, rows), out);
    return out;
  }

 private:
  // Denormal numbers count as zeros.
  static Bounded of_input(const Tensor& t, double x) {
    const double least = kernels::is_integer(t.format) ? 0 : t.format == Format::Fp16 ? 0x1p-14 : 0x1p-126;
    return {x, std::abs(x) < least ? std::abs(x) : 0};
  }

  static std::vector<std::uint32_t> all_rows(std::uint32_t rows) {
    std::vector<std::uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }

  static void store(Rows& rows, Format format) {
    for (std::size_t first = 0; first < rows.values.size(); first += rows.columns) {
      for (std::uint32_t column = 0; column < rows.columns; column += 16) {
        const std::span<Bounded> together =
            std::span(rows.values).subspan(first + column, std::min(16u, rows.columns - column));
        double largest = 0;
        if (kernels::shares_exponents(format)) {
          for (const Bounded& x : together) {
            const double size = std::abs(x.value) + x.error;
            largest = std::isnan(size) ? std::numeric_limits<double>::infinity() : std::max(largest, size);
          }
        }
        for (Bounded& x : together) x = stored(x, format, largest);
      }
    }
  }

  void apply(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    Rows sources[3];
    const std::size_t count = item.source_count();
    for (std::size_t i = 0; i < count; ++i) sources[i] = rows_of(item.sources[i], rows);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::uint32_t column = 0; column < out.columns; ++column) {
        std::array<Bounded, 3> from{};
        for (std::size_t i = 0; i < count; ++i) from[i] = sources[i].row(row)[sources[i].columns == 1 ? 0 : column];
        out.values.push_back(graph::apply(item.operation, item.type == NodeType::Integer, count, from));
      }
    }
  }

  // One number of many: of the elements `at(0)` to `at(count - 1)`.
  template <class At>
  static Bounded reduced(const Graph::Item& item, std::size_t count, const At& at) {
    const kernels::Reduction kind = item.reduction;
    if (kind == kernels::Reduction::Sum) {
      Bounded sum;
      double sizes = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Bounded x = at(i);
        sum.value = item.type == NodeType::Integer ? evaluate_integers(kernels::Operation::Add, sum.value, x.value, 0)
                                                   : sum.value + x.value;
        sum.error += x.error, sizes += std::abs(x.value) + x.error;
      }
      if (item.type != NodeType::Integer) sum.error += error_of_sum(count, sizes);
      if (std::isnan(sum.error)) sum.error = std::numeric_limits<double>::infinity();
      return sum;
    }
    const bool largest = kind == kernels::Reduction::Maximum;
    const double sign = largest ? 1 : -1;
    double most = -std::numeric_limits<double>::infinity(), low = most, high = most;
    for (std::size_t i = 0; i < count; ++i) {
      const Bounded x = at(i);
      if (std::isnan(x.value)) return {x.value, std::numeric_limits<double>::infinity()};  // its sign decides
      most = std::max(most, sign * x.value);
      low = std::max(low, sign * x.value - x.error), high = std::max(high, sign * x.value + x.error);
    }
    return {sign * most, high == low ? 0 : std::max(high - most, most - low)};
  }

  void reduce(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Shape shape = graph_.item(item.sources[0]).shape;
    if (item.along == kernels::Along::Row) {
      const Rows source = rows_of(item.sources[0], rows);
      for (std::size_t row = 0; row < rows.size(); ++row)
        out.values.push_back(reduced(item, shape.columns, [&](std::size_t i) { return source.row(row)[i]; }));
      return;
    }
    const Rows source = rows_of(item.sources[0], all_rows(shape.rows));
    std::vector<Bounded> one;
    for (std::uint32_t column = 0; column < shape.columns; ++column)
      one.push_back(reduced(item, shape.rows, [&](std::size_t i) { return source.row(i)[column]; }));
    for (std::size_t row = 0; row < rows.size(); ++row) out.values.insert(out.values.end(), one.begin(), one.end());
  }

  void transpose(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Rows source = rows_of(item.sources[0], all_rows(item.shape.columns));
    for (const std::uint32_t row : rows) {
      for (std::uint32_t column = 0; column < item.shape.columns; ++column)
        out.values.push_back(source.row(column)[row]);
    }
  }

  // Element by element: its tile's number in the result says from which tile it comes.
  void arrange(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Shape from = graph_.item(item.sources[0]).shape;
    const Rows source = rows_of(item.sources[0], all_rows(from.rows));
    for (const std::uint32_t row : rows) {
      for (std::uint32_t column = 0; column < item.shape.columns; ++column) {
        std::uint32_t rest = row / 32 * grid(item.shape).columns + column / 32, tile = item.map.first;
        for (std::size_t k = 4; k-- > 0; rest /= item.map.sizes[k])
          tile += rest % item.map.sizes[k] * item.map.strides[k];
        const std::uint32_t source_row = tile / grid(from).columns * 32 + row % 32;
        const std::uint32_t source_column = tile % grid(from).columns * 32 + column % 32;
        out.values.push_back(source.row(source_row)[source_column]);
      }
    }
  }

  // left x right of what `of_left` and `of_right` make of their elements.
  template <class OfLeft, class OfRight>
  static std::vector<double> product(const Rows& left, const Rows& right, std::size_t rows, const OfLeft& of_left,
                                     const OfRight& of_right) {
    std::vector<double> a, b, out(rows * right.columns);
    std::ranges::transform(left.values, std::back_inserter(a), of_left);
    std::ranges::transform(right.values, std::back_inserter(b), of_right);
    graph::multiply<double>({a.data(), left.columns, rows, left.columns},
                            {b.data(), right.columns, left.columns, right.columns}, out.data());
    return out;
  }

  void multiply(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Rows left = rows_of(item.sources[0], rows);
    const Rows right = rows_of(item.sources[1], all_rows(graph_.item(item.sources[1]).shape.rows));
    constexpr auto value = [](const Bounded& x) { return x.value; };
    constexpr auto error = [](const Bounded& x) { return x.error; };
    constexpr auto square = [](const Bounded& x) { return x.value * x.value; };
    constexpr auto size = [](const Bounded& x) { return std::abs(x.value) + x.error; };
    const auto is_off = [](const Bounded& x) { return x.error != 0; };
    const std::vector<double> sums = product(left, right, rows.size(), value, value);
    const std::vector<double> squares = product(left, right, rows.size(), square, square);
    std::vector<double> carried(sums.size());
    const auto carry = [&](const std::vector<double>& more) {
      std::ranges::transform(carried, more, carried.begin(), std::plus());
    };
    if (std::ranges::any_of(left.values, is_off)) carry(product(left, right, rows.size(), error, size));
    if (std::ranges::any_of(right.values, is_off)) carry(product(left, right, rows.size(), size, error));
    kernels::MatmulOptions options = matmul_;
    options.in = product_formats_.at({item.sources[0], item.sources[1]});
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double own = error_of_product(options, left.columns, sums[i], squares[i]);
      const double all = carried[i] + own;
      out.values.push_back({sums[i], std::isnan(all) ? std::numeric_limits<double>::infinity() : all});
    }
  }

  const Graph& graph_;
  const Inputs& inputs_;
  kernels::MatmulOptions matmul_;
  std::vector<std::vector<Format>> in_memory_;                             // by node: what programs store it as
  std::map<std::pair<Graph::Node, Graph::Node>, Format> product_formats_;  // by operands
  std::vector<std::uint32_t> uses_;                                        // by node
  std::map<std::pair<Graph::Node, std::vector<std::uint32_t>>, Rows> known_;
};

// For each row of the result.
std::uint64_t work_a_row(const Graph& graph) {
  std::uint64_t work = 1;
  for (Graph::Node node = 0; node < graph.size(); ++node) {
    const Graph::Item& item = graph.item(node);
    const std::uint64_t depth = item.kind == Graph::Item::Kind::Matmul ? graph.item(item.sources[0]).shape.columns : 1;
    work += depth * item.shape.columns;
  }
  return work;
}

}  // namespace

Agreement check(const Graph& graph, const Inputs& inputs, const Tensor& result, const RunOptions& options) {
  Agreement agreement;
  agreement.rows = result.rows;
  agreement.format = result.format;
  const std::uint64_t most = std::max<std::uint64_t>(kMostWork / work_a_row(graph), 2);
  agreement.checked_rows = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, result.rows));
  std::vector<std::uint32_t> rows(agreement.checked_rows);
  for (std::uint32_t i = 0; i < rows.size(); ++i) {
    rows[i] =
        rows.size() == 1 ? 0 : static_cast<std::uint32_t>(std::uint64_t{i} * (result.rows - 1) / (rows.size() - 1));
  }
  const Rows exact = Exact(graph, inputs, options).rows_of(graph.result(), rows);
  AgreementSums sums;
  ElementBounds bounds;
  double errors = 0, squares = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint32_t column = 0; column < result.columns; ++column) {
      const Bounded expected = exact.row(i)[column];
      const double got = result.at(rows[i], column);
      if (std::isinf(expected.error)) {
        ++bounds.unbounded;
        continue;
      }
      // Where there is no number there must be none; which kind of none the format decides.
      if (!std::isfinite(expected.value)) {
        bounds.outside += std::isfinite(got);
        continue;
      }
      sums.add(expected.value, got);
      // Written so that a NaN is outside.
      if (!(std::abs(got - expected.value) <= expected.error)) ++bounds.outside;
      errors += expected.error * expected.error, squares += expected.value * expected.value;
    }
  }
  bounds.relative = squares > 0 ? std::sqrt(errors / squares) : 0;
  bounds.elements = rows.size() * result.columns;
  agreement.bounds = bounds;
  sums.finish(agreement);
  return agreement;
}

}  // namespace kerr::graph

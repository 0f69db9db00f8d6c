// A graph's result in float64.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/evaluate.hpp"
#include "graph/float64_product.hpp"
#include "graph/random.hpp"
#include "graph/run.hpp"

namespace kerr::graph {

namespace {

constexpr std::uint64_t kMostWork = std::uint64_t{1} << 31;  // products and operations

struct Rows {
  std::uint32_t columns = 0;
  std::vector<double> values;  // of the rows that were asked for, one after the other
};

class Exact {
 public:
  Exact(const Graph& graph, const Inputs& inputs) : graph_(graph), inputs_(inputs) {}

  // The node's `rows`; of a node of one row, that one, repeated.
  Rows rows_of(Graph::Node node, std::vector<std::uint32_t> rows) {
    const Graph::Item& item = graph_.item(node);
    if (item.shape.rows == 1) std::ranges::fill(rows, 0u);
    Rows out{item.shape.columns, {}};
    switch (item.kind) {
      case Graph::Item::Kind::Input: {
        const Tensor& t = inputs_.find(item.name)->second;
        for (const std::uint32_t row : rows) {
          for (std::uint32_t column = 0; column < t.columns; ++column)
            out.values.push_back(t.at(t.rows == 1 ? 0 : row, column));
        }
        break;
      }
      case Graph::Item::Kind::Constant: out.values.assign(rows.size() * out.columns, item.constant); break;
      case Graph::Item::Kind::Index:
      case Graph::Item::Kind::Random:
        for (const std::uint32_t row : rows) {
          for (std::uint32_t column = 0; column < out.columns; ++column) {
            const std::uint32_t number = row * out.columns + column;
            const std::uint32_t bits = item.kind == Graph::Item::Kind::Index ? number : threefry(number, item.key);
            out.values.push_back(static_cast<std::int32_t>(bits));
          }
        }
        break;
      case Graph::Item::Kind::Apply: apply(item, rows, out); break;
      case Graph::Item::Kind::Matmul: multiply(item, rows, out); break;
      case Graph::Item::Kind::Reduce: reduce(item, rows, out); break;
      case Graph::Item::Kind::Transpose: transpose(item, rows, out); break;
      case Graph::Item::Kind::Arrange: arrange(item, rows, out); break;
    }
    return out;
  }

 private:
  void apply(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    Rows sources[3];
    for (std::size_t i = 0; i < item.source_count(); ++i) sources[i] = rows_of(item.sources[i], rows);
    const bool integers = item.type == NodeType::Integer;
    out.values.reserve(rows.size() * out.columns);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      for (std::uint32_t column = 0; column < out.columns; ++column) {
        double x[3] = {};
        for (std::size_t i = 0; i < item.source_count(); ++i) {
          x[i] = sources[i].values[row * sources[i].columns + (sources[i].columns == 1 ? 0 : column)];
        }
        out.values.push_back(integers ? evaluate_integers(item.operation, x[0], x[1], x[2])
                                      : evaluate(item.operation, x[0], x[1], x[2]));
      }
    }
  }

  void reduce(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Shape shape = graph_.item(item.sources[0]).shape;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const kernels::Reduction kind = item.reduction;
    const bool integers = item.type == NodeType::Integer;
    const auto combine = [&](double a, double b) {
      return kind == kernels::Reduction::Maximum   ? std::max(a, b)
             : kind == kernels::Reduction::Minimum ? std::min(a, b)
             : integers                            ? evaluate_integers(kernels::Operation::Add, a, b, 0)
                                                   : a + b;
    };
    const double first = kind == kernels::Reduction::Maximum   ? -kInfinity
                         : kind == kernels::Reduction::Minimum ? kInfinity
                                                               : 0;
    if (item.along == kernels::Along::Row) {
      const Rows source = rows_of(item.sources[0], rows);
      for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto from = source.values.begin() + static_cast<std::ptrdiff_t>(row * source.columns);
        out.values.push_back(std::accumulate(from, from + source.columns, first, combine));
      }
      return;
    }
    std::vector<std::uint32_t> all(shape.rows);
    std::iota(all.begin(), all.end(), 0u);
    const Rows source = rows_of(item.sources[0], all);
    std::vector<double> one(shape.columns, first);
    for (std::size_t i = 0; i < source.values.size(); ++i)
      one[i % shape.columns] = combine(one[i % shape.columns], source.values[i]);
    for (std::size_t row = 0; row < rows.size(); ++row) out.values.insert(out.values.end(), one.begin(), one.end());
  }

  void transpose(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    std::vector<std::uint32_t> all(item.shape.columns);
    std::iota(all.begin(), all.end(), 0u);
    const Rows source = rows_of(item.sources[0], all);
    for (const std::uint32_t row : rows) {
      for (std::uint32_t column = 0; column < item.shape.columns; ++column) {
        out.values.push_back(source.values[std::size_t{column} * source.columns + row]);
      }
    }
  }

  // Element by element: its tile's number in the result says from which tile it comes.
  void arrange(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Shape from = graph_.item(item.sources[0]).shape;
    std::vector<std::uint32_t> all(from.rows);
    std::iota(all.begin(), all.end(), 0u);
    const Rows source = rows_of(item.sources[0], all);
    for (const std::uint32_t row : rows) {
      for (std::uint32_t column = 0; column < item.shape.columns; ++column) {
        std::uint32_t rest = row / 32 * grid(item.shape).columns + column / 32, tile = item.map.first;
        for (std::size_t k = 4; k-- > 0; rest /= item.map.sizes[k])
          tile += rest % item.map.sizes[k] * item.map.strides[k];
        const std::uint32_t source_row = tile / grid(from).columns * 32 + row % 32;
        const std::uint32_t source_column = tile % grid(from).columns * 32 + column % 32;
        out.values.push_back(source.values[std::size_t{source_row} * source.columns + source_column]);
      }
    }
  }

  void multiply(const Graph::Item& item, const std::vector<std::uint32_t>& rows, Rows& out) {
    const Rows left = rows_of(item.sources[0], rows);
    std::vector<std::uint32_t> all(graph_.item(item.sources[1]).shape.rows);
    std::iota(all.begin(), all.end(), 0u);
    const Rows right = rows_of(item.sources[1], all);
    out.values.resize(rows.size() * out.columns);
    graph::multiply<double>({left.values.data(), left.columns, rows.size(), left.columns},
                            {right.values.data(), right.columns, all.size(), right.columns}, out.values.data());
  }

  const Graph& graph_;
  const Inputs& inputs_;
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

Agreement check(const Graph& graph, const Inputs& inputs, const Tensor& result) {
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
  const Rows exact = Exact(graph, inputs).rows_of(graph.result(), rows);
  AgreementSums sums;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::uint32_t column = 0; column < result.columns; ++column) {
      const double expected = exact.values[i * exact.columns + column];
      const double got = result.at(rows[i], column);
      // Where there is no number there must be none; which kind of none the format decides.
      if (std::isfinite(expected)) {
        sums.add(expected, got);
      } else {
        sums.add(0, std::isfinite(got) ? std::numeric_limits<double>::infinity() : 0);
      }
    }
  }
  sums.finish(agreement);
  return agreement;
}

}  // namespace kerr::graph

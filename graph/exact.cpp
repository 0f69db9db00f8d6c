// A graph's result in float64, and how far the device's may be from it.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "graph/bounds.hpp"
#include "graph/evaluate.hpp"
#include "graph/float64_product.hpp"
#include "graph/random.hpp"
#include "graph/run.hpp"
#include "graph/sampled_sums.hpp"
#include "graph/stages.hpp"

namespace kerr::graph {

namespace {

constexpr uint64_t kMostWork = uint64_t{1} << 31;  // products and operations
constexpr double kMostOpen = 0.02;                 // of a sum: what its parts may be that may be almost anything

struct Rows {
  uint32_t columns = 0;
  std::vector<Bounded> values;  // of the rows that were asked for, one after the other
  std::span<const Bounded> row(size_t i) const { return std::span(values).subspan(i * columns, columns); }
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
      if (matmul_.dst32()) from_fp32_.insert(place.node);
      // What an epilogue makes goes back to Dst before it is packed.
      if (product->epilogue && !matmul_.dst32()) in_memory_[place.node].push_back(Format::Bf16);
    }
    for (Graph::Node node = 0; node < graph.size(); ++node) {
      for (size_t i = 0; i < graph.item(node).source_count(); ++i) ++uses_[graph.item(node).sources[i]];
    }
  }

  // The node's `rows`; of a node of one row, that one, repeated. `as_integer`: of a node that can be either.
  Rows rows_of(Graph::Node node, std::vector<uint32_t> rows, bool as_integer = false) {
    const Graph::Item& item = graph_.item(node);
    if (item.type != NodeType::Either) as_integer = item.type == NodeType::Integer;
    if (item.shape.rows == 1) std::ranges::fill(rows, 0u);
    const auto key = std::tuple(node, as_integer, rows);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    Rows out{item.shape.columns, {}};
    out.values.reserve(rows.size() * out.columns);
    switch (item.kind) {
      case Graph::Item::Kind::Input: {
        const Tensor& t = inputs_.find(item.name)->second;
        for (const uint32_t row : rows) {
          for (uint32_t column = 0; column < t.columns; ++column)
            out.values.push_back(of_input(t, t.at(t.rows == 1 ? 0 : row, column)));
        }
        break;
      }
      case Graph::Item::Kind::Constant:
        out.values.assign(rows.size() * out.columns,
                          of_number(item.constant, static_cast<float>(item.constant), as_integer));
        break;
      case Graph::Item::Kind::Index:
      case Graph::Item::Kind::Random:
        for (const uint32_t row : rows) {
          for (uint32_t column = 0; column < out.columns; ++column) {
            const uint32_t number = row * out.columns + column;
            const uint32_t bits = item.kind == Graph::Item::Kind::Index ? number : threefry(number, item.key);
            out.values.push_back(Bounded::exactly(static_cast<double>(static_cast<int32_t>(bits))));
          }
        }
        break;
      case Graph::Item::Kind::Apply: apply(item, rows, as_integer, out); break;
      case Graph::Item::Kind::Matmul:
        multiply(item, rows, in_memory_[node].empty() ? Format::Bf16 : in_memory_[node].front(), out);
        break;
      case Graph::Item::Kind::Reduce: reduce(item, rows, out); break;
      case Graph::Item::Kind::Transpose: transpose(item, rows, out); break;
      case Graph::Item::Kind::Arrange: arrange(item, rows, out); break;
    }
    // The vector unit keeps no denormals when it stores; what only moves tiles does.
    if (item.kind == Graph::Item::Kind::Constant || item.kind == Graph::Item::Kind::Apply)
      std::ranges::transform(out.values, out.values.begin(), as_operand);
    // A program may compute anew what another one has stored, so that one use has the number and one what memory made
    // of it.
    const bool twice =
        !in_memory_[node].empty() && (uses_[node] > 1 || item.kind == Graph::Item::Kind::Constant || item.folded);
    const std::vector<Bounded> computed = twice ? out.values : std::vector<Bounded>();
    for (const Format format : in_memory_[node]) {  // what can be of either type may lie there as both
      if (item.type != NodeType::Either || as_integer == kernels::is_integer(format))
        store(out, format, from_fp32_.contains(node));
    }
    for (size_t i = 0; i < computed.size(); ++i) out.values[i] = either(out.values[i], computed[i]);
    // Or else each use would compute all before it anew.
    if (uses_[node] > 1 && item.kind >= Graph::Item::Kind::Apply) known_.emplace(key, out);
    return out;
  }

 private:
  // Denormals of FP32 reach the vector unit as they are, others as zeros or as they are.
  static Bounded of_input(const Tensor& t, double x) {
    Bounded out = Bounded::exactly(x);
    if (x == 0 && t.format != Format::Fp32) out.low = -0.0, out.high = 0.0;  // formats of 16 bits may lose its sign
    const double least = kernels::is_integer(t.format) ? 0 : t.format == Format::Fp16 ? 0x1p-14 : kLeastFp32;
    if (x == 0 || !(std::abs(x) < least)) return out;
    out.denormal = true;
    out.of_fp16 = t.format == Format::Fp16;
    if (t.format != Format::Fp32) out.low = std::min(x, 0.0), out.high = std::max(x, 0.0);
    return out;
  }

  // What is written down: `exact`, which the device has as `given`.
  static Bounded of_number(double exact, float given, bool as_integer) {
    if (as_integer) return Bounded::exactly(static_cast<double>(static_cast<int32_t>(static_cast<int64_t>(exact))));
    Bounded out = Bounded::exactly(given);
    if (!std::isfinite(given)) return out;
    out.denormal = given != 0 && std::abs(given) < kLeastFp32;
    out.flushed = given == 0 && exact != 0;
    if (given == 0) return out;
    out.value = exact, out.low = std::min<double>(given, exact), out.high = std::max<double>(given, exact);
    out.open = !(out.high - out.low <= kMostOpen * std::abs(exact));  // as the sine of a large number
    return out;
  }

  static std::vector<uint32_t> all_rows(uint32_t rows) {
    std::vector<uint32_t> all(rows);
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }

  static void store(Rows& rows, Format format, bool from_fp32) {
    for (size_t first = 0; first < rows.values.size(); first += rows.columns) {
      for (uint32_t column = 0; column < rows.columns; column += 16) {
        const std::span<Bounded> together =
            std::span(rows.values).subspan(first + column, std::min(16u, rows.columns - column));
        store_together(together, format, 0, from_fp32);
      }
    }
  }

  void apply(const Graph::Item& item, const std::vector<uint32_t>& rows, bool as_integer, Rows& out) {
    if (item.folded) {
      const Folded& number = *item.folded;
      const double exact = as_integer ? number.as_integer : number.exact;
      out.values.assign(rows.size(), of_number(exact, number.as_float, as_integer));
      return;
    }
    Rows sources[3];
    const size_t count = item.source_count();
    const bool want = sources_as_integers(kernels::info(item.operation), as_integer);
    for (size_t i = 0; i < count; ++i) sources[i] = rows_of(item.sources[i], rows, want);
    for (size_t row = 0; row < rows.size(); ++row) {
      for (uint32_t column = 0; column < out.columns; ++column) {
        std::array<Bounded, 3> from{};
        for (size_t i = 0; i < count; ++i) from[i] = sources[i].row(row)[sources[i].columns == 1 ? 0 : column];
        out.values.push_back(graph::apply(item.operation, as_integer, count, from));
      }
    }
  }

  // One number of many: of the elements `at(0)` to `at(count - 1)`.
  template <class At>
  static Bounded reduced(const Graph::Item& item, size_t count, const At& at) {
    if (item.reduction == kernels::Reduction::Sum)
      return item.type == NodeType::Integer ? integer_sum(count, at) : float_sum(count, at);
    const double sign = item.reduction == kernels::Reduction::Maximum ? 1 : -1;
    // By the order in which NaN is beyond infinity, on the side of its sign; it begins with infinity of the other sign.
    double value = -kInfinity, low = -kInfinity, high = -kInfinity, likely = -kInfinity;
    bool is_nan = false, may_be_nan = false, likely_nan = false, denormal = false, of_fp16 = false, open = false;
    for (size_t i = 0; i < count; ++i) {
      const Bounded x = at(i);
      open = open || x.told() == Told::Not;
      const bool above = sign > 0 ? x.plus_nan : x.minus_nan, below = sign > 0 ? x.minus_nan : x.plus_nan;
      may_be_nan = may_be_nan || above;
      is_nan = is_nan || (above && !below && !x.number());
      likely_nan = likely_nan || (std::isnan(x.likely) && std::signbit(x.likely) == (sign < 0));
      denormal = denormal || x.denormal, of_fp16 = of_fp16 || x.of_fp16;
      if (!std::isnan(x.value)) value = std::max(value, sign * x.value);
      if (!std::isnan(x.likely)) likely = std::max(likely, sign * x.likely);
      if (!x.number()) continue;
      if (!below) low = std::max(low, sign > 0 ? x.low : -x.high);
      high = std::max(high, sign > 0 ? x.high : -x.low);
    }
    const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
    Bounded out = Bounded::exactly(nan);
    if (is_nan) return out;
    out = {.value = sign * value, .low = sign * (sign > 0 ? low : high), .high = sign * (sign > 0 ? high : low)};
    out.likely = likely_nan ? nan : sign * likely;
    (sign > 0 ? out.plus_nan : out.minus_nan) = may_be_nan;
    out.open = open;
    // If the largest is a denormal it may have become zero.
    const double least = of_fp16 ? 0x1p-14 : kLeastFp32;
    const auto tiny = [&](double end) { return end != 0 && std::abs(end) < least; };
    out.denormal = denormal && (tiny(out.low) || tiny(out.high)), out.of_fp16 = of_fp16;
    if (out.denormal && tiny(out.low)) out.low = std::min(out.low, 0.0);
    if (out.denormal && tiny(out.high)) out.high = std::max(out.high, 0.0);
    if (out.low == 0 && out.high == 0) out.low = -0.0, out.high = 0.0;  // which of several zeros is nobody's promise
    return out;
  }

  template <class At>
  static Bounded integer_sum(size_t count, const At& at) {
    double sum = 0, error = 0;
    bool open = false;
    for (size_t i = 0; i < count; ++i) {
      const Bounded x = at(i);
      sum = evaluate_integers(kernels::Operation::Add, sum, x.value, 0);
      error += x.error();
      open = open || x.told() == Told::Not;
    }
    if (!(sum + error < 0x1p31 && sum - error >= -0x1p31)) return Bounded::anything(sum);
    Bounded out = Bounded::around(sum, error);
    out.open = open;
    return out;
  }

  // Added up in an order that is nobody's promise: so infinity counts whenever what is added may come as far.
  template <class At>
  static Bounded float_sum(size_t count, const At& at) {
    double sum = 0, low = 0, high = 0, sizes = 0, likely = 0, open = 0;
    bool negative = false, positive = false, nan = false, is_nan = false, plus = false, minus = false, is_plus = false,
         is_minus = false;
    for (size_t i = 0; i < count; ++i) {
      const Bounded x = as_operand(at(i));
      sum += x.value, likely += x.likely;
      if (x.told() == Told::Not) open += x.error();
      nan = nan || x.nan(), is_nan = is_nan || !x.number();
      if (!x.number()) continue;
      plus = plus || x.high == kInfinity, minus = minus || x.low == -kInfinity;
      is_plus = is_plus || (x.low == kInfinity && !x.nan()), is_minus = is_minus || (x.high == -kInfinity && !x.nan());
      low += x.low, high += x.high;
      negative = negative || x.low < 0, positive = positive || x.high > 0;
      sizes += std::max(std::abs(x.low), std::abs(x.high));
    }
    Bounded out;
    if (is_nan || (is_plus && is_minus)) return Bounded::exactly(std::numeric_limits<double>::quiet_NaN());
    if (plus || minus || nan) {
      if (is_plus && !minus && !nan) return Bounded::exactly(kInfinity);
      if (is_minus && !plus && !nan) return Bounded::exactly(-kInfinity);
      out = Bounded::anything(sum);
      if (!nan && !(plus && minus)) out.plus_nan = out.minus_nan = false;
      out.minus_nan = false;
      out.likely = likely;
      return out;
    }
    // Each sum on the way that is denormal is zero.
    const double own = error_of_sum(count, sizes) + (sizes > 0 ? static_cast<double>(count) * kLeastFp32 : 0);
    out = {.value = sum, .low = low - own, .high = high + own, .likely = static_cast<float>(likely)};
    out.open = open > kMostOpen * std::abs(sum);
    // Sums of fewer and fewer numbers, so that none on the way is larger than all sizes together. Of both signs two of
    // them may be infinite.
    if (sizes + own > kLargestFp32 && negative && positive) {
      out = Bounded::anything(std::abs(sum) >= kInfinityFrom ? std::copysign(kInfinity, sum) : sum);
      out.likely = static_cast<float>(likely);
      return out;
    }
    if (sizes + own > kLargestFp32) {
      out.high = kInfinity;
      if (negative) out.high = std::min(0.0, high + own), out.low = -kInfinity;
      if (std::abs(sum) >= kInfinityFrom) out.value = std::copysign(kInfinity, sum);
      if (low - own >= kInfinityFrom) return Bounded::exactly(kInfinity);
      if (high + own <= -kInfinityFrom) return Bounded::exactly(-kInfinity);
    }
    if (sizes < kLeastFp32 && sizes > 0) out.low = std::min(out.low, -0.0), out.high = std::max(out.high, 0.0);
    return out;
  }

  void reduce(const Graph::Item& item, const std::vector<uint32_t>& rows, Rows& out) {
    const Shape shape = graph_.item(item.sources[0]).shape;
    if (item.along == kernels::Along::Row) {
      const Rows source = rows_of(item.sources[0], rows);
      for (size_t row = 0; row < rows.size(); ++row)
        out.values.push_back(reduced(item, shape.columns, [&](size_t i) { return source.row(row)[i]; }));
      return;
    }
    const Rows source = rows_of(item.sources[0], all_rows(shape.rows));
    std::vector<Bounded> one;
    for (uint32_t column = 0; column < shape.columns; ++column)
      one.push_back(reduced(item, shape.rows, [&](size_t i) { return source.row(i)[column]; }));
    for (size_t row = 0; row < rows.size(); ++row) out.values.insert(out.values.end(), one.begin(), one.end());
  }

  void transpose(const Graph::Item& item, const std::vector<uint32_t>& rows, Rows& out) {
    const Rows source = rows_of(item.sources[0], all_rows(item.shape.columns));
    for (const uint32_t row : rows) {
      for (uint32_t column = 0; column < item.shape.columns; ++column) out.values.push_back(source.row(column)[row]);
    }
  }

  // Element by element: its tile's number in the result says from which tile it comes.
  void arrange(const Graph::Item& item, const std::vector<uint32_t>& rows, Rows& out) {
    const Shape from = graph_.item(item.sources[0]).shape;
    const Rows source = rows_of(item.sources[0], all_rows(from.rows));
    for (const uint32_t row : rows) {
      for (uint32_t column = 0; column < item.shape.columns; ++column) {
        uint32_t rest = row / kTileDim * grid(item.shape).columns + column / kTileDim, tile = item.map.first;
        for (size_t k = 4; k-- > 0; rest /= item.map.sizes[k]) tile += rest % item.map.sizes[k] * item.map.strides[k];
        const uint32_t source_row = tile / grid(from).columns * kTileDim + row % kTileDim;
        const uint32_t source_column = tile % grid(from).columns * kTileDim + column % kTileDim;
        out.values.push_back(source.row(source_row)[source_column]);
      }
    }
  }

  // left x right of what `of_left` and `of_right` make of their elements.
  template <class OfLeft, class OfRight>
  static std::vector<double> product(const Rows& left, const Rows& right, size_t rows, const OfLeft& of_left,
                                     const OfRight& of_right) {
    std::vector<double> a, b, out(rows * right.columns);
    std::ranges::transform(left.values, std::back_inserter(a), of_left);
    std::ranges::transform(right.values, std::back_inserter(b), of_right);
    graph::multiply<double>({a.data(), left.columns, rows, left.columns},
                            {b.data(), right.columns, left.columns, right.columns}, out.data());
    return out;
  }

  void multiply(const Graph::Item& item, const std::vector<uint32_t>& rows, Format out_format, Rows& out) {
    const Rows left = rows_of(item.sources[0], rows);
    const Rows right = rows_of(item.sources[1], all_rows(graph_.item(item.sources[1]).shape.rows));
    // The matrix unit has neither infinity nor NaN: both are numbers from 2^128 on, and denormals are zeros.
    const auto value = [&](const Bounded& x) {
      if (std::isnan(x.value)) return std::copysign(0x1.8p128, x.value);
      const double of = as_operand(x).value;
      return std::isinf(of) ? std::copysign(0x1p128, of) : std::abs(of) < kLeastFp32 ? 0 : of;
    };
    const auto likely = [&](const Bounded& x) { return std::isfinite(x.likely) ? x.likely : value(x); };
    const auto error = [&](const Bounded& x) {
      if (!x.number() && x.nan()) return 0x1p127;
      return x.denormal ? std::max(std::abs(x.low), std::abs(x.high)) : x.error();
    };
    const auto square = [&](const Bounded& x) { return value(x) * value(x); };
    const auto size = [&](const Bounded& x) { return std::abs(value(x)) + error(x); };
    const auto open = [&](const Bounded& x) { return x.told() == Told::Not && std::isfinite(error(x)) ? error(x) : 0; };
    const std::vector<double> sums = product(left, right, rows.size(), value, value);
    const std::vector<double> squares = product(left, right, rows.size(), square, square);
    // What errors of the operands may make of the sums.
    const auto in_sums = [&](const auto& error_of) {
      std::vector<double> all(sums.size());
      const auto add = [&](const std::vector<double>& more) {
        std::ranges::transform(all, more, all.begin(), std::plus());
      };
      const auto is_off = [&](const Bounded& x) { return error_of(x) != 0; };
      if (std::ranges::any_of(left.values, is_off)) add(product(left, right, rows.size(), error_of, size));
      if (std::ranges::any_of(right.values, is_off)) add(product(left, right, rows.size(), size, error_of));
      return all;
    };
    const std::vector<double> carried = in_sums(error), opened = in_sums(open);
    const auto largest = [&](const Rows& of) {
      double most = 0;
      for (const Bounded& x : of.values) most = std::max(most, std::abs(value(x)));
      return most;
    };
    std::vector<double> sizes;  // where a sum on the way may be infinity
    const bool large = largest(left) * largest(right) * left.columns >= 0x1p127;
    if (large) sizes = product(left, right, rows.size(), size, size);
    kernels::MatmulOptions options = matmul_;
    options.in = product_formats_.at({item.sources[0], item.sources[1]});
    options.out = out_format;
    const SampledSums sample(
        options, rows.size(), right.columns, left.columns,
        [&](size_t row, size_t k) { return likely(left.row(row)[k]); },
        [&](size_t k, size_t column) { return likely(right.row(k)[column]); });
    for (size_t i = 0; i < sums.size(); ++i) {
      Bounded x = sample.element(i / right.columns, i % right.columns, sums[i], squares[i]);
      if (std::isnan(carried[i]) || std::isinf(carried[i])) {
        const double before = x.likely;
        x = Bounded::anything(x.value), x.likely = before;
      } else if (carried[i] != 0) {
        x.low -= carried[i], x.high += carried[i];
        x.open = opened[i] > kMostOpen * std::abs(sums[i]);
      }
      if (large && sizes[i] >= 0x1p127) {
        // A later phase of larger exponents takes infinity in Dst for 2^128, and shifts it out (tensix-math.md 4.3).
        const bool stays = options.fidelity == kernels::Fidelity::LoFi || sizes[i] < 0x1p140;
        const bool one_sign = stays && sizes[i] - std::abs(sums[i]) <= 1e-3 * sizes[i];
        x = one_sign && std::abs(sums[i]) >= 0x1.01p128 ? Bounded::exactly(std::copysign(kInfinity, sums[i]))
                                                        : Bounded::anything(sums[i]);
        x.plus_nan = x.minus_nan = false;  // which the matrix unit never makes
      }
      out.values.push_back(x);
    }
  }

  const Graph& graph_;
  const Inputs& inputs_;
  kernels::MatmulOptions matmul_;
  std::vector<std::vector<Format>> in_memory_;                             // by node: what programs store it as
  std::map<std::pair<Graph::Node, Graph::Node>, Format> product_formats_;  // by operands
  std::set<Graph::Node> from_fp32_;                                        // results of products in a Dst of FP32
  std::vector<uint32_t> uses_;                                             // by node
  std::map<std::tuple<Graph::Node, bool, std::vector<uint32_t>>, Rows> known_;
};

// For each row of the result.
uint64_t work_a_row(const Graph& graph) {
  uint64_t work = 1;
  for (Graph::Node node = 0; node < graph.size(); ++node) {
    const Graph::Item& item = graph.item(node);
    const uint64_t depth = item.kind == Graph::Item::Kind::Matmul ? graph.item(item.sources[0]).shape.columns : 1;
    work += depth * item.shape.columns;
  }
  return work;
}

}  // namespace

Agreement check(const Graph& graph, const Inputs& inputs, const Tensor& result, const RunOptions& options) {
  Agreement agreement;
  agreement.rows = result.rows;
  agreement.format = result.format;
  const uint64_t most = std::max<uint64_t>(kMostWork / work_a_row(graph), 2);
  agreement.checked_rows = static_cast<uint32_t>(std::min<uint64_t>(most, result.rows));
  std::vector<uint32_t> rows(agreement.checked_rows);
  for (uint32_t i = 0; i < rows.size(); ++i) {
    rows[i] = rows.size() == 1 ? 0 : static_cast<uint32_t>(uint64_t{i} * (result.rows - 1) / (rows.size() - 1));
  }
  const Rows exact = Exact(graph, inputs, options).rows_of(graph.result(), rows);
  ElementChecks checks(result.format);
  for (size_t i = 0; i < rows.size(); ++i) {
    for (uint32_t column = 0; column < result.columns; ++column)
      checks.add(exact.row(i)[column], result.at(rows[i], column));
  }
  checks.finish(agreement);
  return agreement;
}

}  // namespace kerr::graph

#include "graph/graph.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "graph/evaluate.hpp"

namespace kerr::graph {

namespace {

void check(Shape shape, std::string_view what) {
  if (shape.rows >= 1 && shape.columns >= 1 && shape.rows <= kLargestSize && shape.columns <= kLargestSize) return;
  throw std::invalid_argument(
      fmt::format("{} is {}: rows and columns must be from 1 to {}", what, shape.text(), kLargestSize));
}

uint32_t common(uint32_t a, uint32_t b, bool& fits) {
  if (a == b || b == 1) return a;
  if (a != 1) fits = false;
  return b;
}

// What lies in memory is one of both.
NodeType settled(NodeType type) { return type == NodeType::Either ? NodeType::Float : type; }

}  // namespace

std::string Shape::text() const { return fmt::format("{}x{}", rows, columns); }

size_t Graph::Item::source_count() const {
  switch (kind) {
    case Kind::Apply: return kernels::info(operation).sources;
    case Kind::Matmul: return 2;
    case Kind::Reduce:
    case Kind::Transpose:
    case Kind::Arrange: return 1;
    default: return 0;
  }
}

Graph::Node Graph::add(Item item) {
  items_.push_back(std::move(item));
  return result_ = size() - 1;
}

Graph::Node Graph::input(std::string_view name, const Matrix& matrix) {
  check(matrix.shape, name);
  for (Node node = 0; node < size(); ++node) {
    const Item& item = items_[node];
    if (item.kind != Item::Kind::Input || item.name != name) continue;
    if (item.shape == matrix.shape && item.format == matrix.format) return result_ = node;
    throw std::invalid_argument(
        fmt::format("{} is {} in one place and {} in another", name, item.shape.text(), matrix.shape.text()));
  }
  return add({.kind = Item::Kind::Input,
              .shape = matrix.shape,
              .type = matrix.format && kernels::is_integer(*matrix.format) ? NodeType::Integer : NodeType::Float,
              .name = std::string(name),
              .format = matrix.format});
}

Graph::Node Graph::fill(Shape shape, double value) {
  check(shape, "a matrix of one number");
  const bool whole = std::nearbyint(value) == value && value >= -0x1p31 && value < 0x1p32;
  Item made{.kind = Item::Kind::Constant,
            .shape = shape,
            .type = whole ? NodeType::Either : NodeType::Float,
            .constant = value};
  if (shape == Shape{}) {
    made.folded = {.exact = value, .as_float = static_cast<float>(value)};
    if (whole) made.folded->as_integer = static_cast<int32_t>(static_cast<int64_t>(value));
  }
  return add(std::move(made));
}

Graph::Node Graph::index(Shape shape) {
  check(shape, "a matrix of numbers");
  return add({.kind = Item::Kind::Index, .shape = shape, .type = NodeType::Integer});
}

Graph::Node Graph::random(Shape shape, uint64_t key) {
  check(shape, "a random matrix");
  return add({.kind = Item::Kind::Random, .shape = shape, .type = NodeType::Integer, .key = key});
}

NodeType Graph::result_type(std::span<const Node> sources, const kernels::OperationInfo& what) const {
  std::array<kernels::Type, 3> types{};
  const auto with = [&](kernels::Type either) {
    for (size_t i = 0; i < sources.size(); ++i) {
      const NodeType type = item(sources[i]).type;
      types[i] = type == NodeType::Either    ? either
                 : type == NodeType::Integer ? kernels::Type::Integer
                                             : kernels::Type::Float;
    }
    return kernels::result_type(what, std::span(types).first(sources.size()));
  };
  const auto as_float = with(kernels::Type::Float), as_integer = with(kernels::Type::Integer);
  if (!as_float && !as_integer) throw std::invalid_argument(kernels::types_text(what));
  if (as_float && as_integer && *as_float != *as_integer) return NodeType::Either;
  return (as_float ? *as_float : *as_integer) == kernels::Type::Integer ? NodeType::Integer : NodeType::Float;
}

Graph::Node Graph::apply(kernels::Operation operation, std::span<const Node> sources) {
  const kernels::OperationInfo& what = kernels::info(operation);
  if (sources.size() != what.sources) {
    throw std::invalid_argument(fmt::format("{} takes {} operand{}, not {}", what.name, what.sources,
                                            what.sources == 1 ? "" : "s", sources.size()));
  }
  Shape shape;
  bool fits = true;
  for (const Node source : sources) {
    const Shape other = item(source).shape;
    shape = {common(shape.rows, other.rows, fits), common(shape.columns, other.columns, fits)};
    if (!fits) {
      throw std::invalid_argument(fmt::format("{}: {} does not fit {}; rows and columns must be equal or 1", what.name,
                                              other.text(), item(sources[0]).shape.text()));
    }
  }
  Item made{.kind = Item::Kind::Apply, .shape = shape, .type = result_type(sources, what), .operation = operation};
  if (operation == kernels::Operation::Power) {
    const auto& exponent = item(sources[1]).folded;
    const float n = exponent ? exponent->as_float : 0;
    if (n >= 2 && n <= kLargestExponent && n == std::trunc(n)) return whole_power(sources[0], static_cast<uint32_t>(n));
  }
  std::ranges::copy(sources, made.sources.begin());
  made.folded = fold(made);
  return add(std::move(made));
}

// By the exponent's bits, from the upper one on: each doubles what there is, by a square, and may add one, by a
// product.
Graph::Node Graph::whole_power(Node base, uint32_t exponent) {
  Node power = base;
  for (uint32_t bit = std::bit_floor(exponent) / 2; bit != 0; bit /= 2) {
    power = apply(kernels::Operation::Square, {&power, 1});
    if ((exponent & bit) == 0) continue;
    const Node both[] = {power, base};
    power = apply(kernels::Operation::Multiply, both);
  }
  return power;
}

std::optional<Folded> Graph::fold(const Item& made) const {
  std::array<const Folded*, 3> from{};
  std::array<bool, 3> integers{};  // of sources that are nothing else
  for (size_t i = 0; i < made.source_count(); ++i) {
    const Item& source = item(made.sources[i]);
    if (!source.folded) return std::nullopt;
    from[i] = &*source.folded;
    integers[i] = source.type == NodeType::Integer;
  }
  const auto read = [&](size_t i, bool as_integer) {
    if (!from[i]) return 0.0;
    return as_integer || integers[i] ? double{static_cast<double>(from[i]->as_integer)} : double{from[i]->as_float};
  };
  const auto exact = [&](size_t i) {
    return !from[i] ? 0.0 : integers[i] ? static_cast<double>(from[i]->as_integer) : from[i]->exact;
  };
  const kernels::Operation operation = made.operation;
  const bool to_integer = kernels::info(operation).types == kernels::OperationTypes::ToInteger;
  Folded out;
  if (made.type != NodeType::Float) {  // of floats to integers, the sources are floats unless they can be nothing else
    const double value = evaluate_integers(operation, read(0, !to_integer), read(1, true), read(2, true));
    out.as_integer = static_cast<int32_t>(static_cast<int64_t>(value));
  }
  if (made.type != NodeType::Integer) {
    out.as_float = in_fp32(operation, read(0, false), read(1, false), read(2, false));
    out.exact = evaluate(operation, exact(0), exact(1), exact(2));
  }
  return out;
}

Graph::Node Graph::cast(Format format, Node a) {
  const auto operation = [&] {
    switch (format) {
      case Format::Fp16: return kernels::Operation::ToFp16;
      case Format::Bf16: return kernels::Operation::ToBf16;
      case Format::Int32: return kernels::Operation::ToInt32;
      case Format::Int16: return kernels::Operation::ToInt16;
      case Format::Uint16: return kernels::Operation::ToUint16;
      case Format::Int8: return kernels::Operation::ToInt8;
      case Format::Uint8: return kernels::Operation::ToUint8;
      default: return kernels::Operation::ToFp32;
    }
  };
  const Node made = apply(operation(), {&a, 1});
  items_[made].format = format;
  return made;
}

Graph::Node Graph::matmul(Node a, Node b) {
  const Shape left = item(a).shape, right = item(b).shape;
  if (left.columns != right.rows) {
    throw std::invalid_argument(fmt::format("{} @ {}: the {} columns of the left matrix meet {} rows of the right one",
                                            left.text(), right.text(), left.columns, right.rows));
  }
  // Sums of int8 products are integers.
  const bool integers = item(a).type == NodeType::Integer && item(b).type == NodeType::Integer;
  if (!integers && (item(a).type == NodeType::Integer || item(b).type == NodeType::Integer))
    throw std::invalid_argument("'@' cannot mix floats and integers; convert one with int8(...) or fp32(...)");
  return add({.kind = Item::Kind::Matmul,
              .shape = {left.rows, right.columns},
              .type = integers ? NodeType::Integer : NodeType::Float,
              .sources = {a, b}});
}

Graph::Node Graph::reduce(kernels::Reduction reduction, kernels::Along along, Node a) {
  const Shape shape = item(a).shape;
  return add({.kind = Item::Kind::Reduce,
              .shape = along == kernels::Along::Row ? Shape{shape.rows, 1} : Shape{1, shape.columns},
              .type = settled(item(a).type),
              .sources = {a},
              .reduction = reduction,
              .along = along});
}

Graph::Node Graph::transpose(Node a) {
  const Item& source = item(a);
  Item made{.kind = Item::Kind::Transpose,
            .shape = {source.shape.columns, source.shape.rows},
            .type = settled(source.type),
            .sources = {a}};
  return add(std::move(made));
}

Graph::Node Graph::slice(Node a, uint32_t row, uint32_t column, Shape shape) {
  const Shape all = item(a).shape;
  const auto refuse = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("slice of {} from row {} and column {} on of a matrix of {}: {}",
                                            shape.text(), row, column, all.text(), why));
  };
  const auto inside = [](uint64_t first, uint64_t count, uint64_t all_of_them) {
    return count >= 1 && first + count <= all_of_them;
  };
  if (!inside(row, shape.rows, all.rows) || !inside(column, shape.columns, all.columns)) refuse("it is not inside");
  if (row % kTileDim != 0 || column % kTileDim != 0)
    refuse("it must begin at multiples of 32, as tiles of 32 x 32 are moved");
  const auto cuts = [](uint32_t first, uint32_t count, uint32_t all_of_them) {
    return count % kTileDim != 0 && first + count != all_of_them;
  };
  const TileGrid from = grid(all), to = grid(shape);
  return add({.kind = Item::Kind::Arrange,
              .shape = shape,
              .type = settled(item(a).type),
              .sources = {a},
              .map = kernels::part_of_grid(to.rows, to.columns, from.columns,
                                           row / kTileDim * from.columns + column / kTileDim),
              .cuts_tiles = cuts(row, shape.rows, all.rows) || cuts(column, shape.columns, all.columns)});
}

Graph::Node Graph::tile(Node a, uint32_t down, uint32_t across) {
  const Shape all = item(a).shape;
  const auto refuse = [&](std::string_view why) {
    throw std::invalid_argument(fmt::format("{} x {} copies of a matrix of {}: {}", down, across, all.text(), why));
  };
  if (down < 1 || across < 1 || uint64_t{down} * all.rows > kLargestSize ||
      uint64_t{across} * all.columns > kLargestSize)
    refuse(fmt::format("there must be at least one, and rows and columns up to {} in all", kLargestSize));
  if ((down > 1 && all.rows % kTileDim != 0) || (across > 1 && all.columns % kTileDim != 0))
    refuse("whole tiles of 32 x 32 are moved: what is repeated must be a multiple of 32");
  const TileGrid from = grid(all);
  return add({.kind = Item::Kind::Arrange,
              .shape = {down * all.rows, across * all.columns},
              .type = settled(item(a).type),
              .sources = {a},
              .map = {.sizes = {down, from.rows, across, from.columns}, .strides = {0, from.columns, 0, 1}}});
}

Graph::Node Graph::permute(Node a, std::array<uint32_t, 2> blocks, std::array<uint32_t, 4> order) {
  const Shape all = item(a).shape;
  const auto refuse = [&](const std::string& why) {
    throw std::invalid_argument(fmt::format("permute of a matrix of {}: {}", all.text(), why));
  };
  const TileGrid g = grid(all);
  const std::array<uint32_t, 2> in_all{g.rows, g.columns}, elements{all.rows, all.columns};
  for (size_t i = 0; i < 2; ++i) {
    const char* what = i == 0 ? "rows" : "columns";
    if (elements[i] % kTileDim != 0) refuse(fmt::format("{} {} are not whole tiles of 32", elements[i], what));
    if (blocks[i] == 0 || in_all[i] % blocks[i] != 0)
      refuse(fmt::format("{} {} of tiles do not make {} equal blocks", in_all[i], what, blocks[i]));
  }
  std::array<uint32_t, 4> sorted = order;
  std::ranges::sort(sorted);
  if (sorted != std::array<uint32_t, 4>{0, 1, 2, 3}) refuse("the order must name each of the axes 0, 1, 2 and 3 once");
  const uint32_t in_row = g.rows / blocks[0], in_column = g.columns / blocks[1];
  const std::array sizes{blocks[0], in_row, blocks[1], in_column};
  const std::array strides{in_row * g.columns, g.columns, in_column, 1u};
  kernels::TileMap map;
  for (size_t i = 0; i < 4; ++i) {
    map.sizes[i] = sizes[order[i]];
    map.strides[i] = strides[order[i]];
  }
  return add({.kind = Item::Kind::Arrange,
              .shape = {kTileDim * map.sizes[0] * map.sizes[1], kTileDim * map.sizes[2] * map.sizes[3]},
              .type = settled(item(a).type),
              .sources = {a},
              .map = map});
}

bool sources_as_integers(const kernels::OperationInfo& operation, bool as_integer) {
  switch (operation.types) {
    case kernels::OperationTypes::Float:
    case kernels::OperationTypes::ToInteger:
    case kernels::OperationTypes::ToFloat: return false;
    case kernels::OperationTypes::Integer: return true;
    default: return as_integer;
  }
}

}  // namespace kerr::graph

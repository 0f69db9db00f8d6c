// What is to be computed with matrices: element by element, products, transposes, sums and maxima of rows and columns,
// tiles at other places.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "graph/tensor.hpp"
#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/layout/layout.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::graph {

struct Shape {
  uint32_t rows = 1, columns = 1;
  friend bool operator==(Shape, Shape) = default;
  std::string text() const;
};

struct TileGrid {
  uint32_t rows = 0, columns = 0;
  uint32_t tiles() const { return rows * columns; }
  friend bool operator==(TileGrid, TileGrid) = default;
};
inline TileGrid grid(Shape shape) { return {tiles_across(shape.rows), tiles_across(shape.columns)}; }

inline constexpr uint32_t kLargestExponent = 64;  // up to which powers are products

using kernels::kLargestSize;  // of rows and of columns

/// The matrix that a name means.
struct Matrix {
  Matrix(Shape shape_, std::optional<Format> format_ = {}) : shape(shape_), format(format_) {}
  Shape shape;
  std::optional<Format> format;  // none: floats of whatever format the graph is run with
};

/// A whole-number literal, and an expression of such literals only, is Either: it takes the type of its user.
enum class NodeType : uint8_t { Float, Integer, Either };

/// What is made of numbers that are written down is a number too, and no program computes it. An item that can be
/// either has both readings.
struct Folded {
  double exact = 0;  // the reading as floats, without rounding: the reference
  float as_float =
      0;  // every operation in float64, rounded to FP32; arithmetic takes denormals for zeros and makes none
  int32_t as_integer = 0;  // 32 bits, modulo 2^32
};

/// Nodes are made from nodes; the last one made is the result unless another one is named. Everything throws
/// std::invalid_argument with a sentence that names the shapes. A node of one row, one column or one element fits a
/// larger one: it is repeated.
class Graph {
 public:
  using Node = uint32_t;
  struct Item {
    enum class Kind : uint8_t { Input, Constant, Index, Random, Apply, Matmul, Reduce, Transpose, Arrange } kind;
    Shape shape;
    NodeType type = NodeType::Float;
    std::string name;                // Input
    std::optional<Format> format;    // Input: its own; Apply: a cast, which its result has in memory
    double constant = 0;             // Constant, in every element
    uint64_t key = 0;                // Random
    kernels::Operation operation{};  // Apply
    std::array<Node, 3> sources{};   // Apply: as many as the operation takes; Matmul: 2; Reduce, Transpose, Arrange: 1
    kernels::Reduction reduction{};  // Reduce
    kernels::Along along{};
    kernels::TileMap map{};          // Arrange, by the source's grid of tiles
    bool cuts_tiles = false;         // Arrange: its last tiles hold more of the source than belongs to it
    std::optional<Folded> folded{};  // of a single number, and of what is made of single numbers alone
    size_t source_count() const;
    /// Computed element by element, from what it is made of or from nothing.
    bool elementwise() const { return kind >= Kind::Constant && kind <= Kind::Apply; }
  };

  /// The same name twice is the same node.
  Node input(std::string_view name, const Matrix& matrix);
  Node constant(double value) { return fill({1, 1}, value); }
  Node fill(Shape shape, double value);
  /// Each element's number, row by row from 0 on; or 32 random bits, Threefry-2x32 (20 rounds) of that number with a
  /// key. Integers.
  Node index(Shape shape);
  Node random(Shape shape, uint64_t key);
  /// A power whose exponent is a single whole number from 2 to kLargestExponent is made of squares and products.
  Node apply(kernels::Operation operation, std::span<const Node> sources);
  /// To a format, in which the result lies in memory; between operations it keeps the format's numbers, but of BFP8 and
  /// BFP4 only memory does.
  Node cast(Format format, Node a);
  Node matmul(Node a, Node b);                                              // rows x k, k x columns
  Node reduce(kernels::Reduction reduction, kernels::Along along, Node a);  // rows x 1, or 1 x columns
  Node transpose(Node a);
  /// Rows `row` to `row` + shape.rows - 1, and columns likewise; both begin at multiples of kTileDim.
  Node slice(Node a, uint32_t row, uint32_t column, Shape shape);
  /// The matrix `down` times below itself and `across` times beside itself; what is repeated must be whole tiles.
  Node tile(Node a, uint32_t down, uint32_t across);
  /// The matrix as blocks: rows in `blocks[0]` blocks of rows, columns in `blocks[1]` blocks of columns, all of whole
  /// tiles. Axes 0 and 1 are a row's block and its place there, 2 and 3 a column's. The result has axes order[0] and
  /// order[1] as its rows, order[2] and order[3] as its columns; elements within tiles stay as they are.
  Node permute(Node a, std::array<uint32_t, 2> blocks, std::array<uint32_t, 4> order);

  const Item& item(Node node) const { return items_.at(node); }
  uint32_t size() const { return static_cast<uint32_t>(items_.size()); }
  Node result() const { return result_; }
  void set_result(Node node) { result_ = node; }

 private:
  Node add(Item item);
  std::optional<Folded> fold(const Item& item) const;
  Node whole_power(Node base, uint32_t exponent);
  NodeType result_type(std::span<const Node> sources, const kernels::OperationInfo& what) const;

  std::vector<Item> items_;
  Node result_ = 0;
};

/// What sources of an operation are taken for that can be either, if the operation itself is taken for one of integers,
/// or of floats.
bool sources_as_integers(const kernels::OperationInfo& operation, bool as_integer);

}  // namespace kerr::graph

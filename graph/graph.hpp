// What is to be computed with matrices: element by element, products, transposes, sums and maxima of rows and columns.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/expression/expression.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::graph {

struct Shape {
  std::uint32_t rows = 1, columns = 1;
  friend bool operator==(Shape, Shape) = default;
  std::string text() const;
};

inline constexpr std::uint32_t kLargestSize = 1u << 20;  // of rows and of columns

/// Nodes are made from nodes; the last one made is the result unless another one is named. Everything throws std::invalid_argument with
/// a sentence that names the shapes. A node of one row, one column or one element fits a larger one: it is repeated.
class Graph {
 public:
  using Node = std::uint32_t;
  struct Item {
    enum class Kind : std::uint8_t { Input, Constant, Apply, Matmul, Reduce, Transpose } kind;
    Shape shape;
    std::string name;                // Input
    float constant = 0;              // Constant, of shape 1 x 1
    kernels::Operation operation{};  // Apply
    std::array<Node, 3> sources{};   // Apply: as many as the operation takes; Matmul: 2; Reduce, Transpose: 1
    kernels::Reduction reduction{};  // Reduce
    kernels::Along along{};
    std::size_t source_count() const;
  };

  /// The same name twice is the same node.
  Node input(std::string_view name, Shape shape);
  Node constant(float value);
  Node apply(kernels::Operation operation, std::span<const Node> sources);
  Node matmul(Node a, Node b);                                              // rows x k, k x columns
  Node reduce(kernels::Reduction reduction, kernels::Along along, Node a);  // rows x 1, or 1 x columns
  Node transpose(Node a);

  const Item& item(Node node) const { return items_.at(node); }
  std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
  Node result() const { return result_; }
  void set_result(Node node) { result_ = node; }

 private:
  Node add(Item item);

  std::vector<Item> items_;
  Node result_ = 0;
};

}  // namespace kerr::graph

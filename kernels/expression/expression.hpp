// Elements computed from elements at the same place: a graph without cycles, of which equal parts are one node.
// docs/hardware/kernels.md 6.1
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/vector/code.hpp"

namespace kerr::kernels {

enum class Operation : std::uint8_t {
#define X(id, text, sources, bf16_ulp, fp32_ulp, zero_below, domain) id,
#include "kernels/expression/operations.def"
#undef X
};

struct OperationInfo {
  Operation operation;
  std::string_view name;
  std::uint8_t sources;
  double bf16_ulp, fp32_ulp;  // 0: exact
  int zero_below;             // exponent of two
  std::string_view domain;
};
std::span<const OperationInfo> operations();
const OperationInfo& info(Operation operation);
std::optional<Operation> operation_named(std::string_view name);

class Expression {
 public:
  using Node = std::uint32_t;
  struct Item {
    enum class Kind : std::uint8_t { Input, Constant, Apply } kind;
    Operation operation{};          // Apply
    std::uint32_t input = 0;        // Input: its number
    float constant = 0;             // Constant
    std::array<Node, 3> sources{};  // Apply: the first info(operation).sources
    friend bool operator==(const Item&, const Item&) = default;
  };

  Node input(std::uint32_t number);
  Node constant(float value);
  /// Throws std::invalid_argument when the number of sources is not the operation's.
  Node apply(Operation operation, std::span<const Node> sources);

  /// What `other` computes, of these nodes instead of its inputs; there is one for each of them.
  Node insert(const Expression& other, std::span<const Node> inputs);

  /// In an order in which sources come before what they are used in. The last one is the result.
  const std::vector<Item>& items() const { return items_; }
  std::uint32_t inputs() const { return inputs_; }  // one more than the largest number
  void set_result(Node node) { result_ = node; }
  Node result() const { return result_; }

  /// "mul(exp($0), 2)": for messages.
  std::string text() const { return text(result_); }

 private:
  Node add(const Item& item);
  std::string text(Node node) const;

  std::vector<Item> items_;
  std::uint32_t inputs_ = 0;
  Node result_ = 0;
};

/// Loads input i from tile i of Dst, computes what the result needs, each node once, and stores the result to tile 0.
vector::Code lower(const Expression& expression, bool round_to_bf16);

}  // namespace kerr::kernels

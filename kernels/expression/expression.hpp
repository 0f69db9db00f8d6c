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

enum class Operation : uint8_t {
#define X(id, text, types, sources, bf16_ulp, fp32_ulp, zero_below, domain) id,
#include "kernels/expression/operations.def"
#undef X
};

/// Floats are FP32 while they are computed, integers have 32 bits.
enum class Type : uint8_t { Float, Integer };

enum class OperationTypes : uint8_t {
  Float,      // of floats a float
  Integer,    // of integers an integer
  Same,       // of floats a float, of integers an integer
  Choice,     // the first source may be either; the others as Same
  ToInteger,  // of either an integer
  ToFloat,    // of either a float
};

struct OperationInfo {
  Operation operation;
  std::string_view name;
  OperationTypes types;
  uint8_t sources;
  double bf16_ulp, fp32_ulp;  // 0: exact
  int zero_below;             // exponent of two
  std::string_view domain;
};
std::span<const OperationInfo> operations();
const OperationInfo& info(Operation operation);
std::optional<Operation> operation_named(std::string_view name);
/// The type of the result for sources of these types; nothing if the operation does not take them.
std::optional<Type> result_type(const OperationInfo& operation, std::span<const Type> sources);
std::string types_text(const OperationInfo& operation);

class Expression {
 public:
  using Node = uint32_t;
  struct Item {
    enum class Kind : uint8_t { Input, Constant, Index, Random, Apply } kind;
    Type type = Type::Float;
    Operation operation{};          // Apply
    uint32_t input = 0;             // Input: its number
    uint32_t constant = 0;          // Constant: its bits
    uint64_t key = 0;               // Random
    std::array<Node, 3> sources{};  // Apply: the first info(operation).sources
    friend bool operator==(const Item&, const Item&) = default;
  };

  Node input(uint32_t number, Type type = Type::Float);
  Node constant(float value);
  Node integer(int32_t value);
  /// The element's number in its matrix, row by row, an integer.
  Node index();
  /// Threefry-2x32 of the element's number and `key`: 32 random bits, an integer.
  Node random(uint64_t key);
  /// Throws std::invalid_argument when number or types of the sources are not the operation's.
  Node apply(Operation operation, std::span<const Node> sources);

  /// What `other` computes, of these nodes instead of its inputs; there is one for each of them.
  Node insert(const Expression& other, std::span<const Node> inputs);

  /// In an order in which sources come before what they are used in. The last one is the result.
  const std::vector<Item>& items() const { return items_; }
  Type type(Node node) const { return items_.at(node).type; }
  Type type_of_input(uint32_t number) const;   // Float if there is no such input
  bool needs_index() const;                    // Index or Random
  uint32_t inputs() const { return inputs_; }  // one more than the largest number
  void set_result(Node node) { result_ = node; }
  Node result() const { return result_; }

  /// "mul(exp($0), 2)": for messages.
  std::string text() const { return text(result_); }

 private:
  Node add(const Item& item);
  std::string text(Node node) const;

  std::vector<Item> items_;
  uint32_t inputs_ = 0;
  Node result_ = 0;
};

/// How an operand or a result lies in Dst, and what is to be done after it is loaded or before it is stored.
struct DstNumber {
  uint32_t tile = 0;
  std::optional<vector::DstMode> mode;  // none: floats as Dst holds them
  enum class Form : uint8_t {
    Plain,          // a float; an integer in two's complement
    SignMagnitude,  // an integer
    Signed16,       // an integer, of which 16 bits are there
    ToBf16,         // a result: to be rounded, halves away from zero
    ToEvenBf16,     // halves to the even number
    ToFp16,
  } form = Form::Plain;
};
/// The same of operands and a result that lie as described. `columns`: of the matrix whose elements Index counts.
vector::Code lower(const Expression& expression, std::span<const DstNumber> inputs, const DstNumber& output,
                   uint32_t columns);
/// Loads input i from tile i of Dst, computes each node that the result needs once, and stores the result to tile 0.
vector::Code lower(const Expression& expression, DstNumber::Form result);

}  // namespace kerr::kernels

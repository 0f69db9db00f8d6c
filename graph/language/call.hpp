// What stands between the parentheses of a call, by place or by name: sum(x, axis=1, keepdims=True).
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graph/graph.hpp"
#include "graph/language/value.hpp"
#include "kernels/reduce/reduce.hpp"

namespace kerr::graph {

struct Argument {
  size_t at = 0;                     // where it begins
  std::string_view text;             // as it is written
  std::string_view keyword;          // "axis" of axis=1; empty: it is known by its place
  std::optional<Graph::Node> node;   // an expression
  uint32_t axes = 2;                 // of the node (Value)
  std::vector<Argument> sequence{};  // of (0, 1) or [a, b]
  bool is_sequence = false, is_none = false;
};

/// The ways to write an argument: its place, from 0 (or kByNameOnly), and the names that it may have.
struct Parameter {
  size_t place;
  std::initializer_list<const char*> names;
};
inline constexpr size_t kByNameOnly = ~size_t{0};

/// Each argument is asked for once; finish() refuses what nobody has asked for. Everything throws Mistake.
class Call {
 public:
  /// `at`: where the name stands. `is_method`: the first argument stood in front of it, as in x.sum(1).
  Call(Graph& of, std::string_view name, size_t at, std::vector<Argument> arguments, bool is_method = false)
      : graph(of),
        arguments_(std::move(arguments)),
        taken_(arguments_.size()),
        name_(name),
        at_(at),
        is_method_(is_method) {}

  Graph& graph;

  std::string_view name() const { return name_; }
  size_t at() const { return at_; }
  bool is_method() const { return is_method_; }
  bool has_keywords() const { return by_place() != arguments_.size(); }
  size_t by_place() const;  // how many arguments have no name
  /// Without asking for it.
  const Argument* peek(Parameter parameter) const;

  const Argument* find(Parameter parameter);      // none: it is not given, or is None
  const Argument& required(Parameter parameter);  // refuses if it is not there
  Graph::Node matrix(Parameter parameter);
  Value value(Parameter parameter);
  Value value(size_t place) { return value({place, {"x", "a", "input"}}); }
  Graph::Node matrix(size_t place) { return matrix({place, {"x", "a", "input"}}); }
  /// Refuses a vector.
  Graph::Node two_axes(Parameter parameter);
  Graph::Node two_axes(size_t place) { return two_axes({place, {"x", "a", "input"}}); }
  std::optional<double> number(Parameter parameter);
  std::optional<uint64_t> whole(Parameter parameter);
  bool truth(Parameter parameter, bool when_absent);
  /// axis=, dim=: 1 or -1 along a row, 0 or -2 along a column; if the first argument is a vector, 0 or -1 along it.
  /// Nothing: not given, None or both, which is of the whole matrix.
  std::optional<kernels::Along> axis(size_t place);
  /// (rows, columns) as one argument or two, from `place` on; one number is that many columns of one row, and a vector:
  /// the result is taken to have as many axes.
  Shape shape(size_t place);
  void finish() const;
  /// How many axes the first argument has, or the first one of a sequence; 2 if there is none.
  uint32_t axes_of_first() const;
  /// How NumPy holds the result. Until it is said: as the one of most axes that was asked for as a matrix.
  void gives(uint32_t axes) { said_axes_ = axes; }
  uint32_t result_axes() const { return said_axes_ ? *said_axes_ : most_axes_.value_or(2); }

  [[noreturn]] void refuse(const std::string& sentence) const;  // of the whole call
  [[noreturn]] static void refuse(const Argument& argument, const std::string& sentence);

  double number(const Argument& argument) const;
  /// From 0 on; exactly, if it is written as a literal.
  uint64_t whole(const Argument& argument) const;
  uint32_t size(const Argument& argument) const;
  /// Perhaps below 0, as axes and places are.
  int64_t integer(const Argument& argument) const;

 private:
  std::optional<size_t> index_of(Parameter parameter) const;

  std::vector<Argument> arguments_;
  std::vector<bool> taken_;
  std::string_view name_;
  size_t at_;
  bool is_method_;
  std::optional<uint32_t> most_axes_, said_axes_;
};

}  // namespace kerr::graph

// What NumPy, torch and ttnn call things that expressions have under another name, and what they have and expressions
// have not.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"

namespace kerr::graph {

/// "maximum" is the operation max, of two operands.
struct OperationSpelling {
  std::string_view name;
  kernels::Operation operation;
};
std::span<const OperationSpelling> operation_spellings();

/// Operations and formats by any name: their own or another spelling.
std::optional<kernels::Operation> operation_spelled(std::string_view name);
std::optional<kernels::Format> format_spelled(std::string_view name);

/// pi, e, inf, nan, True, False.
std::optional<double> constant_spelled(std::string_view name);

/// np, numpy, torch, ttnn, math and what else stands in front of a name and means nothing here.
bool is_module(std::string_view name);

/// What is known and not there: a sentence that says what to do instead. Names of functions, and of attributes as
/// x.shape.
std::optional<std::string_view> refusal_of(std::string_view name);

}  // namespace kerr::graph

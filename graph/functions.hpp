// Functions of whole matrices, by the names that expressions use.
#pragma once

#include <optional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// rowsum, rowmax, rowmean (one number a row), colsum, colmax, colmean (one a column), sum, mean (one), transpose, softmax and layernorm (of each row; the
/// latter without factors, epsilon 1e-5). Nothing if there is no such function.
std::optional<Graph::Node> apply_function(Graph& graph, std::string_view name, Graph::Node x);

inline constexpr std::string_view kFunctions =
    "rowsum rowmax rowmean colsum colmax colmean sum mean transpose softmax layernorm";

}  // namespace kerr::graph

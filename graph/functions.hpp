// Functions of whole matrices, by the names that expressions use.
#pragma once

#include <optional>
#include <string_view>

#include "graph/graph.hpp"

namespace kerr::graph {

/// rowsum, rowmax, rowmin, rowmean, colsum, ...: a number for each row or column; sum, max, min, mean: one; transpose;
/// softmax and layernorm of each row (layernorm without factors, epsilon 1e-5). Nothing if there is no such function.
std::optional<Graph::Node> apply_function(Graph& graph, std::string_view name, Graph::Node x);

inline constexpr std::string_view kFunctions =
    "rowsum rowmax rowmin rowmean colsum colmax colmin colmean sum max min mean transpose softmax layernorm";

/// Floats from 0 to below 1, multiples of 2^-24, of Threefry's bits.
Graph::Node uniform(Graph& graph, Shape shape, uint64_t key);

/// What takes numbers, as people write it: for messages and help.
inline constexpr std::string_view kOtherFunctions =
    "fill(rows, columns, number) iota(rows, columns) random(rows, columns, seed) random_bits(rows, columns, seed) "
    "slice(x, row, column, rows, columns) permute(x, row blocks, column blocks, four axes) bfp8(x) bfp4(x)";

}  // namespace kerr::graph

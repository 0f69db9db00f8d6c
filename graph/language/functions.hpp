// Functions that are no operation of elements, by the names that expressions use.
#pragma once

#include <span>
#include <string_view>

#include "graph/graph.hpp"
#include "graph/language/call.hpp"

namespace kerr::graph {

struct FunctionInfo {
  std::string_view name;
  std::string_view usage;  // "sum(x, axis, keepdims)"; empty: another spelling of the row above
  Graph::Node (*make)(Call&);
};
std::span<const FunctionInfo> functions();
const FunctionInfo* function_named(std::string_view name);  // null: there is none

// ---- what the rows call: functions of the same name, or of a kind (reductions.cpp, normalisations.cpp, arrays.cpp,
// arrangements.cpp)

template <kernels::Reduction kReduction, kernels::Along kAlong>
Graph::Node make_reduction(Call& call);  // rowsum(x)
template <kernels::Along kAlong>
Graph::Node make_mean(Call& call);  // rowmean(x)

Graph::Node make_sum(Call& call);
Graph::Node make_max(Call& call);
Graph::Node make_min(Call& call);
Graph::Node make_mean_of_axis(Call& call);
Graph::Node make_var(Call& call);
Graph::Node make_std(Call& call);
Graph::Node make_norm(Call& call);
Graph::Node make_any(Call& call);
Graph::Node make_all(Call& call);
Graph::Node make_argmax(Call& call);
Graph::Node make_argmin(Call& call);
Graph::Node make_cumsum(Call& call);
Graph::Node make_trace(Call& call);

Graph::Node make_softmax(Call& call);
Graph::Node make_log_softmax(Call& call);
Graph::Node make_layernorm(Call& call);

Graph::Node make_fill(Call& call);
Graph::Node make_full(Call& call);
Graph::Node make_zeros(Call& call);
Graph::Node make_ones(Call& call);
Graph::Node make_full_like(Call& call);
Graph::Node make_zeros_like(Call& call);
Graph::Node make_ones_like(Call& call);
Graph::Node make_eye(Call& call);
Graph::Node make_arange(Call& call);
Graph::Node make_iota(Call& call);
Graph::Node make_random(Call& call);
Graph::Node make_random_bits(Call& call);

Graph::Node make_transpose(Call& call);
Graph::Node make_slice(Call& call);
Graph::Node make_permute(Call& call);
Graph::Node make_tile(Call& call);
Graph::Node make_concatenate(Call& call);
Graph::Node make_hstack(Call& call);
Graph::Node make_vstack(Call& call);
Graph::Node make_tril(Call& call);
Graph::Node make_triu(Call& call);

Graph::Node make_matmul(Call& call);
Graph::Node make_outer(Call& call);
Graph::Node make_linear(Call& call);
Graph::Node make_clip(Call& call);
Graph::Node make_remainder(Call& call);
Graph::Node make_floor_divide(Call& call);
Graph::Node make_logical_and(Call& call);
Graph::Node make_logical_or(Call& call);
Graph::Node make_logical_xor(Call& call);
Graph::Node make_logical_not(Call& call);
Graph::Node make_isnan(Call& call);
Graph::Node make_isinf(Call& call);
Graph::Node make_isfinite(Call& call);

// ---- what they are made of

/// Throws std::invalid_argument as Graph does, as the functions below do.
Graph::Node made_of(Graph& graph, kernels::Operation operation, std::initializer_list<Graph::Node> sources);
/// Whether an operation of both is one of integers.
bool of_integers(const Graph& graph, Graph::Node a, Graph::Node b);
Graph::Node mean(Graph& graph, kernels::Along along, Graph::Node x);
/// What NumPy calls a vector is one row here: a column, unless its dimension is to be kept, is turned.
Graph::Node vector_of(Graph& graph, Graph::Node column, bool keep);
/// 0, 1, ... to count - 1, as a row or as a column. Integers.
Graph::Node counted(Graph& graph, uint32_t count, kernels::Along along);
/// Floats from 0 to below 1, multiples of 2^-24, of Threefry's bits.
Graph::Node uniform(Graph& graph, Shape shape, uint64_t key);

}  // namespace kerr::graph

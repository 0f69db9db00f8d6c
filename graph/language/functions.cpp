#include "graph/language/functions.hpp"

#include <algorithm>
#include <initializer_list>

namespace kerr::graph {

using kernels::Along;
using kernels::Reduction;

namespace {

constexpr FunctionInfo kFunctions[] = {
    {"sum", "sum(x, axis, keepdims)", make_sum},
    {"max", "max(x, axis, keepdims)", make_max},
    {"amax", "", make_max},
    {"min", "min(x, axis, keepdims)", make_min},
    {"amin", "", make_min},
    {"mean", "mean(x, axis, keepdims)", make_mean_of_axis},
    {"var", "var(x, axis, ddof, keepdims)", make_var},
    {"std", "std(x, axis, ddof, keepdims)", make_std},
    {"norm", "norm(x, axis, keepdims)", make_norm},
    {"any", "any(x, axis, keepdims)", make_any},
    {"all", "all(x, axis, keepdims)", make_all},
    {"argmax", "argmax(x, axis, keepdims)", make_argmax},
    {"argmin", "argmin(x, axis, keepdims)", make_argmin},
    {"rowsum", "rowsum(x)", make_reduction<Reduction::Sum, Along::Row>},
    {"rowmax", "rowmax(x)", make_reduction<Reduction::Maximum, Along::Row>},
    {"rowmin", "rowmin(x)", make_reduction<Reduction::Minimum, Along::Row>},
    {"rowmean", "rowmean(x)", make_mean<Along::Row>},
    {"colsum", "colsum(x)", make_reduction<Reduction::Sum, Along::Column>},
    {"colmax", "colmax(x)", make_reduction<Reduction::Maximum, Along::Column>},
    {"colmin", "colmin(x)", make_reduction<Reduction::Minimum, Along::Column>},
    {"colmean", "colmean(x)", make_mean<Along::Column>},
    {"trace", "trace(x)", make_trace},
    {"cumsum", "cumsum(x, axis)", make_cumsum},
    {"softmax", "softmax(x, axis)", make_softmax},
    {"log_softmax", "log_softmax(x, axis)", make_log_softmax},
    {"layernorm", "layernorm(x)", make_layernorm},
    {"layer_norm", "", make_layernorm},
    {"matmul", "matmul(a, b)", make_matmul},
    {"dot", "", make_matmul},
    {"mm", "", make_matmul},
    {"outer", "outer(a, b)", make_outer},
    {"linear", "linear(x, weight, bias)", make_linear},
    {"clip", "clip(x, low, high)", make_clip},
    {"clamp", "", make_clip},
    {"remainder", "remainder(a, b)", make_remainder},
    {"mod", "", make_remainder},
    {"floor_divide", "floor_divide(a, b)", make_floor_divide},
    {"logical_and", "logical_and(a, b)", make_logical_and},
    {"logical_or", "logical_or(a, b)", make_logical_or},
    {"logical_xor", "logical_xor(a, b)", make_logical_xor},
    {"logical_not", "logical_not(a)", make_logical_not},
    {"isnan", "isnan(x)", make_isnan},
    {"isinf", "isinf(x)", make_isinf},
    {"isfinite", "isfinite(x)", make_isfinite},
    {"transpose", "transpose(x)", make_transpose},
    {"swapaxes", "", make_transpose},
    {"permute_dims", "", make_transpose},
    {"t", "", make_transpose},
    {"slice", "slice(x, row, column, rows, columns)", make_slice},
    {"permute", "permute(x, row blocks, column blocks, four axes)", make_permute},
    {"tile", "tile(x, (down, across))", make_tile},
    {"concatenate", "concatenate((a, b, ...), axis)", make_concatenate},
    {"concat", "", make_concatenate},
    {"cat", "", make_concatenate},
    {"hstack", "hstack((a, b, ...))", make_hstack},
    {"vstack", "vstack((a, b, ...))", make_vstack},
    {"tril", "tril(x, k)", make_tril},
    {"triu", "triu(x, k)", make_triu},
    {"fill", "fill(rows, columns, number)", make_fill},
    {"full", "full((rows, columns), number)", make_full},
    {"zeros", "zeros((rows, columns))", make_zeros},
    {"ones", "ones((rows, columns))", make_ones},
    {"full_like", "full_like(x, number)", make_full_like},
    {"zeros_like", "zeros_like(x)", make_zeros_like},
    {"ones_like", "ones_like(x)", make_ones_like},
    {"eye", "eye(rows, columns)", make_eye},
    {"identity", "", make_eye},
    {"arange", "arange(start, stop, step)", make_arange},
    {"iota", "iota(rows, columns)", make_iota},
    {"random", "random(rows, columns, seed)", make_random},
    {"random_bits", "random_bits(rows, columns, seed)", make_random_bits},
};

}  // namespace

std::span<const FunctionInfo> functions() { return kFunctions; }

const FunctionInfo* function_named(std::string_view name) {
  const auto found = std::ranges::find(kFunctions, name, &FunctionInfo::name);
  return found == std::end(kFunctions) ? nullptr : &*found;
}

Graph::Node made_of(Graph& graph, kernels::Operation operation, std::initializer_list<Graph::Node> sources) {
  return graph.apply(operation, std::span(sources.begin(), sources.size()));
}

bool of_integers(const Graph& graph, Graph::Node a, Graph::Node b) {
  return graph.item(a).type == NodeType::Integer || graph.item(b).type == NodeType::Integer;
}

}  // namespace kerr::graph

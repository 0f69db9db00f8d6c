#include "graph/language/spellings.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numbers>
#include <type_traits>
#include <utility>

namespace kerr::graph {

namespace {

using kernels::Format;
using enum kernels::Operation;

constexpr OperationSpelling kOperations[] = {{"maximum", Maximum},
                                             {"fmax", Maximum},
                                             {"minimum", Minimum},
                                             {"fmin", Minimum},
                                             {"absolute", Abs},
                                             {"fabs", Abs},
                                             {"negative", Negate},
                                             {"sgn", Sign},
                                             {"subtract", Subtract},
                                             {"multiply", Multiply},
                                             {"divide", Divide},
                                             {"true_divide", Divide},
                                             {"power", Power},
                                             {"float_power", Power},
                                             {"reciprocal", Reciprocal},
                                             {"less", Less},
                                             {"less_equal", LessEqual},
                                             {"greater", Greater},
                                             {"greater_equal", GreaterEqual},
                                             {"equal", Equal},
                                             {"not_equal", NotEqual},
                                             {"bitwise_and", And},
                                             {"bitwise_or", Or},
                                             {"bitwise_xor", Xor},
                                             {"invert", Not},
                                             {"bitwise_invert", Not},
                                             {"left_shift", ShiftLeft},
                                             {"bitwise_left_shift", ShiftLeft},
                                             {"right_shift", ShiftRight},
                                             {"bitwise_right_shift", ShiftRight},
                                             {"rint", Round},
                                             {"fix", Truncate},
                                             {"expit", Sigmoid},
                                             {"swish", Silu}};

constexpr std::pair<std::string_view, Format> kFormats[] = {
    {"float32", Format::Fp32},   {"float", Format::Fp32},    {"int", Format::Int32}, {"short", Format::Int16},
    {"single", Format::Fp32},    {"float16", Format::Fp16},  {"half", Format::Fp16}, {"bfloat16", Format::Bf16},
    {"bfloat8_b", Format::Bfp8}, {"bfloat4_b", Format::Bfp4}};

constexpr std::pair<std::string_view, double> kConstants[] = {{"pi", std::numbers::pi},
                                                              {"e", std::numbers::e},
                                                              {"inf", std::numeric_limits<double>::infinity()},
                                                              {"nan", std::numeric_limits<double>::quiet_NaN()},
                                                              {"True", 1},
                                                              {"False", 0}};

constexpr std::string_view kModules[] = {"np",   "numpy", "torch", "nn",    "functional", "F",
                                         "math", "jnp",   "jax",   "scipy", "special",    "ttnn"};

constexpr std::string_view kMovesByValue =
    "which element goes where would depend on the numbers, and no program of Kerr does that: sort the result on the "
    "host";
constexpr std::string_view kMovesElements =
    "programs move whole tiles of 32 x 32 and transpose, but no other elements: give the operand the shape that is "
    "wanted, or "
    "use slice, permute and transpose";
constexpr std::string_view kTwoDimensions = "there are matrices only, of rows and columns: leave it out";
constexpr std::string_view kNoDoubles = "the device computes in fp32: write fp32(x)";
constexpr std::string_view kNoLongs = "integers have 32 bits: write int32(x)";
constexpr std::string_view kKnownBefore =
    "shapes and formats are known before anything runs: write the number, or see the report's 'result'";

constexpr std::pair<std::string_view, std::string_view> kRefused[] = {
    {"sort", kMovesByValue},
    {"argsort", kMovesByValue},
    {"unique", kMovesByValue},
    {"nonzero", kMovesByValue},
    {"argwhere", kMovesByValue},
    {"median", kMovesByValue},
    {"percentile", kMovesByValue},
    {"quantile", kMovesByValue},
    {"topk",
     "the largest number is max(x, axis=1), its place argmax(x, axis=1); for more of them sort the result on the host"},
    {"take", "write a slice, x[0:32], or multiply by a matrix of zeros and ones: one_hot @ x"},
    {"gather", "write a slice, x[0:32], or multiply by a matrix of zeros and ones: one_hot @ x"},
    {"embedding", "multiply by a matrix of zeros and ones: one_hot @ table"},
    {"reshape", kMovesElements},
    {"view", kMovesElements},
    {"ravel", kMovesElements},
    {"flatten", kMovesElements},
    {"roll", kMovesElements},
    {"flip", kMovesElements},
    {"fliplr", kMovesElements},
    {"flipud", kMovesElements},
    {"rot90", kMovesElements},
    {"repeat", kMovesElements},
    {"pad", kMovesElements},
    {"diag", "write x * eye(n)"},
    {"diagonal", "write rowsum(x * eye(n))"},
    {"split", "write slices: x[:, 0:32]"},
    {"chunk", "write slices: x[:, 0:32]"},
    {"squeeze", kTwoDimensions},
    {"unsqueeze", kTwoDimensions},
    {"expand_dims", kTwoDimensions},
    {"einsum", "write products and transposes: a @ b.T"},
    {"tensordot", "write products and transposes: a @ b.T"},
    {"inner", "write a @ b.T"},
    {"kron", "it has no program"},
    {"cross", "it has no program"},
    {"solve", "linear systems have no program: solve them on the host"},
    {"inv", "linear systems have no program: solve them on the host"},
    {"det", "linear systems have no program: solve them on the host"},
    {"svd", "linear systems have no program: solve them on the host"},
    {"conv1d", "convolutions have no program: write them as a product"},
    {"conv2d", "convolutions have no program: write them as a product"},
    {"prod", "of positive numbers write exp(sum(log(x)))"},
    {"cumprod", "of positive numbers write exp(cumsum(log(x), axis=1))"},
    {"diff", "multiply by a matrix of ones and minus ones"},
    {"interp", "it has no program"},
    {"histogram", "it has no program"},
    {"sinh", "write (exp(x) - exp(-x)) / 2"},
    {"cosh", "write (exp(x) + exp(-x)) / 2"},
    {"arcsin", "inverse functions of angles have no program"},
    {"arccos", "inverse functions of angles have no program"},
    {"arctan", "inverse functions of angles have no program"},
    {"arctan2", "inverse functions of angles have no program"},
    {"asin", "inverse functions of angles have no program"},
    {"acos", "inverse functions of angles have no program"},
    {"atan", "inverse functions of angles have no program"},
    {"atan2", "inverse functions of angles have no program"},
    {"arctanh", "write log((1 + x) / (1 - x)) / 2"},
    {"atanh", "write log((1 + x) / (1 - x)) / 2"},
    {"log10", "write log(x) / log(10)"},
    {"log1p", "write log(1 + x), which is less accurate near 0"},
    {"expm1", "write exp(x) - 1, which is less accurate near 0"},
    {"erfc", "write 1 - erf(x)"},
    {"cbrt", "of positive numbers write x ** (1 / 3)"},
    {"hypot", "write sqrt(x * x + y * y)"},
    {"logaddexp", "write log(exp(x) + exp(y))"},
    {"logsumexp", "write log(sum(exp(x), axis=1))"},
    {"radians", "write x * (pi / 180)"},
    {"degrees", "write x * (180 / pi)"},
    {"sinc", "write sin(pi * x) / (pi * x)"},
    {"heaviside", "write where(x > 0, 1, 0)"},
    {"relu6", "write clip(x, 0, 6)"},
    {"hardtanh", "write clip(x, -1, 1)"},
    {"leaky_relu", "write where(x > 0, x, 0.01 * x)"},
    {"elu", "write where(x > 0, x, exp(x) - 1)"},
    {"mish", "write x * tanh(softplus(x))"},
    {"dropout", "write x * (random(rows, columns, seed) < 0.9)"},
    {"linspace", "write start + arange(n) * step, with fp32(arange(n))"},
    {"meshgrid", "rows and columns repeat by themselves: arange(n) and arange(n)[:, None]"},
    {"broadcast_to", "rows and columns repeat by themselves"},
    {"expand", "rows and columns repeat by themselves"},
    {"array", "lists of numbers are not taken: give a matrix by an option of its name"},
    {"tensor", "lists of numbers are not taken: give a matrix by an option of its name"},
    {"asarray", "lists of numbers are not taken: give a matrix by an option of its name"},
    {"rand", "write random(rows, columns, seed)"},
    {"randn", "normal random numbers have no program; uniform ones are random(rows, columns, seed)"},
    {"float64", kNoDoubles},
    {"double", kNoDoubles},
    {"int64", kNoLongs},
    {"long", kNoLongs},
    {"uint32", kNoLongs},
    {"uint64", kNoLongs},
    {"bool", "a truth value is a number, 1 or 0: write x != 0"},
    {"complex64", "there are no complex numbers"},
    {"shape", kKnownBefore},
    {"size", kKnownBefore},
    {"ndim", kKnownBefore},
    {"dtype", kKnownBefore},
    {"numel", kKnownBefore},
    {"item", "results are matrices; one of 1 x 1 is a number to everything else"},
    {"tolist", "results are matrices: --show prints them"},
    {"numpy", "results are matrices: --show prints them"},
    {"copy", kTwoDimensions},
    {"clone", kTwoDimensions},
    {"contiguous", kTwoDimensions},
    {"None", "it stands only where an argument can be left out, axis=None, and as a vector's new axis, v[:, None]"},
    {"newaxis", kTwoDimensions},
    {"lambda", "there are no functions of one's own"},
    {"for", "there are no loops: operations take whole matrices"},
    {"import", "functions are there without: np.exp(x) is exp(x)"},
    {"is", "write =="},
    {"in", "write comparisons: (x == 1) | (x == 2)"}};

template <class Table>
auto find(const Table& table, std::string_view name) -> std::optional<std::remove_cv_t<decltype(table[0].second)>> {
  const auto found = std::ranges::find(table, name, [](const auto& row) { return row.first; });
  if (found == std::end(table)) return std::nullopt;
  return found->second;
}

}  // namespace

std::span<const OperationSpelling> operation_spellings() { return kOperations; }

std::optional<kernels::Operation> operation_spelled(std::string_view name) {
  if (const auto own = kernels::operation_named(name)) return own;
  const auto found = std::ranges::find(kOperations, name, &OperationSpelling::name);
  if (found == std::end(kOperations)) return std::nullopt;
  return found->operation;
}

std::optional<Format> format_spelled(std::string_view name) {
  if (const auto own = kernels::format_named(name)) return own;
  return find(kFormats, name);
}

std::optional<double> constant_spelled(std::string_view name) { return find(kConstants, name); }

bool is_module(std::string_view name) { return std::ranges::find(kModules, name) != std::end(kModules); }

std::optional<std::string_view> refusal_of(std::string_view name) { return find(kRefused, name); }

}  // namespace kerr::graph

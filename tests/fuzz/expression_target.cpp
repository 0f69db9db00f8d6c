#include <stdexcept>
#include <string>

#include "graph/parse.hpp"
#include "graph/stages.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/require.hpp"
#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {

namespace {

// Pieces of expressions that make more sense together than bytes do.
constexpr std::string_view kPieces[] = {
    "x", "n", "row", "column", "y", "(", ")", "[", "]", ",", ":", ".", "=", " ", "+", "-", "*", "/", "//", "%", "**", "@", "<", ">",
    "<=", "==", "!=", "&", "|", "^", "~", "<<", ">>", " and ", " or ", " not ", " if ", " else ", "None", "True", "axis", "dim",
    "keepdims", "axis=1", "axis=-1", "axis=None", "keepdims=True", ".T", ".sum(", ".max(", "np.", "torch.", "0", "1", "2", "32", "33",
    "64", "0x1f", "1e-3", "1_000", "010", "3.5", "-1", "1e39", "pi", "e", "inf", "nan", "exp(", "max(", "min(", "where(", "sum(",
    "argmax(", "cumsum(", "softmax(", "transpose(", "slice(", "permute(", "concatenate(", "tile(", "clip(", "var(", "full(", "arange(",
    "random(", "iota(", "int32(", "bf16(", "bfp8(", ".astype(", "float32", "fmod(", "remainder(", "logical_not(", "tril(", "eye(",
    "[0:32]", "[5]", "[:, 3]", "[-1, 0:64]", "((x, y), axis=1)", "\xc3\x97", "'", "..."};

std::string text_of(Input& in) {
  if (in.byte() % 4 == 0) return std::string(in.text());
  std::string text;
  while (!in.empty()) text += kPieces[in.byte() % std::size(kPieces)];
  return text;
}

}  // namespace

uint64_t fuzz_expression(std::span<const uint8_t> bytes) {
  Input in(bytes);
  const std::string text = text_of(in);
  const auto matrix_of = [](std::string_view name) -> graph::Matrix {
    if (name == "x") return graph::Shape{64, 96};
    if (name == "y") return graph::Shape{64, 96};
    if (name == "n") return {graph::Shape{64, 96}, graph::Format::Int32};
    if (name == "row") return graph::Shape{1, 96};
    if (name == "column") return graph::Shape{64, 1};
    throw std::invalid_argument("there is no such matrix");
  };
  try {
    const graph::Graph graph = graph::parse(text, matrix_of);
    require(graph.result() < graph.size(), "a result that is no node");
    for (const graph::Format format : {graph::Format::Bf16, graph::Format::Fp32, graph::Format::Bfp8})
      require(!graph::stages(graph, format).empty(), "an expression without programs");
    return graph.size();
  } catch (const std::logic_error& refusal) {  // std::invalid_argument, or std::length_error of what has no room
    const std::string_view sentence = refusal.what();
    require(!sentence.empty() && sentence.find('\0') == std::string_view::npos, "a refusal that is no sentence");
    return sentence.size();
  }
}

}  // namespace kerr::fuzz

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
constexpr std::string_view kPieces[] = {"x",
                                        "n",
                                        "row",
                                        "column",
                                        "y",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        ",",
                                        ":",
                                        ".",
                                        "=",
                                        " ",
                                        "+",
                                        "-",
                                        "*",
                                        "/",
                                        "//",
                                        "%",
                                        "**",
                                        "@",
                                        "<",
                                        ">",
                                        "<=",
                                        "==",
                                        "!=",
                                        "&",
                                        "|",
                                        "^",
                                        "~",
                                        "<<",
                                        ">>",
                                        " and ",
                                        " or ",
                                        " not ",
                                        " if ",
                                        " else ",
                                        "None",
                                        "True",
                                        "axis",
                                        "dim",
                                        "keepdims",
                                        "axis=1",
                                        "axis=-1",
                                        "axis=None",
                                        "keepdims=True",
                                        ".T",
                                        ".sum(",
                                        ".max(",
                                        "np.",
                                        "torch.",
                                        "0",
                                        "1",
                                        "2",
                                        "32",
                                        "33",
                                        "64",
                                        "0x1f",
                                        "1e-3",
                                        "1_000",
                                        "010",
                                        "3.5",
                                        "-1",
                                        "1e39",
                                        "pi",
                                        "e",
                                        "inf",
                                        "nan",
                                        "exp(",
                                        "max(",
                                        "min(",
                                        "where(",
                                        "sum(",
                                        "argmax(",
                                        "cumsum(",
                                        "softmax(",
                                        "transpose(",
                                        "slice(",
                                        "permute(",
                                        "concatenate(",
                                        "tile(",
                                        "clip(",
                                        "var(",
                                        "full(",
                                        "arange(",
                                        "random(",
                                        "iota(",
                                        "int32(",
                                        "bf16(",
                                        "bfp8(",
                                        ".astype(",
                                        "float32",
                                        "fmod(",
                                        "remainder(",
                                        "logical_not(",
                                        "tril(",
                                        "eye(",
                                        "[0:32]",
                                        "[5]",
                                        "[:, 3]",
                                        "[-1, 0:64]",
                                        "((x, y), axis=1)",
                                        "\xc3\x97",
                                        "'",
                                        "..."};

template <size_t kCount>
std::string one_of(Input& in, const std::string_view (&of)[kCount]) {
  return std::string(of[in.byte() % kCount]);
}

// By the grammar, so that most of it has a meaning.
std::string grown(Input& in, int depth) {
  static constexpr std::string_view kLeaves[] = {"x",   "y",  "n",  "row",          "column", "2",
                                                 "0.5", "-3", "pi", "iota(64, 96)", "x[5]",   "fill(1, 96, 3)"};
  static constexpr std::string_view kSigns[] = {" + ", " - ", " * ", " / ",  " // ", " % ",   " ** ", " & ",
                                                " | ", " ^ ", " < ", " >= ", " == ", " and ", " or ", " @ "};
  static constexpr std::string_view kCalls[] = {"exp",       "abs", "sum",   "max",   "argmax", "softmax",
                                                "isnan",     "var", "floor", "int32", "fp32",   "bfp8",
                                                "transpose", "any", "tril",  "norm",  "not "};
  static constexpr std::string_view kEnds[] = {
      ".T",          "[0:32]",  "[:, 32:]",   "[3]",        ".sum(axis=1)", ".max(0)", ".mean(axis=1, keepdims=True)",
      ".clip(0, 1)", "[32:40]", ".argmin(1)", ".cumsum(0)", "[:, None]",    "[0]",     "[3:4]"};
  if (depth == 0 || in.empty()) return one_of(in, kLeaves);
  const auto inner = [&] { return grown(in, depth - 1); };
  switch (in.byte() % 8) {
    case 0: return one_of(in, kCalls) + "(" + inner() + ")";
    case 1: return "(" + inner() + ")" + one_of(in, kEnds);
    case 2: return "where(" + inner() + ", " + inner() + ", " + inner() + ")";
    case 3: return "(" + inner() + " if " + inner() + " else " + inner() + ")";
    case 4: return "concatenate((" + inner() + ", " + inner() + "), axis=" + std::to_string(in.byte() % 2) + ")";
    default: break;
  }
  std::string out = "(";
  out += inner();
  out += one_of(in, kSigns);
  return out + inner() + ")";
}

std::string text_of(Input& in) {
  const uint32_t way = in.byte() % 4;
  if (way == 0) return std::string(in.text());
  if (way >= 2) return grown(in, 1 + static_cast<int>(in.byte() % 6));
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

#include "bindings/c/matrices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "bindings/c/failure.hpp"
#include "bindings/c/memory.hpp"
#include "graph/npy/tensor.hpp"

namespace kerr::c {

namespace {

using graph::Format;
using graph::npy::Type;

struct Named {
  std::string_view name;
  Type type;
  Format format;  // of results; of floats as good as any
};
constexpr Named kTypes[] = {
    {"float32", {Type::Kind::Float, 4}, Format::Fp32}, {"float64", {Type::Kind::Float, 8}, Format::Fp32},
    {"float16", {Type::Kind::Float, 2}, Format::Fp32}, {"bfloat16", {Type::Kind::Float, 2}, Format::Fp32},
    {"int8", {Type::Kind::Signed, 1}, Format::Int8},   {"uint8", {Type::Kind::Unsigned, 1}, Format::Uint8},
    {"int16", {Type::Kind::Signed, 2}, Format::Int16}, {"uint16", {Type::Kind::Unsigned, 2}, Format::Uint16},
    {"int32", {Type::Kind::Signed, 4}, Format::Int32}, {"bool", {Type::Kind::Bool, 1}, Format::Fp32},
};

const Named& type_named(const char* name, const std::string& what) {
  for (const Named& known : kTypes)
    if (name != nullptr && known.name == name) return known;
  std::string all;
  for (const Named& known : kTypes) all += fmt::format("{}{}", all.empty() ? "" : ", ", known.name);
  invalid_argument(fmt::format("{} has a type of {:.40}; there are {}", what, name == nullptr ? "NULL" : name, all));
}

}  // namespace

graph::Tensor tensor_of(const kerr_matrix& matrix, Format floats, const std::string& what) {
  const Named& named = type_named(matrix.type, what);
  if (matrix.rows == 0 || matrix.columns == 0 || matrix.rows > kernels::kLargestSize ||
      matrix.columns > kernels::kLargestSize || matrix.rows * matrix.columns > graph::kMostElements)
    invalid_argument(fmt::format("{} is {} x {}: there are 1 to {} rows and columns, and at most {} elements", what,
                                 matrix.rows, matrix.columns, kernels::kLargestSize, graph::kMostElements));
  if (matrix.data == nullptr) invalid_argument(what + " has no data");
  const uint64_t elements = matrix.rows * matrix.columns;
  Type type = named.type;
  const auto* const data = static_cast<const std::byte*>(matrix.data);
  std::vector<std::byte> bytes;
  if (named.name == "bfloat16") {
    type = {Type::Kind::Float, 4};
    bytes.resize(4 * elements);
    for (uint64_t i = 0; i < elements; ++i) std::memcpy(&bytes[4 * i + 2], data + 2 * i, 2);
  } else {
    bytes.assign(data, data + elements * type.bytes);
  }
  const graph::npy::Array array({.type = type, .shape = {matrix.rows, matrix.columns}}, std::move(bytes));
  return graph::npy::matrices(array, graph::npy::natural_format(type, floats), what).tensor;
}

kerr_matrix matrix_of(const graph::Tensor& tensor) {
  const Named* named = &kTypes[0];
  if (kernels::is_integer(tensor.format))
    named = std::ranges::find_if(kTypes, [&](const Named& n) { return n.format == tensor.format; });
  const uint64_t elements = uint64_t{tensor.rows} * tensor.columns;
  HandedOut out(hand_out(elements * named->type.bytes));
  auto* at = static_cast<std::byte*>(out.get());
  for (uint64_t i = 0; i < elements; ++i, at += named->type.bytes) {
    const uint32_t bits = named->type.kind == Type::Kind::Float
                              ? std::bit_cast<uint32_t>(tensor.values[i])
                              : static_cast<uint32_t>(static_cast<int64_t>(tensor.number(i)));
    std::memcpy(at, &bits, named->type.bytes);
  }
  return {nullptr, named->name.data(), out.release(), tensor.rows, tensor.columns};
}

}  // namespace kerr::c

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

constexpr std::string_view kBf16 = "bfloat16";

const Named& type_named(const char* name, const std::string& what) {
  for (const Named& known : kTypes)
    if (name != nullptr && known.name == name) return known;
  std::string all;
  for (const Named& known : kTypes) all += fmt::format("{}{}", all.empty() ? "" : ", ", known.name);
  invalid_argument(fmt::format("{} has a type of {:.40}; there are {}", what, name == nullptr ? "NULL" : name, all));
}

}  // namespace

Format float_format(Options& options) {
  return options
      .choice<Format>("format", {{"bf16", Format::Bf16},
                                 {"fp32", Format::Fp32},
                                 {"fp16", Format::Fp16},
                                 {"bfp8", Format::Bfp8},
                                 {"bfp4", Format::Bfp4}})
      .value_or(Format::Bf16);
}

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
  if (named.name == kBf16) {
    type = {Type::Kind::Float, 4};
    bytes.resize(4 * elements);
    for (uint64_t i = 0; i < elements; ++i) std::memcpy(&bytes[4 * i + 2], data + 2 * i, 2);
  } else {
    bytes.assign(data, data + elements * type.bytes);
  }
  const graph::npy::Array array({.type = type, .shape = {matrix.rows, matrix.columns}}, std::move(bytes));
  return graph::npy::matrices(array, graph::npy::natural_format(type, floats), what).tensor;
}

namespace {

const Named& result_type(const graph::Tensor& tensor) {
  if (!kernels::is_integer(tensor.format)) return kTypes[0];
  return *std::ranges::find_if(kTypes, [&](const Named& n) { return n.format == tensor.format; });
}

// `bf16`: the upper half of a float32.
void put_numbers(const graph::Tensor& tensor, const Named& type, bool bf16, std::byte* at) {
  const uint64_t elements = uint64_t{tensor.rows} * tensor.columns;
  for (uint64_t i = 0; i < elements; ++i, at += type.type.bytes) {
    uint32_t bits = type.type.kind == Type::Kind::Float ? std::bit_cast<uint32_t>(tensor.values[i])
                                                        : static_cast<uint32_t>(static_cast<int64_t>(tensor.number(i)));
    if (bf16) bits >>= 16;
    std::memcpy(at, &bits, type.type.bytes);
  }
}

}  // namespace

void require_numbers(const graph::Tensor& tensor, const char* type, uint64_t bytes) {
  const Named& wanted = type_named(type, "the result");
  const Named& own = result_type(tensor);
  const bool bf16 = tensor.format == Format::Bf16;
  if (wanted.name != own.name && !(bf16 && wanted.name == kBf16))
    invalid_argument(fmt::format("a tensor in {} can be read as {}{}, not as {}", kernels::info(tensor.format).name,
                                 own.name, bf16 ? " or bfloat16" : "", wanted.name));
  const uint64_t all = uint64_t{tensor.rows} * tensor.columns * wanted.type.bytes;
  if (bytes != all)
    invalid_argument(fmt::format("{} x {} numbers of {} are {} bytes, and there is room for {}", tensor.rows,
                                 tensor.columns, wanted.name, all, bytes));
}

void write_numbers(const graph::Tensor& tensor, const char* type, void* data) {
  const Named& wanted = type_named(type, "the result");
  put_numbers(tensor, wanted, wanted.name == kBf16, static_cast<std::byte*>(data));
}

kerr_matrix matrix_of(const graph::Tensor& tensor) {
  const Named& type = result_type(tensor);
  HandedOut out(hand_out(uint64_t{tensor.rows} * tensor.columns * type.type.bytes));
  put_numbers(tensor, type, false, static_cast<std::byte*>(out.get()));
  return {nullptr, type.name.data(), out.release(), tensor.rows, tensor.columns};
}

}  // namespace kerr::c

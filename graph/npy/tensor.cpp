#include "graph/npy/tensor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "graph/graph.hpp"

namespace kerr::graph::npy {

namespace {

constexpr size_t kAtOnce = 1 << 16;  // numbers

// Whether NaN and infinity are among a format's numbers.   docs/hardware/tensix-math.md 1.1
bool has_infinity(Format format) { return format == Format::Fp32 || format == Format::Bf16; }

struct Limits {
  double least, most;
};
Limits limits_of(Format format) {
  switch (format) {
    case Format::Fp16: return {-131008, 131008};
    case Format::Int8: return {-127, 127};
    case Format::Uint8: return {0, 255};
    case Format::Int16: return {-32768, 32767};
    case Format::Uint16: return {0, 65535};
    case Format::Int32: return {-0x1p31, 0x7FFFFFFF};
    case Format::Fp32:
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4: break;
  }
  const double all = std::numeric_limits<float>::max();
  return {-all, all};
}

uint32_t checked_size(uint64_t size, const Header& header, const std::string& name) {
  if (size > kLargestSize)
    throw std::invalid_argument(fmt::format("{} has a shape of {}: at most {} rows and columns are taken", name,
                                            header.shape_text(), kLargestSize));
  return static_cast<uint32_t>(size);
}

Type type_of(Format format) {
  switch (format) {
    case Format::Int8: return {Type::Kind::Signed, 1};
    case Format::Uint8: return {Type::Kind::Unsigned, 1};
    case Format::Int16: return {Type::Kind::Signed, 2};
    case Format::Uint16: return {Type::Kind::Unsigned, 2};
    case Format::Int32: return {Type::Kind::Signed, 4};
    case Format::Fp32:
    case Format::Fp16:
    case Format::Bf16:
    case Format::Bfp8:
    case Format::Bfp4: break;
  }
  return {Type::Kind::Float, 4};
}

}  // namespace

Matrices matrices(const Array& array, Format format, const std::string& name) {
  const Header& header = array.header();
  const auto& shape = header.shape;
  if (shape.size() > 3)
    throw std::invalid_argument(
        fmt::format("{} has a shape of {}: arrays of more than 3 axes are not taken", name, header.shape_text()));
  Matrices out;
  if (shape.size() == 3) out.batch = checked_size(shape[0], header, name);
  const uint64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  checked_size(rows, header, name);
  Tensor& tensor = out.tensor;
  tensor.rows = checked_size(out.batch * rows, header, name);
  tensor.columns = checked_size(shape.empty() ? 1 : shape.back(), header, name);
  tensor.format = format;
  const uint64_t elements = array.elements();
  tensor.values.resize(elements);
  if (format == Format::Int32) tensor.integers.resize(elements);
  const Limits limits = limits_of(format);
  uint64_t nowhere = 0;
  for (uint64_t i = 0; i < elements; ++i) {
    const double number = array.number(i);
    if (!std::isfinite(number) && !has_infinity(format)) {
      ++nowhere;
    } else if (format == Format::Int32) {
      tensor.integers[i] = static_cast<int32_t>(std::clamp(std::nearbyint(number), limits.least, limits.most));
    } else {
      tensor.values[i] =
          static_cast<float>(has_infinity(format) ? number : std::clamp(number, limits.least, limits.most));
    }
  }
  if (nowhere != 0)
    throw std::invalid_argument(fmt::format("{} has {} NaN or infinit{}, of which {} has none; bf16 and fp32 have them",
                                            name, nowhere, nowhere == 1 ? "y" : "ies", kernels::info(format).name));
  round_to_format(tensor);
  out.conversion.elements = elements;
  for (uint64_t i = 0; i < elements; ++i) {
    const double number = array.number(i), made = tensor.number(i);
    if (number == made || !std::isfinite(number)) continue;
    const bool beyond = !std::isfinite(made) || number < limits.least || number > limits.most;
    ++(beyond ? out.conversion.beyond : out.conversion.rounded);
  }
  return out;
}

std::string text(const Conversion& c) {
  if (c.rounded == 0 && c.beyond == 0) return fmt::format("all {} exact", c.elements);
  std::string out = fmt::format("{} of {} rounded", c.rounded, c.elements);
  if (c.beyond != 0) out += fmt::format(", {} beyond its largest number", c.beyond);
  return out;
}

Format natural_format(const Type& type, Format floats) {
  switch (type.kind) {
    case Type::Kind::Float: break;
    case Type::Kind::Bool: return Format::Uint8;
    case Type::Kind::Signed: return type.bytes == 1 ? Format::Int8 : type.bytes == 2 ? Format::Int16 : Format::Int32;
    case Type::Kind::Unsigned:
      return type.bytes == 1 ? Format::Uint8 : type.bytes == 2 ? Format::Uint16 : Format::Int32;
  }
  return floats;
}

void write(const Tensor& tensor, uint32_t batch, const Sink& sink) {
  const Type type = type_of(tensor.format);
  Header header{.type = type, .shape = {tensor.rows, tensor.columns}};
  if (batch != 1) header.shape = {batch, tensor.rows / batch, tensor.columns};
  const std::string head = head_of_file(header);
  sink(std::as_bytes(std::span(head)));
  std::vector<std::byte> bytes;
  const uint64_t elements = tensor.values.size();
  for (uint64_t i = 0; i < elements; ++i) {
    const uint32_t bits = type.kind == Type::Kind::Float
                              ? std::bit_cast<uint32_t>(tensor.values[i])
                              : static_cast<uint32_t>(static_cast<int64_t>(tensor.number(i)));
    for (uint8_t byte = 0; byte < type.bytes; ++byte) bytes.push_back(static_cast<std::byte>(bits >> 8 * byte));
    if (bytes.size() < kAtOnce && i + 1 != elements) continue;
    sink(bytes);
    bytes.clear();
  }
}

}  // namespace kerr::graph::npy

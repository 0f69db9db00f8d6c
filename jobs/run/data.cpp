#include "jobs/run/data.hpp"

#include <fmt/format.h>

#include <cstring>
#include <stdexcept>

#include "graph/npy/array.hpp"
#include "graph/npy/header.hpp"

namespace kerr::jobs {

namespace {

using graph::npy::Type;

// The element that holds the numbers of an array as they are.
std::optional<Element> natural_element(const Type& type) {
  switch (type.kind) {
    case Type::Kind::Float: return type.bytes == 4 ? std::optional(Element::Fp32) : std::nullopt;
    case Type::Kind::Bool: return Element::U8;
    case Type::Kind::Signed:
      return type.bytes == 1   ? std::optional(Element::I8)
             : type.bytes == 2 ? std::optional(Element::I16)
             : type.bytes == 4 ? std::optional(Element::I32)
                               : std::nullopt;
    case Type::Kind::Unsigned:
      return type.bytes == 1   ? std::optional(Element::U8)
             : type.bytes == 2 ? std::optional(Element::U16)
             : type.bytes == 4 ? std::optional(Element::U32)
                               : std::nullopt;
  }
  return std::nullopt;
}

Type type_of(Element element) {
  const ElementInfo& of = info(element);
  if (of.is_float) return {.kind = Type::Kind::Float, .bytes = 4};
  return {.kind = of.is_signed ? Type::Kind::Signed : Type::Kind::Unsigned, .bytes = static_cast<uint8_t>(of.bytes)};
}

}  // namespace

std::vector<std::byte> data_of(std::string_view content, const std::string& name, std::optional<Element> element) {
  const auto bytes = std::as_bytes(std::span(content));
  if (!content.starts_with(graph::npy::kMagic)) {
    if (element && bytes.size() % info(*element).bytes != 0)
      throw std::invalid_argument(
          fmt::format("'{}' has {} bytes, which are no whole numbers of {}", name, bytes.size(), info(*element).name));
    return {bytes.begin(), bytes.end()};
  }
  const graph::npy::Array array = graph::npy::read(bytes, fmt::format("'{}'", name));
  if (!element) element = natural_element(array.header().type);
  if (!element)
    throw std::invalid_argument(
        fmt::format("'{}' holds {}, which the device has not: say what they become, as in ':fp32=...' (there are {})",
                    name, array.header().type.name(), element_names()));
  std::vector<std::byte> out;
  out.reserve(array.elements() * info(*element).bytes);
  for (uint64_t i = 0; i < array.elements(); ++i) {
    if (!append(*element, array.number(i), out))
      throw std::invalid_argument(
          fmt::format("'{}': number {}, {}, is no number of {}", name, i, array.number(i), info(*element).name));
  }
  return out;
}

std::string npy_of(std::span<const std::byte> bytes, Element element, uint64_t rows) {
  const ElementInfo& of = info(element);
  const uint64_t all = bytes.size() / of.bytes;
  graph::npy::Header header{.type = type_of(element), .shape = {all}};
  if (rows > 1) header.shape = {rows, all / rows};
  std::string out = graph::npy::head_of_file(header);
  if (!of.is_float || of.bytes == 4) return out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (uint64_t i = 0; i < all; ++i) {
    const auto value = static_cast<float>(number_at(element, bytes.data() + i * of.bytes));
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof raw);
    out.append(raw, sizeof raw);
  }
  return out;
}

}  // namespace kerr::jobs

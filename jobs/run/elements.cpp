#include "jobs/run/elements.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "graph/encode.hpp"
#include "isa/text/cursor.hpp"

namespace kerr::jobs {

namespace {

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
void store(T value, std::vector<std::byte>& bytes) {
  const size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

template <class T>
bool store_whole(double number, std::vector<std::byte>& bytes) {
  if (std::trunc(number) != number || number < static_cast<double>(std::numeric_limits<T>::min()) ||
      number > static_cast<double>(std::numeric_limits<T>::max()))
    return false;
  store(static_cast<T>(number), bytes);
  return true;
}

}  // namespace

std::optional<Element> element_named(std::string_view name) {
  for (const ElementInfo& each : kElements)
    if (each.name == name) return each.element;
  return std::nullopt;
}

Element parse_element(std::string_view name) {
  if (const auto found = element_named(name)) return *found;
  isa::text::Suggestion near{std::string(name)};
  for (const ElementInfo& each : kElements) near.consider(each.name);
  const std::string suggestion = near.text();
  throw std::invalid_argument(fmt::format("there is no format '{}'{}", name,
                                          suggestion.empty() ? "; there are " + element_names() : suggestion));
}

std::string element_names() {
  std::string all;
  for (const ElementInfo& each : kElements) all += (all.empty() ? "" : ", ") + std::string(each.name);
  return all;
}

double number_at(Element element, const std::byte* bytes) {
  switch (element) {
    case Element::U32: return load<uint32_t>(bytes);
    case Element::I32: return load<int32_t>(bytes);
    case Element::U16: return load<uint16_t>(bytes);
    case Element::I16: return load<int16_t>(bytes);
    case Element::U8: return load<uint8_t>(bytes);
    case Element::I8: return load<int8_t>(bytes);
    case Element::Fp32: return double{load<float>(bytes)};
    case Element::Fp16: return double{graph::fp16_to_float(load<uint16_t>(bytes))};
    case Element::Bf16: return double{graph::bf16_to_float(load<uint16_t>(bytes))};
  }
  return 0;
}

bool append(Element element, double number, std::vector<std::byte>& bytes) {
  switch (element) {
    case Element::U32: return store_whole<uint32_t>(number, bytes);
    case Element::I32: return store_whole<int32_t>(number, bytes);
    case Element::U16: return store_whole<uint16_t>(number, bytes);
    case Element::I16: return store_whole<int16_t>(number, bytes);
    case Element::U8: return store_whole<uint8_t>(number, bytes);
    case Element::I8: return store_whole<int8_t>(number, bytes);
    case Element::Fp32: store(static_cast<float>(number), bytes); return true;
    case Element::Fp16: store(graph::float_to_fp16(static_cast<float>(number)), bytes); return true;
    case Element::Bf16: store(graph::float_to_bf16(static_cast<float>(number)), bytes); return true;
  }
  return false;
}

}  // namespace kerr::jobs

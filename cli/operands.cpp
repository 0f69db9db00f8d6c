#include "cli/operands.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "graph/parse.hpp"

namespace kerr::cli {

namespace {

std::optional<uint32_t> whole(std::string_view text) {
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "0.1..4", of numbers as "-1e3" too.
std::optional<graph::Range> range_of(std::string_view name, std::string_view text) {
  const size_t dots = text.find("..");
  if (dots == std::string_view::npos) return std::nullopt;
  const auto number = [&](std::string_view digits) {
    float value = 0;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value))
      throw std::invalid_argument(
          fmt::format("--{}: a range is written LOW..HIGH, as 0.1..4 or -1e3..1e3, not '{}'", name, text));
    return value;
  };
  const graph::Range range{number(text.substr(0, dots)), number(text.substr(dots + 2))};
  if (range.low > range.high)
    throw std::invalid_argument(fmt::format("--{}: the range {} begins above its end", name, text));
  return range;
}

// "512x1024", or "768": one row; perhaps ":int32" and ":0..9" behind it.
jobs::Operand operand_of(std::string_view name, std::string_view text) {
  jobs::Operand operand{graph::Matrix(graph::Shape{}), {}};
  while (text.find(':') != std::string_view::npos) {
    const size_t colon = text.rfind(':');
    const std::string_view word = text.substr(colon + 1);
    text = text.substr(0, colon);
    if (const auto range = range_of(name, word)) {
      if (operand.range) throw std::invalid_argument(fmt::format("--{}: a range is given twice", name));
      operand.range = range;
      continue;
    }
    if (const auto format = kernels::format_named(word)) {
      if (operand.matrix.format) throw std::invalid_argument(fmt::format("--{}: a format is given twice", name));
      operand.matrix.format = format;
      continue;
    }
    std::string all;
    for (const kernels::FormatInfo& known : kernels::kFormats) all += fmt::format(" {}", known.name);
    throw std::invalid_argument(
        fmt::format("--{}: no format is named '{}'; there are{}, and ranges are written LOW..HIGH", name, word, all));
  }
  const size_t x = text.find('x');
  const auto rows = x == std::string_view::npos ? std::optional<uint32_t>(1) : whole(text.substr(0, x));
  const auto columns = whole(x == std::string_view::npos ? text : text.substr(x + 1));
  if (!rows || !columns)
    throw std::invalid_argument(fmt::format(
        "--{} {}: a shape is written ROWSxCOLUMNS, or COLUMNS for one row, and perhaps :FORMAT and :LOW..HIGH", name,
        text));
  if (uint64_t{*rows} * *columns > graph::kMostElements) {
    throw std::invalid_argument(fmt::format("--{} {}: more than {} elements", name, text, graph::kMostElements));
  }
  operand.matrix.shape = {*rows, *columns};
  return operand;
}

}  // namespace

graph::Graph parse_expression(const std::string& text, const Shapes& given, kernels::Format format,
                              jobs::Operands* used) {
  jobs::Operands shapes;
  for (const auto& [name, shape] : given) {
    jobs::Operand& operand = shapes.insert_or_assign(name, operand_of(name, shape)).first->second;
    if (!operand.matrix.format && kernels::is_integer(format)) operand.matrix.format = format;
  }
  jobs::Operands found_shapes;
  graph::Graph graph = graph::parse(text, [&](std::string_view name) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) {
      throw std::invalid_argument(fmt::format("what shape has '{}'? Say '--{} ROWSxCOLUMNS'", name, name));
    }
    return found_shapes.insert(*found).first->second.matrix;
  });
  for (const auto& [name, operand] : shapes) {
    if (!found_shapes.contains(name))
      throw std::invalid_argument(fmt::format("--{}: the expression has no '{}'", name, name));
  }
  if (used) *used = std::move(found_shapes);
  return graph;
}

}  // namespace kerr::cli

#include "cli/operands.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cli/files.hpp"
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

// "a.npy", and the format of its numbers if one was given.
jobs::Operand read_operand(std::string_view name, std::string_view file, jobs::Operand operand,
                           kernels::Format format) {
  if (operand.range)
    throw std::invalid_argument(fmt::format("--{} {}: a range is for random numbers, and these are given", name, file));
  operand.own = jobs::read_numbers(std::string(file), operand.matrix.format, format);
  const graph::Tensor& tensor = operand.own->tensor;
  if (operand.own->batch != 1)
    throw std::invalid_argument(fmt::format("--{} {} is a batch of {} matrices, and an expression is of single ones",
                                            name, operand.own->from, operand.own->batch));
  operand.matrix.shape = {tensor.rows, tensor.columns};
  if (kernels::is_integer(tensor.format)) operand.matrix.format = tensor.format;
  return operand;
}

// "512x1024", or "768": one row; perhaps ":int32" and ":0..9" behind it. Or "a.npy", perhaps ":int32" behind it.
jobs::Operand operand_of(std::string_view name, std::string_view text, kernels::Format format) {
  jobs::Operand operand{graph::Matrix(graph::Shape{})};
  while (text.find(':') != std::string_view::npos) {
    const size_t colon = text.rfind(':');
    const std::string_view word = text.substr(colon + 1);
    if (names_numbers(word)) break;  // the colon is one of a path
    text = text.substr(0, colon);
    if (const auto range = range_of(name, word)) {
      if (operand.range) throw std::invalid_argument(fmt::format("--{}: a range is given twice", name));
      operand.range = range;
      continue;
    }
    if (const auto named = kernels::format_named(word)) {
      if (operand.matrix.format) throw std::invalid_argument(fmt::format("--{}: a format is given twice", name));
      operand.matrix.format = named;
      continue;
    }
    std::string all;
    for (const kernels::FormatInfo& known : kernels::kFormats) all += fmt::format(" {}", known.name);
    throw std::invalid_argument(
        fmt::format("--{}: no format is named '{}'; there are{}, and ranges are written LOW..HIGH", name, word, all));
  }
  if (names_numbers(text)) return read_operand(name, text, std::move(operand), format);
  const size_t x = text.find('x');
  const auto rows = x == std::string_view::npos ? std::optional<uint32_t>(1) : whole(text.substr(0, x));
  const auto columns = whole(x == std::string_view::npos ? text : text.substr(x + 1));
  if (!rows || !columns)
    throw std::invalid_argument(
        fmt::format("--{} {}: a shape is written ROWSxCOLUMNS, or COLUMNS for one row, and perhaps :FORMAT and "
                    ":LOW..HIGH; the name of a file of numbers ends in .npy or has a slash",
                    name, text));
  if (uint64_t{*rows} * *columns > graph::kMostElements) {
    throw std::invalid_argument(fmt::format("--{} {}: more than {} elements", name, text, graph::kMostElements));
  }
  operand.matrix.shape = {*rows, *columns};
  return operand;
}

}  // namespace

std::vector<NamedFile> files_of(const Shapes& given) {
  std::vector<NamedFile> files;
  for (const auto& [name, text] : given) {
    std::string_view file = text;
    for (size_t colon = 0;
         (colon = file.rfind(':')) != std::string_view::npos && !names_numbers(file.substr(colon + 1));)
      file = file.substr(0, colon);
    if (names_numbers(file)) files.push_back({"--" + name, std::string(file)});
  }
  return files;
}

graph::Graph parse_expression(const std::string& text, const Shapes& given, kernels::Format format,
                              jobs::Operands* used) {
  jobs::Operands shapes;
  for (const auto& [name, shape] : given) {
    jobs::Operand& operand = shapes.insert_or_assign(name, operand_of(name, shape, format)).first->second;
    if (!operand.matrix.format && kernels::is_integer(format)) operand.matrix.format = format;
  }
  std::set<std::string_view> found_names;
  graph::Graph graph = graph::parse(text, [&](std::string_view name) {
    const auto found = shapes.find(name);
    if (found == shapes.end()) {
      throw std::invalid_argument(
          fmt::format("what shape has '{}'? Say '--{} ROWSxCOLUMNS', or '--{} FILE.npy'", name, name, name));
    }
    found_names.insert(found->first);
    return found->second.matrix;
  });
  for (const auto& [name, operand] : shapes) {
    if (!found_names.contains(name))
      throw std::invalid_argument(fmt::format("--{}: the expression has no '{}'", name, name));
  }
  if (used) *used = std::move(shapes);
  return graph;
}

}  // namespace kerr::cli

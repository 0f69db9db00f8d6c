#include "graph/language/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "graph/language/mistake.hpp"

namespace kerr::graph {

using kernels::Along;

size_t Call::by_place() const {
  return static_cast<size_t>(std::ranges::count_if(arguments_, [](const Argument& a) { return a.keyword.empty(); }));
}

std::optional<size_t> Call::index_of(Parameter parameter) const {
  std::optional<size_t> found;
  for (size_t i = 0, place = 0; i < arguments_.size(); ++i) {
    const bool by_place = arguments_[i].keyword.empty();
    const bool is_it =
        by_place ? place++ == parameter.place
                 : std::ranges::any_of(parameter.names, [&](const char* n) { return n == arguments_[i].keyword; });
    if (!is_it) continue;
    if (found) refuse(arguments_[i], fmt::format("'{}' is given twice", *parameter.names.begin()));
    found = i;
  }
  return found;
}

const Argument* Call::peek(Parameter parameter) const {
  const auto found = index_of(parameter);
  return found ? &arguments_[*found] : nullptr;
}

const Argument* Call::find(Parameter parameter) {
  const auto found = index_of(parameter);
  if (!found) return nullptr;
  taken_[*found] = true;
  return arguments_[*found].is_none ? nullptr : &arguments_[*found];
}

const Argument& Call::required(Parameter parameter) {
  const Argument* found = find(parameter);
  if (!found) refuse(fmt::format("{} needs '{}'", name_, *parameter.names.begin()));
  return *found;
}

Graph::Node Call::matrix(Parameter parameter) { return value(parameter).node; }

Value Call::value(Parameter parameter) {
  const Argument& found = required(parameter);
  if (!found.node) refuse(found, "a matrix or a number is expected");
  most_axes_ = std::max(most_axes_.value_or(0), found.axes);
  return {*found.node, found.axes};
}

Graph::Node Call::two_axes(Parameter parameter) {
  const Value found = value(parameter);
  if (found.axes == 1)
    refuse(*peek(parameter), fmt::format("{} takes a matrix, and this is a vector, as in NumPy: x[5:6], x[:, 3:4] and "
                                         "keepdims=True keep a matrix, v[None, :] and v[:, None] make one of a vector",
                                         name_));
  return found.node;
}

uint32_t Call::axes_of_first() const {
  const Argument* first = peek({0, {"x", "a", "input"}});
  if (first && first->is_sequence && !first->sequence.empty()) first = &first->sequence.front();
  return first ? first->axes : 2;
}

std::optional<double> Call::number(Parameter parameter) {
  const Argument* found = find(parameter);
  if (!found) return std::nullopt;
  return number(*found);
}

std::optional<uint64_t> Call::whole(Parameter parameter) {
  const Argument* found = find(parameter);
  if (!found) return std::nullopt;
  return whole(*found);
}

double Call::number(const Argument& argument) const {
  const auto& folded = argument.node ? graph.item(*argument.node).folded : std::nullopt;
  if (!folded) refuse(argument, "a number is expected, not a matrix");
  return graph.item(*argument.node).type == NodeType::Integer ? folded->as_integer : folded->exact;
}

int64_t Call::integer(const Argument& argument) const {
  const double value = number(argument);
  if (value != std::trunc(value) || std::abs(value) > 0x1p53) refuse(argument, "a whole number is expected");
  return static_cast<int64_t>(value);
}

uint64_t Call::whole(const Argument& argument) const {
  uint64_t literal = 0;  // more digits than a double has
  const char* const end = argument.text.data() + argument.text.size();
  const auto read = std::from_chars(argument.text.data(), end, literal);
  if (read.ec == std::errc() && read.ptr == end) return literal;
  const int64_t value = integer(argument);
  if (value < 0) refuse(argument, "a whole number from 0 on is expected");
  return static_cast<uint64_t>(value);
}

uint32_t Call::size(const Argument& argument) const {
  const uint64_t value = whole(argument);
  if (value > kLargestSize) refuse(argument, fmt::format("a number up to {} is expected", kLargestSize));
  return static_cast<uint32_t>(value);
}

bool Call::truth(Parameter parameter, bool when_absent) {
  const Argument* found = find(parameter);
  if (!found) return when_absent;
  const double value = found->node && graph.item(*found->node).folded ? number(*found) : 2;
  if (value != 0 && value != 1) refuse(*found, "True or False is expected");
  return value == 1;
}

std::optional<Along> Call::axis(size_t place) {
  const Argument* found = find({place, {"axis", "dim", "axes"}});
  if (!found) return std::nullopt;
  const uint32_t axes = axes_of_first();
  const auto along = [&](const Argument& one) {
    const int64_t axis = integer(one);
    if (axes == 0) refuse(one, "a single number has no axis: leave it out");
    if (axes == 1) {
      if (axis == 0 || axis == -1) return Along::Row;
      refuse(one,
             "a vector has one axis, 0, as in NumPy; x[5:6], x[:, 3:4] and keepdims=True keep a matrix, "
             "v[None, :] and v[:, None] make one of a vector");
    }
    if (axis < -2 || axis > 1) {
      refuse(one,
             "a matrix has axis 0, along its columns (a number for each column), and axis 1 or -1, along its rows");
    }
    return axis == 1 || axis == -1 ? Along::Row : Along::Column;
  };
  if (!found->is_sequence) return along(*found);
  if (found->sequence.size() == 1) return along(found->sequence.front());
  if (found->sequence.size() != 2 || along(found->sequence[0]) == along(found->sequence[1]))
    refuse(*found, "one axis, or both of them, are expected");
  return std::nullopt;
}

Shape Call::shape(size_t place) {
  const Argument& first = required({place, {"shape", "size"}});
  if (first.is_sequence) {
    if (first.sequence.empty() || first.sequence.size() > 2)
      refuse(first, "a matrix has rows and columns: (rows, columns)");
    gives(static_cast<uint32_t>(first.sequence.size()));
    if (first.sequence.size() == 1) return {1, size(first.sequence[0])};
    return {size(first.sequence[0]), size(first.sequence[1])};
  }
  const Argument* second = first.keyword.empty() ? find({place + 1, {"columns"}}) : nullptr;
  gives(second ? 2 : 1);
  return second ? Shape{size(first), size(*second)} : Shape{1, size(first)};
}

void Call::finish() const {
  for (size_t i = 0; i < arguments_.size(); ++i) {
    if (taken_[i]) continue;
    const std::string_view keyword = arguments_[i].keyword;
    if (keyword == "dtype")
      refuse(arguments_[i], fmt::format("{} takes no 'dtype=': convert with fp32(...), bf16(...), int32(...)", name_));
    if (!keyword.empty()) refuse(arguments_[i], fmt::format("{} takes no '{}='", name_, keyword));
    refuse(arguments_[i], fmt::format("{} takes no more than {} argument{}", name_, i, i == 1 ? "" : "s"));
  }
}

void Call::refuse(const std::string& sentence) const { throw Mistake(at_, sentence); }
void Call::refuse(const Argument& argument, const std::string& sentence) { throw Mistake(argument.at, sentence); }

}  // namespace kerr::graph

#include "loops/arithmetic.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <utility>

#include "loops/apply.hpp"

namespace kerr::loops {

namespace {

constexpr size_t kTypeCount = std::size(kTypes);

// A row of functions, a type each; null where the verb has none of the type.
using Compute = uint64_t (*)(uint64_t, uint64_t, uint64_t);
template <Verb v, size_t... kIndices>
constexpr std::array<Compute, kTypeCount> compute_row(std::index_sequence<kIndices...>) {
  constexpr auto kOne = []<size_t kIndex>(std::integral_constant<size_t, kIndex>) -> Compute {
    constexpr auto kType = static_cast<Type>(kIndex);
    if constexpr (computes(v, kType))
      return &apply<v, kType>;
    else
      return nullptr;
  };
  return {kOne(std::integral_constant<size_t, kIndices>())...};
}
constexpr std::array<Compute, kTypeCount> kCompute[] = {
#define X(verb, name, operands, kind) compute_row<Verb::verb>(std::make_index_sequence<kTypeCount>()),
#include "loops/operations.def"
};

using Convert = uint64_t (*)(uint64_t);
template <size_t kTo, size_t... kFrom>
constexpr std::array<Convert, kTypeCount> convert_row(std::index_sequence<kFrom...>) {
  return {&apply_cast<static_cast<Type>(kTo), static_cast<Type>(kFrom)>...};
}
template <size_t... kTo>
constexpr std::array<std::array<Convert, kTypeCount>, kTypeCount> convert_rows(std::index_sequence<kTo...>) {
  return {convert_row<kTo>(std::make_index_sequence<kTypeCount>())...};
}
constexpr auto kConvert = convert_rows(std::make_index_sequence<kTypeCount>());

}  // namespace

uint64_t compute(Verb verb, Type type, std::span<const uint64_t> inputs) {
  if (!is_arithmetic(verb)) throw std::invalid_argument("compute() is for arithmetic");
  const Operation& row = operation(verb);
  const Compute function =
      kCompute[static_cast<size_t>(verb) - static_cast<size_t>(Verb::Add)][static_cast<size_t>(type)];
  if (!function || inputs.size() != row.operands)
    throw std::invalid_argument(std::string(row.name) + " of " + std::string(info(type).name) + " and " +
                                std::to_string(inputs.size()) + " operands is not there");
  const IeeeFloats floats;
  return function(inputs[0], inputs.size() > 1 ? inputs[1] : 0, inputs.size() > 2 ? inputs[2] : 0);
}

uint64_t convert(Type to, Type from, uint64_t bits) {
  const IeeeFloats floats;
  return kConvert[static_cast<size_t>(to)][static_cast<size_t>(from)](bits);
}

}  // namespace kerr::loops

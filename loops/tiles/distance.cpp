#include "loops/tiles/distance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace kerr::loops::tiles {

namespace {

constexpr double kUnbounded = std::numeric_limits<double>::infinity();

bool is_float(const Operand& operand) { return operand.type.type == Type::F32 || operand.type.type == Type::Bf16; }

// A unit of an operand is up to two of the quotient, if that lies lower in its binade; both results are rounded.
double quotient(double a, double b) { return a + b == 0 ? 0 : 2 * (a + b) + 1; }
// Mantissas x and y below 2 make x times b's units and y times a's; with x y below 2 that is the most where one of them
// is 1 and the other is 2, and beyond, units of the product are twice as large.
double product(double a, double b) { return a + b == 0 ? 0 : a + b + std::max(a, b) + 1; }
double sum(double a, double b) { return std::max(a, b) == 0 ? 0 : 2 * std::max(a, b) + 1; }

struct Known {
  double ulps = 0;
  bool never_negative = false;  // nor NaN of what is not
  bool has_ends = false;        // it may be 0 or infinite where the definition's is not, and the other way round
};

// A unit from the smallest number to 0, or from the largest to infinity, is any number of units of a product.
Known of_product(double ulps, std::span<const Known> in) {
  if (in[0].has_ends || in[1].has_ends) ulps = kUnbounded;
  return {ulps, in[0].never_negative && in[1].never_negative, ulps != 0};
}

Known of(const Instruction& i, std::span<const Known> in, bool quotients) {
  const bool exact = std::ranges::all_of(in, [](const Known& k) { return k.ulps == 0; });
  const bool has_ends = std::ranges::any_of(in, &Known::has_ends);
  switch (i.verb) {
    case Verb::Exp2: return {exact ? 1.0 : kUnbounded, true};  // 0 and infinite where the definition's is
    case Verb::Log2:
    case Verb::Sin: return {exact ? 1.0 : kUnbounded, false};
    case Verb::Neg: return {in[0].ulps, false, has_ends};
    case Verb::Sqrt: return {exact ? 0 : kUnbounded, true};  // of what overflows for one of them alone
    case Verb::Mul: return of_product(product(in[0].ulps, in[1].ulps), in);
    case Verb::Fdiv: return of_product(quotient(in[0].ulps, in[1].ulps) + (quotients ? 1 : 0), in);
    case Verb::Add:
      if (in[0].never_negative && in[1].never_negative) return {sum(in[0].ulps, in[1].ulps), true, !exact};
      return {exact ? 0 : kUnbounded, false};
    case Verb::Max: return {std::max(in[0].ulps, in[1].ulps), false, has_ends};
    case Verb::Where: return {in[0].ulps == 0 ? std::max(in[1].ulps, in[2].ulps) : kUnbounded, false, has_ends};
    default: return {exact ? 0 : kUnbounded, false};
  }
}

// Places in the order of the numbers, without denormals.
int64_t place_of(Type type, uint32_t bits) {
  const int shift = type == Type::Bf16 ? 16 : 0;
  const auto magnitude = static_cast<int64_t>((bits << shift & 0x7FFFFFFF) >> shift);
  const int64_t smallest = 0x00800000 >> shift;
  const int64_t place = std::max<int64_t>(magnitude - smallest + 1, 0);
  return (bits << shift & 0x80000000) != 0 ? -place : place;
}
bool is_nan(Type type, uint32_t bits) { return (bits << (type == Type::Bf16 ? 16 : 0) & 0x7FFFFFFF) > 0x7F800000; }

}  // namespace

std::optional<std::vector<double>> bounds_with_quick_functions(const Program& program, const std::vector<bool>& lines,
                                                               bool quotients) {
  std::vector<Known> known(program.values.size());
  for (size_t at = 0; at < program.body.size(); ++at) {
    const Instruction& i = program.body[at];
    if (!lines[at] || i.verb == Verb::Load) continue;
    std::vector<Known> in;
    for (const Operand& operand : i.inputs()) {
      const bool positive = is_float(operand) && (operand.bits >> (8 * info(operand.type.type).bytes - 1) & 1) == 0;
      in.push_back(operand.is_number() ? Known{0, positive} : known[operand.value]);
    }
    known[i.result] = of(i, in, quotients);
    if (known[i.result].ulps == kUnbounded) return std::nullopt;
  }
  std::vector<double> bounds(known.size());
  std::ranges::transform(known, bounds.begin(), &Known::ulps);
  return bounds;
}

bool has_quick_form(Verb verb) { return verb == Verb::Exp2 || verb == Verb::Log2 || verb == Verb::Sin; }

double ulps_between(Type type, uint32_t a, uint32_t b) {
  if (is_nan(type, a) || is_nan(type, b)) return is_nan(type, a) && is_nan(type, b) ? 0 : kUnbounded;
  return static_cast<double>(std::abs(place_of(type, a) - place_of(type, b)));
}

void take_over(Type type, std::span<const std::byte> made, std::span<std::byte> right) {
  const size_t size = info(type).bytes;
  for (size_t at = 0; at + size <= right.size(); at += size) {
    uint32_t a = 0, b = 0;
    std::memcpy(&a, &made[at], size);
    std::memcpy(&b, &right[at], size);
    if (a != b && ulps_between(type, a, b) <= kMostUlps) std::memcpy(&right[at], &a, size);
  }
}

}  // namespace kerr::loops::tiles

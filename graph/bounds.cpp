#include "graph/bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "graph/evaluate.hpp"
#include "graph/packer_rounding.hpp"
#include "graph/tensor.hpp"

namespace kerr::graph {

using kernels::Format;
using kernels::Operation;

namespace {

constexpr double kLargestFp16 = 131008;              // which infinity and NaN become too
constexpr double kLargestOfBlock = 0x1.fep127;       // sixteen with a larger one are no numbers
constexpr double kJump = 0.02;                       // of a number: what jumps by less tells by its bounds
constexpr double kSurelyDenormal = 0x1.fffffep-127;  // what is smaller is not rounded up to a normal number

double unit(double size, int bits) { return std::isfinite(size) ? last_place(size, bits) : 0; }

bool same(double a, double b) { return a == b && std::signbit(a) == std::signbit(b); }

// Where an operation on what may be off is furthest from its value: at the ends; at zero, where many of them turn; at
// NaN; and of integers anywhere, if there are few.
struct Samples {
  std::array<double, 12> at{};
  size_t count = 0;
  void add(double x) { at[count++] = x; }
};
Samples samples(const Bounded& x, bool integer) {
  Samples all;
  if (x.plus_nan && !integer) all.add(std::numeric_limits<double>::quiet_NaN());
  if (x.minus_nan && !integer) all.add(-std::numeric_limits<double>::quiet_NaN());
  if (!x.number()) return all;
  const double low = integer ? std::max(std::ceil(x.low), -0x1p31) : x.low;
  const double high = integer ? std::min(std::floor(x.high), 0x1p32 - 1) : x.high;
  if (integer && high - low <= 8) {
    for (double at = low; at <= high; ++at) all.add(at);
    if (high >= low) return all;
  }
  all.add(low);
  if (same(low, high)) return all;
  all.add(high);
  if (low <= 0 && high >= 0 && !integer) all.add(-0.0), all.add(0.0);
  if (low < 0 && high > 0 && integer) all.add(0);
  return all;
}

// Operations on integers that, within an interval, are largest and smallest at one of its ends, or at zero.
bool turns_at_zero_only(Operation operation) {
  using enum Operation;
  return !is_one_of<Divide, Modulo, And, Or, Xor, Not, ShiftLeft, ShiftRight, ShiftRightLogical>(operation);
}

// The hull of what samples make.
class Hull {
 public:
  void add(double x) {
    if (std::isnan(x)) {
      (std::signbit(x) ? out_.minus_nan : out_.plus_nan) = true;
      return;
    }
    if (x < out_.low || (same(x, -0.0) && out_.low == 0)) out_.low = x;
    if (x > out_.high || (same(x, 0.0) && out_.high == 0)) out_.high = x;
  }
  void add_everything() { out_.low = -kInfinity, out_.high = kInfinity, out_.plus_nan = out_.minus_nan = true; }
  Bounded take() const { return out_; }

 private:
  Bounded out_{.low = kInfinity, .high = -kInfinity};
};

// What is not seen at the samples.
void add_between_samples(Operation operation, const std::array<Bounded, 3>& from, double value, Hull& hull) {
  const Bounded& x = from[0];
  const auto lowest = [&](double at) {
    if (x.low < at && at < x.high) hull.add(evaluate(operation, at, 0, 0));
  };
  switch (operation) {
    case Operation::Sin:
    case Operation::Cos: {  // its slope is at most 1
      const double error = std::max(x.high - x.value, x.value - x.low);
      if (!std::isfinite(error)) return hull.add(-1), hull.add(1);
      hull.add(std::max(value - error, -1.0)), hull.add(std::min(value + error, 1.0));
      return;
    }
    case Operation::Tan: {
      const auto branch = [](double at) { return std::floor(at / M_PI + 0.5); };
      if (!(branch(x.low) == branch(x.high))) hull.add(-kInfinity), hull.add(kInfinity);
      return;
    }
    case Operation::Gelu: return lowest(-0.75179);
    case Operation::Silu: return lowest(-1.27846);
    case Operation::Power:  // whole exponents of negative numbers are islands
      if (from[1].low < from[1].high && x.low < 0 && std::ceil(from[1].low) <= std::floor(from[1].high))
        hull.add_everything();
      return;
    case Operation::Equal:
    case Operation::NotEqual:
      if (!(x.exact() && from[1].exact()) && x.low <= from[1].high && from[1].low <= x.high) hull.add(0), hull.add(1);
      return;
    default: return;
  }
}

// By all that the sources may be.
Bounded hull_of(Operation operation, bool integers, size_t sources, const std::array<Bounded, 3>& from, double value) {
  const bool of_integers = integers && kernels::info(operation).types != kernels::OperationTypes::ToInteger;
  std::array<Samples, 3> at{};
  bool off = false, wide = false;
  for (size_t i = 0; i < 3; ++i) {
    at[i] = samples(i < sources ? from[i] : Bounded{}, of_integers);
    off = off || at[i].count != 1;
    wide = wide || from[i].high - from[i].low > 8;
  }
  if (of_integers && wide && !turns_at_zero_only(operation)) return Bounded::anything(value);
  Hull hull;
  for (size_t i = 0; i < at[0].count; ++i) {
    for (size_t j = 0; j < at[1].count; ++j) {
      for (size_t k = 0; k < at[2].count; ++k) {
        hull.add(integers ? evaluate_integers(operation, at[0].at[i], at[1].at[j], at[2].at[k])
                          : evaluate(operation, at[0].at[i], at[1].at[j], at[2].at[k]));
      }
    }
  }
  if (off) add_between_samples(operation, from, value, hull);
  Bounded out = hull.take();
  // What wraps around at one end may be anywhere between.
  if (of_integers && out.high - out.low >= 0x1p31) return Bounded::anything(value);
  return out;
}

double settled(double x) {
  if (std::abs(x) >= kInfinityFrom) return std::copysign(kInfinity, x);
  return std::abs(x) < kSurelyDenormal ? std::copysign(0.0, x) : x;
}

// Numbers that FP32 does not have: beyond its ends infinity, below its normal numbers zero of either sign.
void settle(Bounded& x) {
  const bool was_zero = x.value == 0;
  x.value = settled(x.value);
  x.flushed = !was_zero && x.value == 0;
  if (!x.number()) return;
  if (x.low >= kInfinityFrom) x.low = kInfinity;
  if (x.high > kLargestFp32) x.high = kInfinity;
  if (x.high <= -kInfinityFrom) x.high = -kInfinity;
  if (x.low < -kLargestFp32) x.low = -kInfinity;
  x.low = std::min(x.low, std::max(kLargestFp32, x.high == kInfinity && x.low == kInfinity ? kInfinity : 0));
  x.high = std::max(x.high, std::min(-kLargestFp32, x.low == -kInfinity && x.high == -kInfinity ? -kInfinity : 0));
  // Denormals may be zero; what is surely denormal is.
  if (x.low > 0 && x.low < kLeastFp32) x.low = 0;
  if (x.high < 0 && x.high > -kLeastFp32) x.high = 0;
  if (x.high > kSurelyDenormal && x.high < kLeastFp32) x.high = kLeastFp32;
  if (x.low < -kSurelyDenormal && x.low > -kLeastFp32) x.low = -kLeastFp32;
  const bool low_is_tiny = x.low < 0 && x.low >= -kSurelyDenormal,
             high_is_tiny = x.high > 0 && x.high <= kSurelyDenormal;
  if (low_is_tiny) x.low = -0.0;
  if (high_is_tiny) x.high = 0.0;
  if (x.low == 0 && x.high == 0 && (low_is_tiny || high_is_tiny || x.flushed)) x.low = -0.0, x.high = 0.0;
}

double least_normal(const Bounded& x) { return x.of_fp16 ? 0x1p-14 : kLeastFp32; }

bool differ(const Bounded& a, const Bounded& b) {
  const double low = std::min(a.low, b.low), high = std::max(a.high, b.high);
  return !a.number() || !b.number() || !(high - low <= kJump * std::max(std::abs(low), std::abs(high)));
}

// One of two, or which of them is not known. NaN holds.
Bounded choice(const Bounded& condition, const Bounded& then, const Bounded& otherwise) {
  const auto holds = [](double x) { return x != 0; };
  const bool may_hold = condition.nan() || (condition.number() && (condition.low != 0 || condition.high != 0));
  const bool may_not = condition.number() && condition.low <= 0 && condition.high >= 0;
  Bounded out = may_hold && may_not ? either(then, otherwise) : may_hold ? then : otherwise;
  out.value = holds(condition.value) ? then.value : otherwise.value;
  out.likely = holds(condition.likely) ? then.likely : otherwise.likely;
  out.open = out.open || (may_hold && may_not && differ(then, otherwise));
  return out;
}

// What jumps between numbers, so that all between its bounds is no result: a comparison of what is nearly equal tells
// nothing.
bool jumps(Operation operation) {
  using enum Operation;
  return is_one_of<Sign, Less, LessEqual, Greater, GreaterEqual, Equal, NotEqual, Truncate, Floor, Ceil, Round, ToInt32,
                   ToInt16, ToUint16, ToInt8, ToUint8>(operation);
}

// Where an operation promises nothing (operations.def). An infinite power of 1 and of negative numbers may be NaN.
bool outside_domain(Operation operation, const std::array<Bounded, 3>& from) {
  const auto size = [](const Bounded& x) { return x.number() ? std::max(std::abs(x.low), std::abs(x.high)) : 0; };
  switch (operation) {
    case Operation::Sin:
    case Operation::Cos:
    case Operation::Tan: return size(from[0]) > 0x1p15;
    case Operation::Power:
      return std::isinf(size(from[1])) && from[0].number() &&
             (from[0].low < 0 || (from[0].low <= 1 && from[0].high >= 1));
    default: return false;
  }
}

// Whether a result that is zero has the sign that float64 gives it.
bool sign_of_zero_is_known(Operation operation) {
  using enum Operation;
  return is_one_of<Add, Subtract, Multiply, Square, Divide, Negate, Abs, Minimum, Maximum, Where, Reciprocal,
                   SquareRoot, ToFp32>(operation);
}

}  // namespace

Bounded either(const Bounded& a, const Bounded& b) {
  Bounded out = a;
  out.low = std::min(a.low, b.low), out.high = std::max(a.high, b.high);
  if (!a.number()) out.low = b.low, out.high = b.high;
  if (!b.number()) out.low = a.low, out.high = a.high;
  out.plus_nan = a.plus_nan || b.plus_nan, out.minus_nan = a.minus_nan || b.minus_nan;
  out.denormal = a.denormal || b.denormal, out.flushed = a.flushed && b.flushed;
  out.open = a.open || b.open;
  return out;
}

Bounded as_operand(Bounded x) {
  if (!x.denormal) return x;
  const double least = least_normal(x);
  const auto zero = [&](double at) { return std::abs(at) < least ? std::copysign(0.0, at) : at; };
  const bool was_zero = x.value == 0;
  x.value = zero(x.value), x.low = zero(x.low), x.high = zero(x.high), x.likely = zero(x.likely);
  x.flushed = x.flushed || (!was_zero && x.value == 0);
  x.denormal = x.of_fp16 = false;
  return x;
}

Bounded Bounded::exactly(double value) {
  if (!std::isnan(value)) return {.value = value, .low = value, .high = value, .likely = value};
  return {.value = value,
          .low = kInfinity,
          .high = -kInfinity,
          .likely = value,
          .plus_nan = !std::signbit(value),
          .minus_nan = std::signbit(value)};
}

Bounded Bounded::around(double value, double error) {
  if (!std::isfinite(value) || error == 0) return exactly(value);
  if (!std::isfinite(error)) return anything(value);
  return {.value = value, .low = value - error, .high = value + error, .likely = value};
}

Bounded Bounded::anything(double value) {
  return {.value = value,
          .low = -kInfinity,
          .high = kInfinity,
          .likely = value,
          .plus_nan = true,
          .minus_nan = true,
          .open = true};
}

bool Bounded::exact() const {
  return number() ? !nan() && (same(low, high) || (low == 0 && high == 0)) : plus_nan != minus_nan;
}

Told Bounded::told() const {
  if (nan()) return number() ? Told::Not : Told::ByClass;
  if (low == high) return std::isinf(low) || (flushed && low == 0) ? Told::ByClass : Told::Within;
  if (open) return Told::Not;
  if (denormal && std::max(std::abs(low), std::abs(high)) < least_normal(*this)) return Told::ByClass;
  if (std::isfinite(low) && std::isfinite(high)) return Told::Within;
  // About as large as numbers can be, or infinity.
  return low >= 0x1p126 || high <= -0x1p126 ? Told::Within : Told::Not;
}

double Bounded::error() const {
  if (exact() && !std::isfinite(low)) return 0;
  if (nan() || !std::isfinite(low) || !std::isfinite(high) || !std::isfinite(value)) return kInfinity;
  return std::max({high - value, value - low, 0.0});
}

bool Bounded::holds(double got, double least_normal) const {
  if (std::isnan(got)) return nan();
  if (got != 0 && std::abs(got) < least_normal && !denormal) return false;
  return low <= got && got <= high;
}

int mantissa_bits(Format format) {
  switch (format) {
    case Format::Bf16: return 7;
    case Format::Fp16: return 10;
    case Format::Bfp8: return 6;
    case Format::Bfp4: return 2;
    default: return 23;
  }
}

Bounded apply(Operation operation, bool integers, size_t sources, const std::array<Bounded, 3>& given) {
  const kernels::OperationInfo& what = kernels::info(operation);
  std::array<Bounded, 3> from = given;
  const bool moves = moves_bits(operation);
  if (!integers) std::ranges::transform(from, from.begin(), as_operand);
  if (operation == Operation::Where) return choice(from[0], from[1], from[2]);

  const double value = integers ? evaluate_integers(operation, from[0].value, from[1].value, from[2].value)
                                : evaluate(operation, from[0].value, from[1].value, from[2].value);
  Bounded out = hull_of(operation, integers, sources, from, value);
  out.value = value;
  out.likely = integers ? evaluate_integers(operation, from[0].likely, from[1].likely, from[2].likely)
                        : in_fp32(operation, from[0].likely, from[1].likely, from[2].likely);
  for (size_t i = 0; i < sources; ++i) out.open = out.open || from[i].told() == Told::Not;
  out.open =
      out.open || (jumps(operation) && out.high - out.low > kJump * std::max(std::abs(out.low), std::abs(out.high)));
  if (integers) return out;
  const bool sign_is_open = operation == Operation::Power ? from[1].nan() : nan_sign_is_open(operation);
  if (out.nan() && sign_is_open) out.plus_nan = out.minus_nan = true;
  if (outside_domain(operation, from)) {
    const double likely = out.likely;
    out = Bounded::anything(value);
    out.likely = likely;
    return out;
  }
  if (moves) return out;
  if (out.number() && what.fp32_ulp > 0) {
    const double near_zero = what.zero_below > -126 ? std::ldexp(1.0, what.zero_below) : 0;
    const auto own = [&](double end) { return what.fp32_ulp * unit(end, 23) + (std::isfinite(end) ? near_zero : 0); };
    // The larger end decides, as the numbers between the ends may be that large.
    const double low = own(out.low), high = own(out.high);
    if (low != 0) out.low -= low;
    if (high != 0) out.high += high;
  }
  if (out.low == 0 && out.high == 0 && !sign_of_zero_is_known(operation)) out.low = -0.0, out.high = 0.0;
  settle(out);
  return out;
}

Bounded apply(const kernels::Expression& expression, std::span<const Bounded> inputs) {
  if (expression.needs_index()) throw std::invalid_argument("what an element's place decides has no value without it");
  std::vector<Bounded> values;
  values.reserve(expression.items().size());
  for (const kernels::Expression::Item& item : expression.items()) {
    using Kind = kernels::Expression::Item::Kind;
    const bool integer = item.type == kernels::Type::Integer;
    if (item.kind == Kind::Input) {
      values.push_back(inputs[item.input]);
    } else if (item.kind == Kind::Constant) {
      values.push_back(Bounded::exactly(integer ? static_cast<int32_t>(item.constant)
                                                : double{std::bit_cast<float>(item.constant)}));
      const double size = std::abs(values.back().value);
      values.back().denormal = size > 0 && size < kLeastFp32;
    } else {
      const size_t count = kernels::info(item.operation).sources;
      const auto source = [&](size_t i) { return i < count ? values[item.sources[i]] : Bounded{}; };
      values.push_back(apply(item.operation, integer, count, {source(0), source(1), source(2)}));
    }
  }
  return values[expression.result()];
}

Bounded stored(Bounded x, Format format, double largest) {
  if (kernels::is_integer(format) || format == Format::Fp32) return x;
  x.open = x.open || x.told() == Told::Not;  // also if the format makes a number of it
  // A denormal that is only moved there may be kept. (What blocks of BFP formats hold is flagged, too, whatever its
  // size.)
  if (x.denormal && std::max(std::abs(x.low), std::abs(x.high)) < least_normal(x)) {
    x.low = std::min(x.low, 0.0), x.high = std::max(x.high, 0.0);
    return x;
  }
  if (format == Format::Bf16) {
    // To the nearest, and halves away from zero: the ends become ends. NaN becomes infinity of its sign, every zero the
    // positive one.
    const bool was_zero = x.value == 0;
    if (x.number()) x.low = to_bf16(x.low), x.high = to_bf16(x.high);
    if (x.plus_nan) x.low = std::min(x.low, kInfinity), x.high = kInfinity;
    if (x.minus_nan) x.high = std::max(x.high, -kInfinity), x.low = -kInfinity;
    x.plus_nan = x.minus_nan = false;
    const double value = to_bf16(x.value);
    if (!std::isfinite(value) || value == 0) x.value = value;  // else it stays exact
    x.flushed = x.flushed || (!was_zero && x.value == 0);
    x.likely = to_bf16(x.likely);
    return x;
  }
  if (format == Format::Fp16) {
    // It has neither infinity nor NaN: both are the largest number, of their sign.
    x.open = x.open || (x.nan() && x.number());
    if (x.plus_nan) x.low = std::min(x.low, kLargestFp16), x.high = std::max(x.high, kLargestFp16);
    if (x.minus_nan) x.low = std::min(x.low, -kLargestFp16), x.high = std::max(x.high, -kLargestFp16);
    x.plus_nan = x.minus_nan = false;
    if (std::isnan(x.value)) x.value = std::copysign(kInfinity, x.value);
    const bool was_zero = x.value == 0;
    if (x.value != 0 && std::abs(x.value) < 0x1.ffep-15) x.value = 0;
    x.flushed = x.flushed || (!was_zero && x.value == 0);
    x.value = std::clamp(x.value, -kLargestFp16, kLargestFp16);
    constexpr double kNearest = 0.51;  // of a unit
    const auto moved = [&](double at, double sign) {
      if (!std::isfinite(at) || at == 0) return at;
      const double size = std::abs(at);
      // What would be denormal is zero, or the smallest number if it was rounded up.
      if (size < 0x1.ffep-15) return 0.0;
      if (size < 0x1p-14) return sign * at > 0 ? std::copysign(0x1p-14, at) : 0.0;
      return at + sign * kNearest * unit(size, 10);
    };
    x.low = std::clamp(moved(x.low, -1), -kLargestFp16, kLargestFp16);
    x.high = std::clamp(moved(x.high, 1), -kLargestFp16, kLargestFp16);
    if (x.low == -kLargestFp16 && x.high == kLargestFp16) x.low = -kInfinity, x.high = kInfinity;  // any number at all
    x.likely = evaluate(Operation::ToFp16, x.likely, 0, 0);
    return x;
  }
  if (!(largest <= kLargestOfBlock)) return Bounded::anything(x.value);
  const double more = unit(std::max({std::abs(x.low), std::abs(x.high), largest}), mantissa_bits(format)) + kLeastFp32;
  x.low -= more, x.high += more;
  x.denormal = true;  // few bits of a small shared exponent
  return x;
}

Bounded packed_as_fp16(Bounded x) {
  x.open = x.open || (x.nan() && x.number());  // FP16 has no NaN that would tell one from the other
  if (x.plus_nan) x.low = std::min(x.low, kInfinity), x.high = kInfinity;
  if (x.minus_nan) x.high = std::max(x.high, -kInfinity), x.low = -kInfinity;
  x.plus_nan = x.minus_nan = false;
  if (std::isnan(x.value)) x.value = std::copysign(kInfinity, x.value);
  constexpr double kZeroBelow = 0x1p-15, kWholeFrom = 0x1p-14;
  const auto cut = [](double at) {
    if (std::abs(at) < kWholeFrom || !std::isfinite(at)) return std::abs(at) < kWholeFrom ? std::copysign(0.0, at) : at;
    return at - std::copysign(unit(at, 10), at);
  };
  const auto zero = [](double at) { return std::abs(at) < kZeroBelow ? std::copysign(0.0, at) : at; };
  const double smallest = x.low <= 0 && x.high >= 0 ? 0 : std::min(std::abs(x.low), std::abs(x.high));
  const double largest = std::max(std::abs(x.low), std::abs(x.high));
  x.denormal = x.of_fp16 = smallest < kWholeFrom && largest >= kZeroBelow;
  x.flushed = x.flushed || (x.value != 0 && zero(x.value) == 0);
  x.value = std::clamp(zero(x.value), -kLargestFp16, kLargestFp16);
  x.low = std::clamp(x.low > 0 ? cut(x.low) : zero(x.low), -kLargestFp16, kLargestFp16);
  x.high = std::clamp(x.high < 0 ? cut(x.high) : zero(x.high), -kLargestFp16, kLargestFp16);
  if (x.low == -kLargestFp16 && x.high == kLargestFp16) x.low = -kInfinity, x.high = kInfinity;  // any number at all
  if (std::abs(x.likely) < kWholeFrom) {
    x.likely = std::copysign(0.0, x.likely);
  } else if (std::isfinite(x.likely)) {
    const double step = unit(x.likely, 10);
    x.likely = std::clamp(std::trunc(x.likely / step) * step, -kLargestFp16, kLargestFp16);
  }
  return x;
}

void store_together(std::span<Bounded> neighbours, Format format, double largest, bool from_fp32) {
  if (format == Format::Fp16 && from_fp32) {
    for (Bounded& x : neighbours) x = packed_as_fp16(x);
    return;
  }
  if (kernels::shares_exponents(format)) {
    std::array<double, 16> likely{};
    for (size_t i = 0; i < neighbours.size(); ++i) {
      const Bounded& x = neighbours[i];
      const bool bounded = x.number() && !x.nan();
      largest = std::max(largest, bounded ? std::max(std::abs(x.low), std::abs(x.high)) : kInfinity);
      likely[i] = x.likely;
    }
    if (std::isfinite(largest)) round_as_packed(likely, format);
    for (size_t i = 0; i < neighbours.size(); ++i) neighbours[i].likely = likely[i];
  }
  for (Bounded& x : neighbours) x = stored(x, format, largest);
}

double error_of_sum(size_t terms, double sizes) {
  // Tiles are added one to the other, then the numbers of a tile's row or column.
  return (tiles_across(terms) + kTileDim) * 0x1p-23 * sizes;
}

double error_of_product(const kernels::MatmulOptions& options, size_t depth, double sum, double squares) {
  if (options.int8()) return 0;
  constexpr double kSigmas = 12;
  // Phase 0 takes the upper 5 bits of SrcA's mantissa, the hidden one included, and 7 of
  // SrcB's.   docs/hardware/tensix-math.md
  constexpr std::array<double, 4> kLeftOut = {0x1p-4 + 0x1p-6, 0x1p-6, 0x1p-10, 0};
  const auto phases = static_cast<size_t>(options.fidelity);
  const double left_out = kLeftOut[phases - 1] + (options.in == Format::Fp32 ? 0x1p-9 : 0);  // TF32 has 10 bits
  // 16 products and what was there before become one number of Dst, which is rounded: evenly within half a unit, 0.58
  // of it in the square mean. On the way to a random sum that number is 0.7 of what it ends as, and a unit is 0.7 of
  // what it is at most. Sums of one sign grow all the way.
  const double additions = static_cast<double>((depth + 15) / 16 * phases);
  const double rounding = std::sqrt(additions) * (options.dst32() ? 0x1p-23 : 0x1p-8) * 0.3;
  // In FP16 a phase loses products whose exponents add up to less than 2^-15, and those of the lower bits earlier.
  const double lost = options.in == Format::Fp16 && !options.dst32()
                          ? static_cast<double>(phases) * 0x1p-13 * std::sqrt(static_cast<double>(depth))
                          : 0;
  // Eight products are added up with 11 bits below the largest.   docs/hardware/tensix-math.md 4.2
  const double size = std::sqrt(squares), aligned = 0x1p-11 * size;
  return std::abs(sum) * (left_out + 4 * rounding) + kSigmas * size * (left_out / std::sqrt(12.0) + rounding) + lost +
         aligned;
}

}  // namespace kerr::graph

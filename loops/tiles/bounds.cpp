#include "loops/tiles/bounds.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "loops/floats.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr size_t kBlock = 32;
constexpr double kNearlyInfinite = 3.0e38;

float largest(std::span<const float> numbers) {
  float most = 0;
  for (const float number : numbers)
    if (!(std::fabs(number) <= most)) most = std::fabs(number);  // NaN stays
  return most;
}

}  // namespace

uint64_t place_of(const Layout& layout, uint64_t batch, uint64_t row, uint64_t column) {
  const uint64_t numbers[3] = {batch, row, column};
  const auto value = [&](const Digit& digit) {
    return numbers[static_cast<size_t>(digit.of)] / digit.stride % digit.extent;
  };
  uint64_t out = 0;
  for (const Digit& digit : layout.digits) {
    const uint64_t own = value(digit);
    out = out * digit.extent + (digit.from ? (value(layout.digits[*digit.from]) - own) % digit.extent : own);
  }
  return out;
}

Matrices matrices_of(std::span<const float> memory, const Layout& layout, uint64_t batches, uint64_t rows,
                     uint64_t columns, bool transposed) {
  Matrices out{batches, transposed ? columns : rows, transposed ? rows : columns, {}};
  out.values.resize(batches * rows * columns);
  for (uint64_t batch = 0; batch < batches; ++batch)
    for (uint64_t row = 0; row < rows; ++row)
      for (uint64_t column = 0; column < columns; ++column) {
        const uint64_t to =
            transposed ? (batch * columns + column) * rows + row : (batch * rows + row) * columns + column;
        out.values[to] = memory[place_of(layout, batch, row, column)];
      }
  return out;
}

Bound bound_of_sum(Engine engine, std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  for (size_t at = 0; at < a.size(); at += kBlock) {
    const size_t count = std::min(kBlock, a.size() - at);
    sum += kBlock * double{largest(a.subspan(at, count))} * double{largest(b.subspan(at, count))};
  }
  const double rounding = static_cast<double>(a.size()) * 0x1p-24;
  return {engine, sum * (engine == Engine::Matrix ? 0x1p-10 : 0x1p-22 + rounding),
          std::isfinite(sum) && sum * (1 + rounding) > kNearlyInfinite};
}

double rounding_of_products(Type type, std::span<const float> a, std::span<const float> b) {
  double sum = 0;
  if (type == Type::F32) return sum;
  for (size_t k = 0; k < a.size(); ++k) {
    const uint32_t product = std::bit_cast<uint32_t>(a[k] * b[k]);
    const uint32_t rounded = type == Type::Bf16 ? f32_of_bf16(bf16_of_f32(product)) : f32_of_f16(f16_of_f32(product));
    sum += double{std::bit_cast<float>(rounded)} - double{a[k]} * double{b[k]};
  }
  return sum;
}

bool agree(double made, double right, const Bound& bound) {
  const bool finite = std::isfinite(made) && std::isfinite(right);
  if (finite && std::fabs(made - right) <= bound.within) return true;
  // Sums whose terms are finite may leave the range in one order and not in another.
  if (bound.may_overflow && (!finite || bound.engine == Engine::Matrix)) return true;
  return std::isnan(made) == std::isnan(right) && (std::isnan(made) || made == right);
}

bool agree_rounded(float made, double right, const Bound& bound) {
  const auto rounded = [](double number) {
    return double{std::bit_cast<float>(f32_of_bf16(bf16_of_f32(std::bit_cast<uint32_t>(static_cast<float>(number)))))};
  };
  if (std::isfinite(right) && rounded(right - bound.within) <= made && made <= rounded(right + bound.within))
    return true;
  return (bound.may_overflow || !std::isfinite(made)) && agree(made, right, bound);
}

}  // namespace kerr::loops::tiles

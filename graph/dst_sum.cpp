#include "graph/dst_sum.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace kerr::graph {

using kernels::Format;

namespace {

constexpr int kGroup = 8;  // products that are added up before Dst sees them
constexpr int64_t kHidden = int64_t{1} << 23;

// Half up, of a magnitude: half away from zero.
int64_t shifted(int64_t x, int by, int less = 0) {
  if (by <= 0) return x;
  return by >= 31 ? 0 : (x + (int64_t{1} << (by - 1)) - less) >> by;
}

}  // namespace

DstSum::DstSum(const kernels::MatmulOptions& options)
    : phases_(static_cast<int>(options.fidelity)),
      wide_(options.dst32()),
      eight_(options.in != Format::Fp16),
      cut_(options.in == Format::Fp32 ? 13 : 16) {}

std::vector<DstSum::Cell> DstSum::cells(std::span<const double> numbers) const {
  std::vector<Cell> out(size_t{tiles_across(numbers.size())} * kTileDim);
  for (size_t i = 0; i < numbers.size(); ++i) {
    const double x = numbers[i];
    Cell& cell = out[i];
    cell.negative = std::signbit(x);
    if (eight_) {
      const uint32_t bits = std::bit_cast<uint32_t>(static_cast<float>(x)) >> cut_ << cut_;
      cell.exponent = static_cast<int32_t>(bits >> 23 & 0xFF);
      cell.mantissa = 0x400 | (bits >> 13 & 0x3FF);
    } else if (std::abs(x) >= 0x1p-14) {
      const int exponent = std::min(std::ilogb(x), 16);
      cell.exponent = exponent + 15;
      cell.mantissa = std::min(static_cast<uint32_t>(std::ldexp(std::abs(x), 10 - exponent)), 0x7FFu);
    }
  }
  return out;
}

// 4.1 and 4.2. SrcB holds the left matrix, SrcA the right one.
DstSum::Term DstSum::group(const Cell* row, const Cell* column, int phase) const {
  const int lower = (eight_ ? -127 : wide_ ? 97 : -15) - ((phase & 1) != 0 ? 5 : 0) - ((phase & 2) != 0 ? 7 : 0);
  std::array<int32_t, kGroup> exponents{}, products{};
  int largest = std::max(lower, 0);  // what zeros have
  for (int k = 0; k < kGroup; ++k) {
    exponents[k] = std::max(lower, 0);
    if (row[k].exponent == 0 || column[k].exponent == 0) continue;
    const uint32_t a = (phase & 1) != 0 ? column[k].mantissa >> 1 & 31 : column[k].mantissa >> 6;
    const uint32_t b = (phase & 2) != 0 ? (row[k].mantissa & 15) << 3 : row[k].mantissa >> 4;
    products[k] = static_cast<int32_t>(a * b);
    if (row[k].negative != column[k].negative) products[k] = -products[k];
    exponents[k] = row[k].exponent + column[k].exponent + lower;
    largest = std::max(largest, exponents[k]);
  }
  if (largest <= 0) return {};
  int64_t sum = 0;
  for (int k = 0; k < kGroup; ++k) {
    const int by = largest - exponents[k];
    if (by >= 13 || products[k] == 0) continue;
    const int64_t magnitude = shifted(int64_t{std::abs(products[k])} * 2, by + 1);
    sum += products[k] < 0 ? -magnitude : magnitude;
  }
  return {sum < 0, largest, std::abs(sum) << 13};
}

// 4.3
DstSum::Term DstSum::add(Term first, Term second, Term dst) const {
  int exponent = std::max({first.exponent, second.exponent, dst.exponent});
  if (exponent <= 0) return {};
  const auto aligned = [&](const Term& term, int less) {
    int64_t x = shifted(term.magnitude, exponent - term.exponent, less);
    if (!wide_) x = (x + 4096 - less) & ~int64_t{8191};
    return term.negative ? -x : x;
  };
  const int64_t all = aligned(first, first.negative) + aligned(second, second.negative) + aligned(dst, 0);
  if (all == 0) return {};
  int64_t size = std::abs(all);
  const int top = std::bit_width(static_cast<uint64_t>(size)) - 1, keep = wide_ ? 24 : eight_ ? 8 : 11;
  exponent += top - 23;
  const int drop = top + 1 - keep;
  size = drop > 0 ? shifted(size, drop) : size << -drop;
  if (size == int64_t{1} << keep) ++exponent, size >>= 1;
  if (exponent <= 0) return {};
  size <<= 24 - keep;
  if (wide_ || eight_) {
    if (exponent >= 255) return {all < 0, 255, kHidden};
  } else if (exponent >= 32) {
    return {all < 0, 31, kHidden | int64_t{0x3FF} << 13};
  }
  return {all < 0, exponent, size};
}

double DstSum::value(Term dst) const {
  const bool fp16 = !wide_ && !eight_;
  if (dst.exponent == 0) return 0;
  double size = std::ldexp(static_cast<double>(dst.magnitude), dst.exponent - (fp16 ? 15 : 127) - 23);
  if (!fp16 && dst.exponent == 255) size = std::numeric_limits<double>::infinity();
  return dst.negative ? -size : size;
}

// Tile after tile: each phase takes both halves of its 32 products.   docs/hardware/kernels.md 3.5
double DstSum::sum(std::span<const Cell> row, std::span<const Cell> column) const {
  Term dst;
  for (size_t tile = 0; tile + kTileDim <= row.size(); tile += kTileDim) {
    for (int phase = 0; phase < phases_; ++phase) {
      for (size_t k = tile; k < tile + kTileDim; k += 2 * kGroup)
        dst = add(group(&row[k], &column[k], phase), group(&row[k + kGroup], &column[k + kGroup], phase), dst);
    }
  }
  return value(dst);
}

}  // namespace kerr::graph

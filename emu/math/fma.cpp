#include "emu/math/fma.hpp"

#include <algorithm>
#include <bit>

namespace kerr::emu::math {
namespace {

constexpr uint32_t kSign = 0x80000000;
constexpr uint32_t kInfinity = 0x7F800000;
constexpr uint32_t kNan = 0x7FC00000;

struct Unpacked {
  uint32_t sign;  // bit 31
  int exponent;
  uint32_t mantissa;  // 24 bits, 0 for zero and denormals
  bool is_nan, is_infinity;
};

Unpacked unpack(uint32_t v) {
  const int e = static_cast<int>(v >> 23 & 0xFF);
  const uint32_t fraction = v & 0x7FFFFF;
  return {v & kSign, e, e ? 0x800000 | fraction : 0, e == 255 && fraction != 0, e == 255 && fraction == 0};
}

// Shifts right; bits shifted out leave a one in bit 0, but only as long as something else is left.
uint32_t shift_half_sticky(uint32_t v, int k) {
  const uint32_t q = k >= 32 ? 0 : v >> k;
  if (q == 0) return 0;
  return q | (q << k != v);
}

}  // namespace

uint32_t fma(uint32_t x, uint32_t y, uint32_t z) {
  const Unpacked a = unpack(x), b = unpack(y), c = unpack(z);
  const uint32_t product_sign = a.sign ^ b.sign;
  const uint32_t zero = c.sign & product_sign;
  const int product_exponent = a.exponent + b.exponent - 127;

  if (a.exponent == 255 || b.exponent == 255 || c.exponent == 255 || product_exponent >= 255) {
    if (a.is_nan || b.is_nan || c.is_nan) return kNan;
    if ((a.is_infinity && b.mantissa == 0) || (b.is_infinity && a.mantissa == 0)) return kNan;
    if ((a.is_infinity || b.is_infinity) && c.is_infinity && c.sign != product_sign) return kNan;
    return c.is_infinity ? z : product_sign | kInfinity;
  }

  // Both with the hidden bit at 26 (the product's may be at 27), the product with a sticky bit at 0.
  const uint64_t full = uint64_t{a.mantissa} * b.mantissa;
  uint32_t p = static_cast<uint32_t>(full >> 20) | ((full & 0xFFFFF) != 0);
  uint32_t addend = c.mantissa << 3;
  if (p == 0 || product_exponent < 0) return c.mantissa ? z : zero;

  int e = std::max(product_exponent, c.exponent);
  p = shift_half_sticky(p, e - product_exponent);
  addend = shift_half_sticky(addend, e - c.exponent);
  const int32_t sum = (product_sign ? -static_cast<int32_t>(p) : static_cast<int32_t>(p)) +
                      (c.sign ? -static_cast<int32_t>(addend) : static_cast<int32_t>(addend));
  if (sum == 0) return zero;
  const uint32_t sign = sum < 0 ? kSign : 0;
  uint32_t g = static_cast<uint32_t>(sum < 0 ? -sum : sum);

  int n = std::bit_width(g) - 1 - 26;
  e += n;
  if (e >= 255) return sign | kInfinity;
  if (e <= 0) {  // one step more, whatever e is: the result may still round up to the smallest normal number
    ++n;
    e = 0;
  }
  if (n <= 0) {
    g <<= -n;
  } else {
    const uint32_t sticky = static_cast<uint32_t>(n | 1);  // for n = 3 bit 2 is lost without trace
    g = g >> n | ((g & sticky) != 0);
  }
  uint32_t r = (static_cast<uint32_t>(e) << 23) + (g >> 3 & 0x7FFFFF);
  r += (g & 7) + (r & 1) > 4;
  if ((r & kInfinity) == 0) r = 0;
  return sign | r;
}

}  // namespace kerr::emu::math

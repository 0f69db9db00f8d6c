#include <algorithm>
#include <bit>

#include "loops/functions.hpp"

namespace kerr::loops {
namespace {

using namespace f64_functions;

constexpr uint64_t kSign = 1ull << 63, kOne = 0x3FF0000000000000, kSmallestNormal = 1ull << 52,
                   kInfinity = 0x7FF0000000000000, kNan = 0x7FF8000000000000;

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

uint64_t mulhu(uint64_t a, uint64_t b) { return static_cast<uint64_t>(Wide{a} * b >> 64); }
int64_t mulhsu(int64_t a, uint64_t b) { return static_cast<int64_t>(SignedWide{a} * static_cast<SignedWide>(b) >> 64); }

int zeros_above(Wide value) {
  const auto high = static_cast<uint64_t>(value >> 64);
  return high != 0 ? std::countl_zero(high) : 64 + std::countl_zero(static_cast<uint64_t>(value));
}

uint64_t significand(uint64_t magnitude) { return magnitude << 11 | kSign; }

// w * 2^exponent, where the highest bit of w is set, to the nearest, of two the even one.
uint64_t rounded(uint64_t w, int32_t exponent) {
  const int32_t field = exponent + 63 + 1023;
  if (field >= 0x7FF) return kInfinity;
  uint64_t below = 0;  // what a denormal loses
  if (field < 1) {
    const int32_t shift = 1 - field;
    below = shift < 64 ? (w & ((1ull << shift) - 1)) != 0 : 1;
    w = shift < 64 ? w >> shift : 0;
  }
  w |= below;
  const uint64_t result = w >> 11;
  const uint64_t up = ((w & 0x7FF) + (result & 1) + 0x3FF) >> 11;
  return (static_cast<uint64_t>(std::max(field, 1) - 1) << 52) + result + up;
}

}  // namespace

uint64_t exp2_f64(uint64_t bits) {
  const uint64_t magnitude = bits & ~kSign;
  const bool negative = bits & kSign;
  if (magnitude > kInfinity) return kNan;
  const auto exponent = static_cast<int32_t>(magnitude >> 52);
  if (exponent >= 1034) return negative ? 0 : kInfinity;  // from 2048 on
  if (exponent < 969) return kOne;                        // below 2^-54
  uint64_t f = significand(magnitude);                    // f * 2^(exponent - 1086)
  int32_t i = 0;
  if (exponent >= 1023) {
    i = static_cast<int32_t>(f >> (1086 - exponent));
    f <<= exponent - 1022;
  } else {
    f >>= 1022 - exponent;
  }
  if (negative) {
    f = -f;
    i = -i - (f != 0);
  }
  uint64_t p = kExp2[10];
  for (int k = 9; k >= 0; --k) p = mulhu(p, f) + kExp2[k];
  return rounded(kSign | mulhu(p, f) >> 1, i - 63);
}

uint64_t log2_f64(uint64_t bits) {
  constexpr int64_t kSqrtHalf = 0x3FE6A09E667F3BCD;
  const uint64_t magnitude = bits & ~kSign;
  if (magnitude > kInfinity) return kNan;
  if (magnitude == 0) return kSign | kInfinity;
  if (bits & kSign) return kNan;
  if (magnitude == kInfinity) return kInfinity;
  auto x = static_cast<int64_t>(bits);
  if (bits < kSmallestNormal) {  // as if exponents went on below 0
    const int shift = std::countl_zero(bits) - 11;
    x = static_cast<int64_t>((bits << shift) - (static_cast<uint64_t>(shift) << 52));
  }
  const int64_t i = (x - kSqrtHalf) >> 52;
  const uint64_t m = static_cast<uint64_t>(x) - (static_cast<uint64_t>(i) << 52);
  const bool below = m < kOne;
  const uint64_t r = below ? (kOne - m) << 11 : (m - kOne) << 12;  // 2^-64
  const auto& coefficients = below ? kLog2Below : kLog2Above;
  int64_t p = coefficients[15];
  for (int k = 14; k >= 0; --k) p = mulhsu(p, r) + coefficients[k];
  const Wide fraction = Wide{static_cast<uint64_t>(p)} * r >> 10;  // 2^-116
  const Wide sum = (static_cast<Wide>(i) << 116) + (below ? -fraction : fraction);
  if (sum == 0) return 0;
  const bool negative = static_cast<SignedWide>(sum) < 0;
  const Wide size = negative ? -sum : sum;
  const int zeros = zeros_above(size);
  return rounded(static_cast<uint64_t>(size << zeros >> 64), 64 - 116 - zeros) | (negative ? kSign : 0);
}

uint64_t sin_f64(uint64_t bits) {
  constexpr uint64_t kTiny = 0x3E50000000000000;  // 2^-26: from there on sin(x) is x
  const uint64_t magnitude = bits & ~kSign;
  if (magnitude >= kInfinity) return kNan;
  if (magnitude < kTiny) return bits;
  const uint64_t m = significand(magnitude);  // m * 2^(exponent - 1086)
  const auto shift = static_cast<uint32_t>(magnitude >> 52) - 992;
  const uint32_t* const words = &kTwoOverPi[shift / 32];
  const auto window = [&](int k) -> uint64_t {  // word k of the 192 bits
    return words[k] << shift % 32 | words[k + 1] >> 1 >> (31 - shift % 32);
  };
  const auto pair = [&](int k) { return window(k) << 32 | window(k + 1); };
  const Wide turns = (Wide{m * pair(0)} << 64) + Wide{m} * pair(2) + mulhu(m, pair(4));  // 2^-126
  const Wide nearest = turns + (Wide{1} << 125);
  const auto n = static_cast<uint32_t>(nearest >> 126);
  const Wide f = (nearest & (~Wide{0} >> 2)) - (Wide{1} << 125);
  const bool f_negative = static_cast<SignedWide>(f) < 0;
  const Wide distance = f_negative ? -f : f;
  const auto rounded_distance = static_cast<uint64_t>(distance >> 62);  // 2^-64
  const uint64_t square = mulhu(rounded_distance, rounded_distance);
  bool negative = (bits & kSign) != 0;
  if (n & 2) negative = !negative;
  uint64_t w;
  int32_t exponent;
  if (n & 1) {
    uint64_t p = kCos[6];
    for (int k = 5; k >= 0; --k) p = kCos[k] - mulhu(p, square);
    w = kSign - mulhu(p, square);
    exponent = -63;
  } else {
    if (f_negative) negative = !negative;
    uint64_t p = kSin[6];
    for (int k = 5; k >= 0; --k) p = kSin[k] - mulhu(p, square);
    const int zeros = zeros_above(distance);
    w = mulhu(static_cast<uint64_t>(distance << zeros >> 64), p);
    exponent = -61 - zeros;
  }
  const int zeros = std::countl_zero(w);  // 0 or 1
  return rounded(w << zeros, exponent - zeros) | (negative ? kSign : 0);
}

}  // namespace kerr::loops

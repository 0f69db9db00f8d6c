// The vector loops of every instruction set give what the scalar definitions give.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "emu/math/fma.hpp"
#include "emu/tensix/sfpu/lane_functions.hpp"
#include "emu/tensix/sfpu/lane_kernels.hpp"

namespace kerr::emu::tensix {
namespace {

using u32 = uint32_t;

const char* const kValueNames[] = {
#define VALUE(name, expression) #name,
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
};
const char* const kConditionNames[] = {
#define VALUE(name, expression)
#define CONDITION(name, expression) #name,
#include "emu/tensix/sfpu/lane_ops.def"
};

class Numbers {
 public:
  explicit Numbers(unsigned seed) : random_(seed) {}
  u32 bits() { return static_cast<u32>(random_()); }
  /// Edges more often than chance has them: exponents at both ends, near 1, small integers, no fraction.
  u32 pattern() {
    u32 v = bits();
    switch (random_() % 6) {
      case 0: v = (v & 0x807FFFFF) | (120 + random_() % 16) << 23; break;
      case 1: v = (v & 0x807FFFFF) | (random_() % 4) << 23; break;
      case 2: v = (v & 0x807FFFFF) | (252 + random_() % 4) << 23; break;
      case 3: v >>= random_() % 32; break;
      default: break;
    }
    if (random_() % 12 == 0) v &= 0xFF800000;
    if (random_() % 12 == 0) v |= 0x007FFFFF;
    return v;
  }
  /// Sign and fraction, the latter often with few ones, or few zeros, at its end.
  u32 mantissa() {
    const u32 v = bits() & 0x807FFFFF, end = (u32{1} << random_() % 24) - 1;
    return random_() % 3 == 0 ? v & ~end : random_() % 3 == 0 ? v | end : v;
  }
  LReg lanes() {
    LReg r;
    for (u32& v : r) v = pattern();
    return r;
  }

 private:
  std::mt19937 random_;
};

TEST(LaneKernels, GiveTheScalarDefinitionsResults) {
  Numbers numbers(1);
  for (const LaneKernels& k : lane_kernels()) {
    for (unsigned v = 0; v < static_cast<unsigned>(LaneValue::kCount); ++v) {
      for (int n = 0; n < 300; ++n) {
        const LReg a = numbers.lanes(), b = numbers.lanes(), c = numbers.lanes(), old = numbers.lanes();
        const u32 i = numbers.pattern();
        const LaneMask lanes = n % 2 ? kAllLanes : numbers.bits();
        LReg d = old;
        k[static_cast<LaneValue>(v)](d, a, b, c, i, lanes);
        for (unsigned l = 0; l < kLanes; ++l) {
          const u32 expected =
              lanes >> l & 1 ? lane_value(static_cast<LaneValue>(v), old[l], a[l], b[l], c[l], i) : old[l];
          ASSERT_EQ(d[l], expected) << k.name << " " << kValueNames[v] << std::hex << " a " << a[l] << " b " << b[l]
                                    << " c " << c[l] << " d " << old[l] << " i " << i;
        }
      }
    }
    for (unsigned v = 0; v < static_cast<unsigned>(LaneCondition::kCount); ++v) {
      for (int n = 0; n < 300; ++n) {
        LReg b = numbers.lanes();
        const LReg c = numbers.lanes();
        for (unsigned l = 0; l < kLanes; l += 5) b[l] = c[l];
        const LaneMask result = k[static_cast<LaneCondition>(v)](b, c);
        for (unsigned l = 0; l < kLanes; ++l) {
          ASSERT_EQ(result >> l & 1, lane_condition(static_cast<LaneCondition>(v), b[l], c[l]))
              << k.name << " " << kConditionNames[v] << std::hex << " b " << b[l] << " c " << c[l];
        }
      }
    }
  }
}

// Between Dst and a register, from even and odd columns, by 16 and 32 bits.
TEST(LaneKernels, LoadAndStoreByTheScalarDefinitions) {
  Numbers numbers(5);
  using Rows = std::array<uint16_t, 2 * kLanes>;
  const auto rows = [&] {
    Rows r;
    for (uint16_t& cell : r) cell = static_cast<uint16_t>(numbers.pattern() >> 16 * (numbers.bits() & 1));
    return r;
  };
  const bool wide[] = {
#define VALUE(name, expression) false,
#define LOAD_16(name, expression) false,
#define STORE_16(name, expression) false,
#define LOAD_32(name, expression) true,
#define STORE_32(name, expression) true,
#define CONDITION(name, expression)
#include "emu/tensix/sfpu/lane_ops.def"
  };
  for (const LaneKernels& k : lane_kernels()) {
    unsigned kernels = 0;
    for (unsigned n = 0; n < static_cast<unsigned>(LaneValue::kCount); ++n) {
      const LaneValue v = static_cast<LaneValue>(n);
      for (unsigned turn = 0; turn < 300; ++turn) {
        const Rows high = rows(), low = rows();
        const unsigned odd = turn / 2 % 2;
        const LaneMask lanes = turn % 2 ? kAllLanes : numbers.bits();
        const LReg old = numbers.lanes();
        if (const LaneKernels::Load load = k.load(v)) {
          LReg d = old;
          load(d, high.data(), low.data(), 16 * odd, lanes);
          for (unsigned l = 0; l < kLanes; ++l) {
            const unsigned c = 2 * l + odd;
            const u32 raw = wide[n] ? u32{high[c]} << 16 | low[c] : high[c];
            ASSERT_EQ(d[l], lanes >> l & 1 ? lane_value(v, old[l], 0, 0, raw, 0) : old[l])
                << k.name << " " << kValueNames[n] << std::hex << " " << raw;
          }
          kernels += turn == 0;
        }
        if (const LaneKernels::Store store = k.store(v)) {
          Rows new_high = high, new_low = low;
          store(new_high.data(), new_low.data(), old, 16 * odd, lanes);
          for (unsigned c = 0; c < 2 * kLanes; ++c) {
            const bool written = c % 2 == odd && (lanes >> c / 2 & 1);
            const u32 value = lane_value(v, 0, 0, 0, old[c / 2], 0);
            ASSERT_EQ(new_high[c], !written ? high[c] : static_cast<uint16_t>(wide[n] ? value >> 16 : value))
                << k.name << " " << kValueNames[n] << std::hex << " " << old[c / 2];
            ASSERT_EQ(new_low[c], written && wide[n] ? static_cast<uint16_t>(value) : low[c])
                << k.name << " " << kValueNames[n] << std::hex << " " << old[c / 2];
          }
          kernels += turn == 0;
        }
      }
    }
    EXPECT_EQ(kernels, 18u) << k.name;
  }
}

TEST(LaneKernels, MayWriteOneOfTheirSources) {
  Numbers numbers(2);
  for (const LaneKernels& k : lane_kernels()) {
    for (unsigned v = 0; v < static_cast<unsigned>(LaneValue::kCount); ++v) {
      const LReg old = numbers.lanes();
      LReg d = old;
      k[static_cast<LaneValue>(v)](d, d, d, d, 7, 0x0FF0FF5A);
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 value = lane_value(static_cast<LaneValue>(v), old[l], old[l], old[l], old[l], 7);
        ASSERT_EQ(d[l], 0x0FF0FF5Au >> l & 1 ? value : old[l]) << k.name << " " << kValueNames[v];
      }
    }
  }
}

TEST(LaneKernels, MultiplyAddIsTheScalarOne) {
  Numbers numbers(3);
  for (const LaneKernels& k : lane_kernels()) {
    for (int n = 0; n < 6000; ++n) {
      LReg x = numbers.lanes(), y = numbers.lanes(), z = numbers.lanes();
      if (n % 7 == 0) {  // products of 24 bits or less, sums that are exact or not
        for (unsigned l = 0; l < kLanes; ++l) {
          x[l] &= 0xFFFFF000;
          y[l] &= 0xFFFFF000;
        }
      }
      if (n % 6 == 4 || n % 6 == 5) {  // every distance of the addend from the product
        for (unsigned l = 0; l < kLanes; ++l) {
          const u32 at = 60 + numbers.bits() % 100, distance = numbers.bits() % (n % 6 == 4 ? 6 : 64);
          x[l] = numbers.mantissa() | at << 23;
          y[l] = numbers.mantissa() | 127u << 23;
          z[l] = numbers.mantissa() | (at + (n % 6 == 4 ? 3 : 32) - distance) << 23;
        }
      }
      for (unsigned l = 0; l < kLanes; ++l) {
        if (n % 6 == 1) z[l] = (math::fma(x[l], y[l], 0) ^ 0x80000000) + numbers.bits() % 5 - 2;  // cancellation
        if (n % 6 == 2) {  // all three of one size
          x[l] = (x[l] & 0x807FFFFF) | (n % 256) << 23;
          y[l] = (y[l] & 0x807FFFFF) | 0x3F800000;
          z[l] = (z[l] & 0x807FFFFF) | ((n + numbers.bits() % 60 - 30) % 256) << 23;
        }
      }
      const u32 x_flip = n & 1 ? 0x80000000 : 0, z_flip = n & 2 ? 0x80000000 : 0;
      const LaneMask lanes = n % 3 ? kAllLanes : numbers.bits();
      if (n % 5 == 0) y.fill(y[n % kLanes]);
      LReg d = z;
      if (n % 5 == 0) {
        k.multiply_add_immediate(d, x, y[0], d, x_flip, z_flip, lanes);
      } else {
        k.multiply_add(d, x, y, d, x_flip, z_flip, lanes);
      }
      for (unsigned l = 0; l < kLanes; ++l) {
        const u32 expected = lanes >> l & 1 ? math::fma(x[l] ^ x_flip, y[l], z[l] ^ z_flip) : z[l];
        ASSERT_EQ(d[l], expected) << k.name << std::hex << " " << (x[l] ^ x_flip) << " * " << y[l] << " + "
                                  << (z[l] ^ z_flip);
      }
    }
  }
}

// The formulas give the entries that the ISA document publishes: here the ends of its tables.
TEST(LaneFunctions, TablesOfReciprocalAndExponential) {
  const u32 first_reciprocals[] = {127, 125, 123, 121, 119, 117, 116, 114, 112, 110, 109, 107, 105, 104, 102, 100, 99};
  for (u32 i = 0; i < std::size(first_reciprocals); ++i) {
    EXPECT_EQ(lane::reciprocal(0x3F800000 | i << 16) >> 16 & 0x7F, first_reciprocals[i]) << i;
  }
  const u32 last_reciprocals[] = {5, 4, 4, 3, 3, 2, 2, 1, 1, 0};
  for (u32 n = 0; n < std::size(last_reciprocals); ++n) {
    const u32 i = 128 - static_cast<u32>(std::size(last_reciprocals)) + n;
    EXPECT_EQ(lane::reciprocal(0x3F800000 | i << 16) >> 16 & 0x7F, last_reciprocals[n]) << i;
  }
  const u32 last_exponentials[] = {205, 207, 208, 210, 211, 213, 215, 216, 218,
                                   220, 222, 223, 225, 227, 229, 230, 232, 234};
  for (u32 n = 0; n < std::size(last_exponentials); ++n) {
    const u32 high = 0x3FFF - static_cast<u32>(std::size(last_exponentials)) + 1 + n;
    EXPECT_EQ(lane::exponential(high << 16) >> 16 & 0xFF, last_exponentials[n]) << n;
  }
}

TEST(LaneFunctions, CastsAreTheHostsRoundingOfIntegers) {
  Numbers numbers(4);
  for (int n = 0; n < 100000; ++n) {
    const u32 v = numbers.bits() >> numbers.bits() % 32;
    const u32 expected = (v & 0x80000000) | std::bit_cast<u32>(static_cast<float>(v & 0x7FFFFFFF));
    ASSERT_EQ(lane::cast_nearest(v), expected) << std::hex << v;
  }
}

}  // namespace
}  // namespace kerr::emu::tensix

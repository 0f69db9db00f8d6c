// The definition of each operation, against tables made by exact rational arithmetic (vectors/make.py) and against
// integers of 128 bits and doubles that are computed here.
#include "loops/arithmetic.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/loops/random_programs.hpp"

namespace kerr::loops {
namespace {

using Words = std::vector<uint64_t>;

uint64_t of(Verb verb, Type type, uint64_t a) { return compute(verb, type, std::array{a}); }
uint64_t of(Verb verb, Type type, uint64_t a, uint64_t b) { return compute(verb, type, std::array{a, b}); }

// --- floats.txt

struct Table {
  std::vector<std::string> head;
  Words operands;  // of the numbers before it
  Words results;
};

std::vector<Table> tables() {
  std::ifstream file(KERR_SOURCE_DIR "/tests/loops/vectors/floats.txt");
  std::vector<Table> out;
  std::vector<Words> numbers;
  std::vector<std::string> head;
  Words* into = nullptr;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string word;
    if (line.starts_with('#')) continue;
    if (line.starts_with(' ')) {
      while (words >> word) into->push_back(std::stoull(word, nullptr, 16));
      continue;
    }
    head.clear();
    while (words >> word) head.push_back(word);
    if (head[0] == "numbers") {
      numbers.emplace_back();
      into = &numbers.back();
    } else {
      out.push_back({head, numbers.back(), {}});
      into = &out.back().results;
    }
  }
  return out;
}

Verb verb_named(const std::string& name) {
  for (const Operation& row : operations())
    if (row.name == name) return row.verb;
  throw std::out_of_range(name);
}

TEST(Floats, OfOneOperandAreThoseOfTheTable) {
  unsigned compared = 0;
  for (const Table& t : tables()) {
    if (t.head[0] != "unary") continue;
    ASSERT_EQ(t.results.size(), t.operands.size());
    for (size_t k = 0; k < t.operands.size(); ++k, ++compared)
      EXPECT_EQ(of(verb_named(t.head[1]), *type_named(t.head[2]), t.operands[k]), t.results[k])
          << t.head[1] << " " << t.head[2] << " " << std::hex << t.operands[k];
  }
  EXPECT_EQ(compared, 2u * 4 * 24);
}

TEST(Floats, OfTwoOperandsAreThoseOfTheTable) {
  unsigned compared = 0;
  for (const Table& t : tables()) {
    if (t.head[0] != "binary") continue;
    const size_t n = t.operands.size();
    ASSERT_EQ(t.results.size(), n * n);
    for (size_t k = 0; k < n * n; ++k, ++compared)
      EXPECT_EQ(of(verb_named(t.head[1]), *type_named(t.head[2]), t.operands[k / n], t.operands[k % n]), t.results[k])
          << t.head[1] << " " << t.head[2] << " " << std::hex << t.operands[k / n] << " " << t.operands[k % n];
  }
  EXPECT_EQ(compared, 4u * 4 * 24 * 24);
}

TEST(Casts, OfFloatsAndToThemAreThoseOfTheTable) {
  unsigned compared = 0;
  for (const Table& t : tables()) {
    if (t.head[0] != "cast") continue;
    ASSERT_EQ(t.results.size(), t.operands.size());
    for (size_t k = 0; k < t.operands.size(); ++k, ++compared)
      EXPECT_EQ(convert(*type_named(t.head[1]), *type_named(t.head[2]), t.operands[k]), t.results[k])
          << t.head[1] << " of " << t.head[2] << " " << std::hex << t.operands[k];
  }
  EXPECT_GT(compared, 4000u);
}

// --- sums and products of float32 with a double between

// The float32 nearest to a + b, both normal or zero: the sum as a double, made odd if it is not exact.
float nearest_sum(float a, float b) {
  const double x = a, y = b, sum = x + y, rest = std::fabs(x) >= std::fabs(y) ? y - (sum - x) : x - (sum - y);
  auto bits = std::bit_cast<uint64_t>(sum);
  if (rest != 0 && (bits & 1) == 0) bits += (rest > 0) == (sum > 0) ? 1 : -1;
  return static_cast<float>(std::bit_cast<double>(bits));
}

uint32_t without_denormals(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return 0x7FC00000;
  return std::fabs(value) < std::numeric_limits<float>::min() ? bits & 0x80000000 : bits;
}

TEST(Floats, OfFloat32AreRoundedOnce) {
  Random random(1);
  for (int k = 0; k < 300'000; ++k) {
    const auto a = static_cast<uint32_t>(random_bits(random, Type::F32)),
               b = static_cast<uint32_t>(random_bits(random, Type::F32));
    const float x = std::bit_cast<float>(without_denormals(std::bit_cast<float>(a)));
    const float y = std::bit_cast<float>(without_denormals(std::bit_cast<float>(b)));
    ASSERT_EQ(of(Verb::Mul, Type::F32, a, b), without_denormals(static_cast<float>(double{x} * y)))
        << std::hex << a << " " << b;
    ASSERT_EQ(of(Verb::Fdiv, Type::F32, a, b), without_denormals(static_cast<float>(double{x} / y)))
        << std::hex << a << " " << b;
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    ASSERT_EQ(of(Verb::Add, Type::F32, a, b), without_denormals(nearest_sum(x, y))) << std::hex << a << " " << b;
    ASSERT_EQ(of(Verb::Sub, Type::F32, a, b), without_denormals(nearest_sum(x, -y))) << std::hex << a << " " << b;
  }
}

TEST(Floats, DoNotDependOnHowTheHostRounds) {
  const uint64_t third = of(Verb::Fdiv, Type::F32, 0x3F800000, 0x40400000);
  std::fesetround(FE_UPWARD);
  const uint64_t upwards = of(Verb::Fdiv, Type::F32, 0x3F800000, 0x40400000);
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(upwards, third);
  EXPECT_EQ(mode, FE_UPWARD);
}

TEST(Floats, UnderflowGraduallyBeforeDenormalsBecomeZero) {
  EXPECT_EQ(of(Verb::Mul, Type::F32, 0x3F7FFFFF, 0x00800000), 0x00800000u);  // rounds up to 2^-126
  EXPECT_EQ(of(Verb::Mul, Type::F32, 0x3F7FFFFE, 0x00800000), 0u);
  EXPECT_EQ(of(Verb::Sub, Type::F32, 0x00800000, 0x80800001), 0x01000000u + 0u);
}

TEST(Floats, NegativeFlipsTheSignOfAnything) {
  for (const auto& [type, sign] : {std::pair{Type::F16, uint64_t{1} << 15}, std::pair{Type::Bf16, uint64_t{1} << 15},
                                   std::pair{Type::F32, uint64_t{1} << 31}, std::pair{Type::F64, uint64_t{1} << 63}}) {
    Random random(2);
    for (int k = 0; k < 1000; ++k) {
      const uint64_t bits = random_bits(random, type);
      EXPECT_EQ(of(Verb::Neg, type, bits), bits ^ sign);
    }
  }
}

// --- comparisons, max, where

double value_of(Type type, uint64_t bits) { return std::bit_cast<double>(convert(Type::F64, type, bits)); }

TEST(Comparisons, OfFloatsKnowDenormalsAndNaN) {
  for (const Type type : {Type::F16, Type::Bf16, Type::F32, Type::F64}) {
    Random random(3);
    for (int k = 0; k < 20'000; ++k) {
      const uint64_t a = random_bits(random, type), b = k % 10 == 0 ? a : random_bits(random, type);
      const double x = value_of(type, a), y = value_of(type, b);
      ASSERT_EQ(of(Verb::Cmplt, type, a, b), x < y) << x << " " << y;
      ASSERT_EQ(of(Verb::Cmpeq, type, a, b), x == y) << x << " " << y;
      ASSERT_EQ(of(Verb::Cmpne, type, a, b), x != y) << x << " " << y;
      ASSERT_EQ(of(Verb::Max, type, a, b), x < y ? b : a) << x << " " << y;
    }
  }
  EXPECT_EQ(of(Verb::Cmplt, Type::F32, 0, 1), 1u);
  EXPECT_EQ(of(Verb::Cmpeq, Type::F32, 0x80000000, 0), 1u);
  EXPECT_EQ(of(Verb::Max, Type::F32, 0x80000000, 0), 0x80000000u);
}

TEST(Where, KeepsBits) {
  EXPECT_EQ(compute(Verb::Where, Type::F32, std::array<uint64_t, 3>{1, 0x7F800001, 5}), 0x7F800001u);
  EXPECT_EQ(compute(Verb::Where, Type::F32, std::array<uint64_t, 3>{0, 5, 1}), 1u);
}

// --- integers

using Wide = __int128;

Wide value_of_integer(Type type, uint64_t bits) {
  const unsigned n = 8u * info(type).bytes;
  return info(type).is_signed && bits >> (n - 1) != 0 ? Wide{static_cast<Wide>(bits)} - (Wide{1} << n)
                                                      : static_cast<Wide>(bits);
}
uint64_t bits_of(Type type, Wide value) {
  return static_cast<uint64_t>(value) & ~uint64_t{0} >> (64 - 8 * info(type).bytes);
}

TEST(Integers, AreComputedModuloTheirSize) {
  for (const TypeInfo& t : kTypes) {
    if (!is_integer(t.type)) continue;
    Random random(4);
    for (int k = 0; k < 20'000; ++k) {
      const uint64_t a = random_bits(random, t.type), b = random_bits(random, t.type);
      const Wide x = value_of_integer(t.type, a), y = value_of_integer(t.type, b);
      const auto expect = [&](Verb verb, Wide value) {
        ASSERT_EQ(of(verb, t.type, a, b), bits_of(t.type, value))
            << t.name << " " << operation(verb).name << std::hex << " " << a << " " << b;
      };
      expect(Verb::Add, x + y);
      expect(Verb::Sub, x - y);
      expect(Verb::Mul, static_cast<Wide>(static_cast<unsigned __int128>(x) * static_cast<unsigned __int128>(y)));
      expect(Verb::Max, x < y ? y : x);
      expect(Verb::And, x & y);
      expect(Verb::Or, x | y);
      expect(Verb::Xor, x ^ y);
      expect(Verb::Cdiv, y == 0 ? -1 : x / y);
      expect(Verb::Cmod, y == 0 ? x : x % y);
      ASSERT_EQ(of(Verb::Neg, t.type, a), bits_of(t.type, -x));
      ASSERT_EQ(of(Verb::Cmplt, t.type, a, b), x < y);
      ASSERT_EQ(of(Verb::Cmpeq, t.type, a, b), x == y);
      ASSERT_EQ(of(Verb::Cmpne, t.type, a, b), x != y);
    }
  }
}

TEST(Integers, AreShiftedByAnyCount) {
  for (const TypeInfo& t : kTypes) {
    if (!is_integer(t.type)) continue;
    Random random(5);
    const uint64_t n = 8 * t.bytes;
    for (int k = 0; k < 2000; ++k) {
      const uint64_t a = random_bits(random, t.type);
      const Wide x = value_of_integer(t.type, a);
      for (const uint64_t count :
           {uint64_t{0}, uint64_t{1}, n - 1, n, n + 1, uint64_t{64}, uint64_t{0xFF}, ~uint64_t{0}}) {
        const auto c = static_cast<unsigned>(std::min<uint64_t>(count, 64));
        ASSERT_EQ(of(Verb::Shl, t.type, a, count),
                  bits_of(t.type, static_cast<Wide>(static_cast<unsigned __int128>(x) << c)));
        ASSERT_EQ(of(Verb::Shr, t.type, a, count), bits_of(t.type, x >> c))
            << t.name << std::hex << " " << a << " " << count;
      }
    }
  }
}

TEST(Integers, DividedByZeroOrBeyondTheLargestAreWhatRiscVGives) {
  EXPECT_EQ(of(Verb::Cdiv, Type::U8, 7, 0), 0xFFu);
  EXPECT_EQ(of(Verb::Cmod, Type::U8, 7, 0), 7u);
  EXPECT_EQ(of(Verb::Cdiv, Type::I64, uint64_t{1} << 63, ~uint64_t{0}), uint64_t{1} << 63);
  EXPECT_EQ(of(Verb::Cmod, Type::I64, uint64_t{1} << 63, ~uint64_t{0}), 0u);
}

TEST(Casts, OfIntegersKeepTheirLowBits) {
  for (const TypeInfo& from : kTypes) {
    if (from.is_float) continue;
    Random random(6);
    for (int k = 0; k < 1000; ++k) {
      const uint64_t bits = random_bits(random, from.type);
      const Wide value = from.type == Type::Bool ? static_cast<Wide>(bits) : value_of_integer(from.type, bits);
      for (const TypeInfo& to : kTypes) {
        if (to.is_float) continue;
        EXPECT_EQ(convert(to.type, from.type, bits), to.type == Type::Bool ? value != 0 : bits_of(to.type, value));
      }
    }
  }
}

TEST(Bools, AreComputedAsBits) {
  for (const uint64_t a : {0u, 1u}) {
    for (const uint64_t b : {0u, 1u}) {
      EXPECT_EQ(of(Verb::And, Type::Bool, a, b), a & b);
      EXPECT_EQ(of(Verb::Or, Type::Bool, a, b), a | b);
      EXPECT_EQ(of(Verb::Xor, Type::Bool, a, b), a ^ b);
      EXPECT_EQ(of(Verb::Max, Type::Bool, a, b), a | b);
      EXPECT_EQ(of(Verb::Cmplt, Type::Bool, a, b), a < b);
      EXPECT_EQ(of(Verb::Cmpne, Type::Bool, a, b), a != b);
      EXPECT_EQ(of(Verb::Cmpeq, Type::Bool, a, b), a == b);
    }
  }
}

// --- functions

// Results of the authors' own implementation (Random123, kat_vectors: "threefry2x32 20").
TEST(Threefry, GivesTheKnownAnswers) {
  EXPECT_EQ(of(Verb::Threefry, Type::U64, 0, 0), 0x99BA4EFE6B200159u);
  EXPECT_EQ(of(Verb::Threefry, Type::U64, ~uint64_t{0}, ~uint64_t{0}), 0xBB002BE71CB996FCu);
  EXPECT_EQ(of(Verb::Threefry, Type::U64, 0x85A308D3243F6A88, 0x0370734413198A2E), 0x483DF7A0C4923A9Cu);
}

TEST(Functions, OfShortFloatsAreThoseOfFloat32Rounded) {
  for (const Type type : {Type::F16, Type::Bf16}) {
    for (uint64_t bits = 0; bits < 0x10000; bits += 7) {
      const auto wide = static_cast<uint32_t>(convert(Type::F32, type, bits));
      EXPECT_EQ(of(Verb::Exp2, type, bits), convert(type, Type::F32, exp2_f32(wide)));
      EXPECT_EQ(of(Verb::Log2, type, bits), convert(type, Type::F32, log2_f32(wide)));
      EXPECT_EQ(of(Verb::Sin, type, bits), convert(type, Type::F32, sin_f32(wide)));
    }
  }
}

TEST(Compute, RefusesWhatAVerbDoesNotDo) {
  EXPECT_THROW(of(Verb::Cdiv, Type::F32, 1, 1), std::invalid_argument);
  EXPECT_THROW(of(Verb::Add, Type::Bool, 1, 1), std::invalid_argument);
  EXPECT_THROW(of(Verb::Add, Type::F32, 1), std::invalid_argument);
  EXPECT_THROW(of(Verb::Load, Type::F32, 1), std::invalid_argument);
  for (const Operation& row : operations()) {
    for (const TypeInfo& t : kTypes) {
      const std::array<uint64_t, 3> zeros{};
      const auto inputs = std::span(zeros).first(row.operands);
      if (computes(row.verb, t.type)) {
        EXPECT_NO_THROW(compute(row.verb, t.type, inputs));
      } else {
        EXPECT_THROW(compute(row.verb, t.type, inputs), std::invalid_argument);
      }
    }
  }
}

}  // namespace
}  // namespace kerr::loops

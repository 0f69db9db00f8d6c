// What loop programs do.
#include "loops/interpret.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cfenv>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace kerr::loops {
namespace {

// Numbers of one type as a buffer.
template <class T>
struct Buffer {
  std::vector<T> numbers;
  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(numbers)); }
};

uint64_t run(const std::string& text, std::vector<std::span<std::byte>> buffers, std::vector<int64_t> numbers = {},
             const InterpretOptions& options = {}) {
  return interpret(parse("kernel k\n" + text), buffers, numbers, options);
}

std::string error_of(const std::string& text, std::vector<std::span<std::byte>> buffers,
                     std::vector<int64_t> numbers = {}, const InterpretOptions& options = {}) {
  try {
    run(text, std::move(buffers), std::move(numbers), options);
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Interpret, AddsTwoVectors) {
  Buffer<float> out{{0, 0, 0}}, a{{1, 2, 3}}, b{{0.5, 0.25, -3}};
  EXPECT_EQ(run("param p0 f32 3\nparam p1 f32 3\nparam p2 f32 3\n%1 = loop i32 i32:3 weak\n%2 = load f32 p1[%1]\n"
                "%3 = load f32 p2[%1]\n%4 = add f32 %2 %3\nstore f32 p0[%1] %4\nend %1\n",
                {out.bytes(), a.bytes(), b.bytes()}),
            1 + 3 * 5u);
  EXPECT_EQ(out.numbers, (std::vector<float>{1.5, 2.25, 0}));
}

// c[i,j] = sum of a[i,k] b[k,j], 2 x 3 of 2 x 4 and 4 x 3.
TEST(Interpret, MultipliesMatrices) {
  Buffer<int32_t> c{std::vector<int32_t>(6)}, a{{1, 2, 3, 4, 5, 6, 7, 8}}, b{{1, 0, 2, 0, 1, 3, 1, 1, 1, 2, 0, 1}};
  run("param p0 i32 6\nparam p1 i32 8\nparam p2 i32 12\nreg r0 i32 1\n"
      "%i = loop i32 i32:2 weak\n%j = loop i32 i32:3 weak\nstore i32 r0[i32:0] i32:0\n%k = loop i32 i32:4 reduce\n"
      "%1 = shl i32 %i i32:2\n%2 = add i32 %1 %k\n%3 = load i32 p1[%2]\n%4 = mul i32 %k i32:3\n%5 = add i32 %4 %j\n%6 "
      "= load i32 p2[%5]\n"
      "%7 = mul i32 %3 %6\n%8 = load i32 r0[i32:0]\n%9 = add i32 %8 %7\nstore i32 r0[i32:0] %9\nend %k\n"
      "%10 = mul i32 %i i32:3\n%11 = add i32 %10 %j\n%12 = load i32 r0[i32:0]\nstore i32 p0[%11] %12\nend %j\nend %i\n",
      {c.bytes(), a.bytes(), b.bytes()});
  EXPECT_EQ(c.numbers, (std::vector<int32_t>{12, 5, 15, 28, 13, 43}));
}

TEST(Loop, OfAnExtentBelowOneIsSkipped) {
  const std::string text =
      "param p0 i32 1\nvar %n i32 n -5 5\n%1 = loop i32 %n weak\nstore i32 p0[i32:0] i32:7\nend %1\n";
  for (const int64_t extent : {-5, -1, 0}) {
    Buffer<int32_t> out{{1}};
    EXPECT_EQ(run(text, {out.bytes()}, {extent}), 1u);
    EXPECT_EQ(out.numbers[0], 1);
  }
  Buffer<int32_t> out{{1}};
  EXPECT_EQ(run(text, {out.bytes()}, {2}), 5u);
  EXPECT_EQ(out.numbers[0], 7);
}

TEST(Loop, OfAnUnsignedExtentIsNeverBelowZero) {
  Buffer<uint8_t> out{{0}};
  run("param p0 u8 1\n%1 = loop u8 u8:200 weak\nstore u8 p0[i32:0] %1\nend %1\n", {out.bytes()});
  EXPECT_EQ(out.numbers[0], 199);
}

TEST(Loop, BeginsAnewInEveryIterationOfTheOneRoundIt) {
  Buffer<int64_t> out{{0}};
  run("param p0 i64 1\n%1 = loop i32 i32:3 weak\n%2 = loop i64 i64:5 weak\n%3 = load i64 p0[i32:0]\n%4 = add i64 %3 "
      "%2\n"
      "store i64 p0[i32:0] %4\nend %2\nend %1\n",
      {out.bytes()});
  EXPECT_EQ(out.numbers[0], 30);
}

TEST(DoWhile, RunsItsBodyAtLeastOnce) {
  const std::string text =
      "param p0 i32 1\ndo %d\n%1 = load i32 p0[i32:0]\n%2 = add i32 %1 i32:1\nstore i32 p0[i32:0] %2\n"
      "%3 = cmplt i32 %2 i32:5\nwhile %d %3\n";
  Buffer<int32_t> out{{2}};
  EXPECT_EQ(run(text, {out.bytes()}), 1 + 3 * 5u);
  EXPECT_EQ(out.numbers[0], 5);
  out.numbers[0] = 9;
  run(text, {out.bytes()});
  EXPECT_EQ(out.numbers[0], 10);
}

TEST(If, GuardsStores) {
  Buffer<int32_t> out{{0, 0, 0, 0}};
  EXPECT_EQ(run("param p0 i32 4\n%1 = loop i32 i32:4 weak\n%2 = cmplt i32 %1 i32:2\nif %2\nstore i32 p0[%1] "
                "i32:1\nendif\nend %1\n",
                {out.bytes()}),
            1 + 2 * 5 + 2 * 3u);
  EXPECT_EQ(out.numbers, (std::vector<int32_t>{1, 1, 0, 0}));
}

TEST(Load, WhoseConditionIsFalseTouchesNothing) {
  Buffer<float> out{{0, 0, 0}}, in{{5, 6}};
  run("param p0 f32 3\nparam p1 f32 2\n%1 = loop i32 i32:3 weak\n%2 = cmplt i32 %1 i32:2\n%3 = mul i32 %1 i32:1\n"
      "%4 = sub i32 %3 i32:1\n%5 = load f32 p1[%1] %2 f32:-1.0\n"
      "%6 = load f32 p1[%4] bool:False f32:0.5\n%7 = add f32 %5 %6\nstore f32 p0[%1] %7\nend %1\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers, (std::vector<float>{5.5, 6.5, -0.5}));
}

TEST(Memory, IsSeenAtOnceThroughEveryParameter) {
  std::array<std::byte, 16> memory{};
  Buffer<int32_t> out{{0}};
  run("param p0 i32 1\nparam p1 i32 3\nparam p2 u8 8\nstore i32 p1[i32:1] i32:305419896\n%1 = load u8 p2[i32:2]\n%2 = "
      "cast i32 %1\n"
      "store i32 p0[i32:0] %2\nstore u8 p2[i32:5] u8:255\n%3 = load i32 p1[i32:1]\n%4 = load i32 p0[i32:0]\n%5 = xor "
      "i32 %3 %4\n"
      "store i32 p0[i32:0] %5\n",
      {out.bytes(), std::span(memory).first(12), std::span(memory).subspan(2, 8)});
  EXPECT_EQ(out.numbers[0], static_cast<int32_t>(0xFF345678u ^ 0x78u));
}

TEST(Memory, OfOneTypeIsReadAsAnother) {
  Buffer<uint32_t> in{{0x03020100, 0x07060504}};
  Buffer<uint16_t> out{{0, 0}};
  run("param p0 u16 2\nparam p1 u32 2\n%1 = load u16 p1~u16[i32:3]\nstore u16 p0[i32:0] %1\n%2 = load u16 "
      "p1[i32:1]~u16\nstore u16 p0[i32:1] %2\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers, (std::vector<uint16_t>{0x0706, 0x0504}));
}

TEST(Memory, HoldsAnyByteButZeroAsTrue) {
  Buffer<uint8_t> in{{0, 1, 2, 0x80}}, out{{9, 9, 9, 9}};
  run("param p0 bool 4\nparam p1 bool 4\n%1 = loop i32 i32:4 weak\n%2 = load bool p1[%1]\nstore bool p0[%1] %2\nend "
      "%1\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers, (std::vector<uint8_t>{0, 1, 1, 1}));
  run("param p0 bool 1\nparam p1 u8 4\n%1 = load u8 p1[i32:3]\n%2 = bitcast bool %1\nstore bool p0[i32:0] %2\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers[0], 1);
}

TEST(Memory, KeepsTheBitsOfNaNAndDenormals) {
  Buffer<uint32_t> in{{0x7F800001, 0xFFC12345, 0x00000001}}, out{{0, 0, 0}};
  run("param p0 f32 3\nparam p1 f32 3\n%1 = loop i32 i32:3 weak\n%2 = load f32 p1[%1]\n%3 = bitcast u32 %2\n%4 = "
      "bitcast f32 %3\n"
      "store f32 p0[%1] %4\nend %1\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers, in.numbers);
}

TEST(Registers, AreZeroAtFirstAndMayBeIndexed) {
  Buffer<int32_t> out{{9, 9, 9, 9}};
  run("param p0 i32 4\nreg r2 i32 3\nreg r7 i32 1\nstore i32 r7[i32:0] i32:5\n%1 = loop i32 i32:3 weak\n%2 = mul i32 "
      "%1 %1\n"
      "store i32 r2[%1] %2\nend %1\n%3 = loop i32 i32:3 weak\n%4 = sub i32 i32:2 %3\n%5 = load i32 r2[%4]\nstore i32 "
      "p0[%3] %5\nend %3\n"
      "%6 = load i32 r7[i32:0]\nstore i32 p0[i32:3] %6\n",
      {out.bytes()});
  EXPECT_EQ(out.numbers, (std::vector<int32_t>{4, 1, 0, 5}));
}

TEST(Vectors, AreComputedLaneByLane) {
  Buffer<float> in{{1, 2, 3, 4, 5, 6, 7, 8}}, out{std::vector<float>(9)};
  run("param p0 f32 9\nparam p1 f32 8\n%1 = load f32x4 p1[i32:0]\n%2 = load f32x4 p1[i32:3]\n%3 = mul f32x4 %1 "
      "%2\nstore f32x4 p0[i32:0] %3\n"
      "%4 = lane f32 %2 i32:1\n%5 = pack f32x2 %4 f32:0.5\n%6 = cmplt f32x2 %5 %5\n%7 = pack boolx2 bool:True "
      "bool:False\n"
      "%8 = where f32x2 %7 %5 %5\nstore f32x2 p0[i32:4] %8\n%9 = cast i32x2 %5\n%10 = bitcast f32x2 %9\nstore f32x2 "
      "p0[i32:6] %10\n"
      "%11 = load f32x2 p1[i32:100] bool:False %5\n%12 = lane f32 %11 i32:1\nstore f32 p0[i32:8] %12\n",
      {out.bytes(), in.bytes()});
  EXPECT_EQ(out.numbers, (std::vector<float>{4, 10, 18, 28, 5, 0.5, std::bit_cast<float>(5u), 0, 0.5}));
}

TEST(Variables, OfThirtyTwoBitsAreCountedWithTheirSign) {
  Buffer<int64_t> out{{0, 0}};
  run("param p0 i64 2\nvar %n i32 n -9 9\nvar %m i64 m -9 9\n%1 = cast i64 %n\n%2 = mul i64 %1 %m\nstore i64 p0[i32:0] "
      "%2\n"
      "%3 = add i32 %n i32:4\nstore i64 p0[%3] %1\n",
      {out.bytes()}, {-3, 7});
  EXPECT_EQ(out.numbers, (std::vector<int64_t>{-21, -3}));
}

TEST(Interpret, StopsAtAnAccessOutsideOfAParameter) {
  Buffer<int32_t> out{{0, 0, 0}};
  const std::string loop = "param p0 i32 2\n%1 = loop i32 i32:3 weak\nstore i32 p0[%1] i32:5\nend %1\n";
  EXPECT_EQ(error_of(loop, {out.bytes()}), "line 4: the store to i32 p0[2] is outside of p0, which has 2 i32");
  EXPECT_EQ(out.numbers, (std::vector<int32_t>{5, 5, 0}));  // what was stored before stays
  EXPECT_EQ(error_of("param p3 i32 2\nvar %n i32 n -1 1\n%1 = load i32 p3[%n]\n", {out.bytes()}, {-1}),
            "line 4: the load of i32 p3[-1] is outside of p3, which has 2 i32");
  EXPECT_EQ(error_of("param p0 i32 2\n%1 = load i32 p0[u64:4611686018427387904]\n", {out.bytes()}),
            "line 3: the load of i32 p0[4611686018427387904] is outside of p0, which has 2 i32");
  EXPECT_EQ(error_of("param p0 i32 2\n%1 = load i64 p0[i32:1]~i64\n", {out.bytes()}),
            "line 3: the load of i64 p0[1] is outside of p0, which has 2 i32");
  EXPECT_EQ(error_of("param p0 i32 1\n%1 = load i64 p0[i32:0]~i64\n", {out.bytes()}),
            "line 3: the load of i64 p0[0] is outside of p0, which has 1 i32");
  EXPECT_EQ(error_of("param p0 i32 2\n%1 = load i32x2 p0[i32:1]\n", {out.bytes()}),
            "line 3: the load of i32 p0[1] is outside of p0, which has 2 i32");
  EXPECT_EQ(error_of("reg r1 i32 2\n%1 = add i32 i32:1 i32:1\nstore i32 r1[%1] %1\n", {}),
            "line 4: the store to i32 r1[2] is outside of r1, which has 2 i32");
}

TEST(Interpret, RefusesArgumentsThatDoNotFit) {
  Buffer<int32_t> out{{0}};
  EXPECT_EQ(error_of("param p0 i32 2\n", {out.bytes()}), "p0 of program 'k' is 2 i32, and its buffer has 4 bytes of 8");
  EXPECT_EQ(error_of("param p0 i32 1\n", {}), "program 'k' has 1 parameters and was given 0 buffers");
  EXPECT_EQ(error_of("var %n i32 n 0 1\n", {}), "program 'k' has 1 variables and was given 0 numbers");
  EXPECT_EQ(error_of("var %n i32 rows 0 1\n", {}, {2}), "rows is 2, and the program is for 0 to 1");
}

TEST(Interpret, StopsBehindAsManyLinesAsAreWanted) {
  const std::string endless = "do %1\nwhile %1 bool:True\n";
  EXPECT_EQ(error_of(endless, {}, {}, {.max_steps = 1'000'000}), "line 3: more than 1000000 lines were executed");
  EXPECT_EQ(error_of("%1 = loop i64 i64:9223372036854775807 weak\nend %1\n", {}, {}, {.max_steps = 1000}),
            "line 3: more than 1000 lines were executed");
  EXPECT_EQ(run("%1 = loop i32 i32:10 weak\nend %1\n", {}, {}, {.max_steps = 11}), 11u);
  EXPECT_EQ(error_of("%1 = loop i32 i32:10 weak\nend %1\n", {}, {}, {.max_steps = 10}),
            "line 3: more than 10 lines were executed");
}

TEST(Interpret, TellsOfItsProgressAndCanBeStopped) {
  struct Enough {};
  unsigned calls = 0;
  const auto count = [&calls] {
    if (++calls == 3) throw Enough{};
  };
  EXPECT_THROW(run("do %1\nwhile %1 bool:True\n", {}, {}, {.progress = count}), Enough);
  EXPECT_EQ(calls, 3u);
}

TEST(Interpret, LeavesTheHostsRoundingAsItWas) {
  Buffer<float> out{{0}};
  std::fesetround(FE_DOWNWARD);
  run("param p0 f32 1\n%1 = fdiv f32 f32:1.0 f32:3.0\nstore f32 p0[i32:0] %1\n", {out.bytes()});
  const int mode = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(mode, FE_DOWNWARD);
  EXPECT_EQ(std::bit_cast<uint32_t>(out.numbers[0]), 0x3EAAAAABu);
}

TEST(Interpret, OfNothingIsNothing) { EXPECT_EQ(run("", {}), 0u); }

}  // namespace
}  // namespace kerr::loops

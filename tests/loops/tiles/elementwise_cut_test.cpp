// Programs cut at an expensive value: the vector unit computes it, what follows goes on with it.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "loops/executable.hpp"
#include "tests/loops/tiles/elementwise_bench.hpp"

namespace kerr::loops::tiles {
namespace {

// Launched by path tiles, and held against the definition.
void expect_tiles(const std::string& text, const std::string& what) {
  SCOPED_TRACE(text);
  const Executable executable(chip().board_name(), text, {.path = Path::Tiles});
  EXPECT_NE(executable.explain().find(what), std::string::npos) << executable.explain();
  std::vector<View> views;
  std::mt19937_64 random(3);
  for (const Parameter& p : executable.program().parameters) {
    views.push_back({chip().allocate(host::Memory::Dram, p.bytes(), kPageBytes), 0, p.bytes()});
    std::vector<float> numbers(p.count);
    for (float& number : numbers) number = static_cast<float>(random() % 2001) / 250 - 4;
    chip().write(views.back().buffer, std::as_bytes(std::span(numbers)));
  }
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(executable.launch(chip(), views, {}, {.check = Against::Definition}).path, Path::Tiles);
}

std::string softmax(int kernel, int rows, int columns) {
  const std::string r = std::to_string(rows), c = std::to_string(columns), n = std::to_string(rows * columns);
  const std::string rest = "%a = mul i32 %i i32:" + c + "\n%n = add i32 %a %j\n%x = load f32 p1[%n]\n" +
                           "%m = load f32 p2[%i]\n%d = sub f32 %x %m\n%e = mul f32 %d f32:1.4426950216293335\n" +
                           "%f = exp2 f32 %e\n";
  const std::string loops = "%i = loop i32 i32:" + r + " weak\n";
  if (kernel == 2) {
    return "kernel sum\nparam p0 f32 " + r + "\nparam p1 f32 " + n + "\nparam p2 f32 " + r + "\nreg r0 f32 1\n" +
           loops + "store f32 r0[i32:0] f32:0.0\n%j = loop i32 i32:" + c + " reduce\n" + rest +
           "%o = load f32 r0[i32:0]\n%s = add f32 %o %f\nstore f32 r0[i32:0] %s\nend %j\n" +
           "%t = load f32 r0[i32:0]\nstore f32 p0[%i] %t\nend %i\n";
  }
  return "kernel quotient\nparam p0 f32 " + n + "\nparam p1 f32 " + n + "\nparam p2 f32 " + r + "\nparam p3 f32 " + r +
         "\n" + loops + "%j = loop i32 i32:" + c + " weak\n" + rest +
         "%s = load f32 p3[%i]\n%q = fdiv f32 %f %s\nstore f32 p0[%n] %q\nend %j\nend %i\n";
}

TEST(ElementwiseTiles, SumsOfExponentialsAreTheDefinitions) {
  expect_tiles(softmax(2, 800, 7), "then scalar code");  // too short for rows
  expect_tiles(softmax(2, 1, 5), "then scalar code");
}
TEST(ElementwiseTiles, QuotientsOfExponentialsAreTheDefinitions) {
  expect_tiles(softmax(3, 40, 130), "element-wise on the vector unit");
  expect_tiles(softmax(3, 3, 1024), "element-wise on the vector unit");
}

// One divisor for a row: a reciprocal for each, and a product for each element.
struct RowQuotients {
  static constexpr int kRows = 8, kColumns = 2048;
  OnDevice device{softmax_without_exponentials(), {.path = Path::Tiles}};

  static std::string softmax_without_exponentials() {
    return fmt::format(
        "kernel quotient\nparam p0 f32 {n}\nparam p1 f32 {n}\nparam p3 f32 {r}\n%i = loop i32 i32:{r} weak\n"
        "%s = load f32 p3[%i]\n%j = loop i32 i32:{c} weak\n%a = mul i32 %i i32:{c}\n%n = add i32 %a %j\n"
        "%x = load f32 p1[%n]\n%q = fdiv f32 %x %s\nstore f32 p0[%n] %q\nend %j\nend %i\n",
        fmt::arg("n", kRows * kColumns), fmt::arg("r", kRows), fmt::arg("c", kColumns));
  }
  void set(size_t parameter, size_t at, float value) {
    std::memcpy(device.bytes[parameter].data() + 4 * at, &value, 4);
  }
  // Of a quotient, from the right one.
  uint32_t units_off(size_t at) const {
    float x, result;
    std::memcpy(&x, dividends.data() + 4 * at, 4);
    std::memcpy(&result, device.bytes[0].data() + 4 * at, 4);
    float s;
    std::memcpy(&s, device.bytes[2].data() + 4 * (at / kColumns), 4);
    const float right = x / s;
    if (std::isnan(right) && std::isnan(result)) return 0;
    const int32_t a = std::bit_cast<int32_t>(right), b = std::bit_cast<int32_t>(result);
    return static_cast<uint32_t>(std::abs(int64_t{a} - b));
  }
  void launch() {
    dividends = device.bytes[1];
    EXPECT_EQ(device.launch().path, Path::Tiles);
  }
  std::vector<std::byte> dividends;
};

TEST(ElementwiseTiles, QuotientsOfOneDivisorAreAUnitOffAtMost) {
  RowQuotients q;
  EXPECT_NE(q.device.executable.explain().find("8 elements in 1 pages"), std::string::npos)
      << q.device.executable.explain();
  std::mt19937_64 random(9);
  // Mantissas just above 1 and just below 2 are the worst.
  const auto number = [&](int exponent) {
    const uint32_t mantissa = random() % 3 == 0 ? random() % 64 : random() % 2 ? 0x7FFFFF - random() % 64 : random();
    return std::bit_cast<float>(static_cast<uint32_t>((127 + exponent) << 23 | (mantissa & 0x7FFFFF)));
  };
  for (size_t i = 0; i < RowQuotients::kRows; ++i) q.set(2, i, number(static_cast<int>(random() % 60) - 30));
  for (size_t n = 0; n < RowQuotients::kRows * RowQuotients::kColumns; ++n)
    q.set(1, n, number(static_cast<int>(random() % 60) - 30));
  q.launch();
  for (size_t n = 0; n < RowQuotients::kRows * RowQuotients::kColumns; ++n) ASSERT_LE(q.units_off(n), 1u) << n;
}
TEST(ElementwiseTiles, QuotientsOfOneDivisorThatIsSpecialAreTheDefinitions) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  RowQuotients q;
  const float divisors[] = {0.0f, -0.0f, std::nanf(""), 0x1p-126f, 0x1p126f, 1e-40f, -3.0f, 1.0f};
  const float dividends[] = {0.0f, -0.0f,     kInfinity,       -kInfinity, std::nanf(""),
                             1.0f, 0x1p-126f, 0x1.fffffep127f, -7.0f};
  for (size_t i = 0; i < 8; ++i) q.set(2, i, divisors[i]);
  for (size_t n = 0; n < RowQuotients::kRows * RowQuotients::kColumns; ++n) q.set(1, n, dividends[n % 9]);
  q.launch();
}
// Their reciprocals are no numbers.
TEST(ElementwiseTiles, QuotientsOfALargeDivisorAreComputedOneByOne) {
  for (const float large : {0x1.8p126f, 0x1.fffffep127f, std::numeric_limits<float>::infinity()}) {
    RowQuotients q;
    for (size_t i = 0; i < 8; ++i) q.set(2, i, i == 3 ? large : 2.0f);
    for (size_t n = 0; n < RowQuotients::kRows * RowQuotients::kColumns; ++n) q.set(1, n, 0x1.4p126f);
    q.launch();
    for (size_t n = 0; n < RowQuotients::kRows * RowQuotients::kColumns; ++n) ASSERT_LE(q.units_off(n), 1u) << n;
  }
}

TEST(ElementwiseTiles, CutProgramsLeaveViewsThatAreNotAlignedToScalarCode) {
  const Executable executable(chip().board_name(), softmax(2, 40, 130), {.path = Path::Tiles});
  const auto path_with_p1_at = [&](uint64_t offset) {
    std::vector<View> views;
    for (const Parameter& p : executable.program().parameters) {
      const host::Buffer buffer = chip().allocate(host::Memory::Dram, p.bytes() + 4, kPageBytes);
      chip().write(buffer, std::vector<std::byte>(p.bytes() + 4));
      views.push_back({buffer, p.slot == 1 ? offset : 0, p.bytes()});
    }
    return executable.launch(chip(), views, {}, {.check = Against::Definition}).path;
  };
  EXPECT_EQ(path_with_p1_at(4), Path::Tiles);
  EXPECT_EQ(path_with_p1_at(2), Path::Scalar);
}

TEST(ElementwiseTiles, AreNotCutWhereNoHartHasRoomForTheRest) {
  const std::string text =
      "kernel k\nparam p0 f32 64\nparam p1 f32 64\nreg r0 f32 131072\n%i = loop i32 i32:64 weak\n"
      "%a = load f32 p1[%i]\n%e = exp2 f32 %a\nstore f32 r0[%i] %e\nend %i\n"
      "%j = loop i32 i32:64 weak\n%b = load f32 r0[%j]\nstore f32 p0[%j] %b\nend %j\n";
  EXPECT_EQ(Executable(chip().board_name(), text).path(), Path::Definition);
}

}  // namespace
}  // namespace kerr::loops::tiles

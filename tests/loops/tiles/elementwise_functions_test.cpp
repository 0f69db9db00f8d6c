// exp2, log2, sin and quotients in the vector unit's quick forms: at most a unit in the last place from the definition's.
#include <cmath>
#include <cstring>

#include "loops/executable.hpp"
#include "loops/tiles/distance.hpp"
#include "tests/loops/tiles/elementwise_bench.hpp"

namespace kerr::loops::tiles {
namespace {

constexpr float kMostOfSin = 32768;

// Element by element, as bits: p1, and the results of tiles and of the definition.
struct Results {
  std::vector<uint32_t> operands, made, right;
};
Results results_of(const std::string& verb, const std::string& type, uint64_t count) {
  Elementwise quick(one_operation("%r = " + verb + " " + type + " %a\n", count, type, type, 1));
  quick.plan = plan_flat(quick.program, &quick.why_not, true);
  EXPECT_TRUE(quick.plan && !quick.plan->exact) << quick.why_not;
  std::vector<std::byte> expected = quick.arena();
  // Numbers next to the multiples of pi/2, and at the end of what sin takes.
  std::mt19937_64 random(11);
  const size_t bytes = quick.program.parameters[0].bytes();
  if (verb == "sin" && type == "f32") {
    for (uint64_t n = 0; n < 20'000; ++n) {
      const auto multiple = static_cast<float>(static_cast<double>(random() % 20'861) * 1.5707963267948966);
      const uint32_t bits = std::bit_cast<uint32_t>(multiple) + static_cast<uint32_t>(random() % 3) - 1;
      std::memcpy(&expected[quick.offsets[1] + 4 * n], &bits, 4);
    }
    const uint32_t ends[] = {0x47000000, 0xC7000000, 0x47000001, 0xC7000001, 0x39800000, 0x397FFFFF};
    std::memcpy(&expected[quick.offsets[1]], ends, sizeof ends);
  }
  const std::vector<std::byte> before = expected;
  std::vector<std::span<std::byte>> spans;
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, before.size(), kPageBytes);
  std::vector<View> views;
  for (const uint64_t offset : quick.offsets) {
    spans.push_back(std::span(expected).subspan(offset, bytes));
    views.push_back({buffer, offset, bytes});
  }
  interpret(quick.program, spans, {});
  chip().write(buffer, before);
  launch(chip(), *quick.plan, views);
  std::vector<std::byte> got(before.size());
  chip().read(buffer, got);
  Results results;
  const size_t size = bytes / count;
  for (uint64_t n = 0; n < count; ++n) {
    uint32_t operand = 0, made = 0, right = 0;
    std::memcpy(&operand, &before[quick.offsets[1] + n * size], size);
    std::memcpy(&made, &got[quick.offsets[0] + n * size], size);
    std::memcpy(&right, &expected[quick.offsets[0] + n * size], size);
    results.operands.push_back(operand);
    results.made.push_back(made);
    results.right.push_back(right);
  }
  return results;
}

double farthest(Type type, const Results& results, bool is_sin = false) {
  double most = 0;
  for (size_t n = 0; n < results.made.size(); ++n) {
    const auto x = std::abs(std::bit_cast<float>(results.operands[n]));
    if (is_sin && std::isfinite(x) && x > kMostOfSin) {
      EXPECT_EQ(results.made[n], kBeyond) << "of " << x;
      continue;
    }
    // Zeros, infinities and NaN are the same bits.
    const uint32_t size = results.right[n] & 0x7FFFFFFF;
    if (type == Type::F32 && (size == 0 || size >= 0x7F800000)) {
      EXPECT_EQ(results.made[n], results.right[n]) << "of " << x;
    }
    most = std::max(most, ulps_between(type, results.made[n], results.right[n]));
  }
  return most;
}

TEST(ElementwiseFunctions, AreAtMostAUnitOff) {
  EXPECT_EQ(farthest(Type::F32, results_of("exp2", "f32", 300'000)), 1);
  EXPECT_EQ(farthest(Type::F32, results_of("log2", "f32", 300'000)), 1);
  EXPECT_EQ(farthest(Type::F32, results_of("sin", "f32", 300'000), true), 1);
}

TEST(ElementwiseFunctions, AreAtMostAUnitOffInBf16) {
  EXPECT_LE(farthest(Type::Bf16, results_of("exp2", "bf16", 65'536)), 1);
  EXPECT_LE(farthest(Type::Bf16, results_of("log2", "bf16", 65'536)), 1);
}

// Special numbers and random ones of all sizes, in pairs.
TEST(ElementwiseFunctions, QuotientsAreAtMostAUnitOff) {
  Elementwise quick(one_operation("%r = fdiv f32 %a %b\n", 200'000, "f32", "f32", 2));
  quick.plan = plan_flat(quick.program, &quick.why_not, true);
  ASSERT_TRUE(quick.plan && !quick.plan->exact) << quick.why_not;
  const std::vector<std::byte> before = quick.arena();
  std::vector<std::byte> expected = before, got(before.size());
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, before.size(), kPageBytes);
  std::vector<std::span<std::byte>> spans;
  std::vector<View> views;
  for (const uint64_t offset : quick.offsets) {
    spans.push_back(std::span(expected).subspan(offset, 800'000));
    views.push_back({buffer, offset, 800'000});
  }
  interpret(quick.program, spans, {});
  chip().write(buffer, before);
  launch(chip(), *quick.plan, views);
  chip().read(buffer, got);
  double most = 0;
  for (size_t at = 0; at < got.size(); at += 4) {
    uint32_t is = 0, must = 0;
    std::memcpy(&is, &got[at], 4);
    std::memcpy(&must, &expected[at], 4);
    most = std::max(most, ulps_between(Type::F32, is, must));
    if (is == 0x7FC00000 || must == 0x7FC00000) {
      EXPECT_EQ(is, must);
    }
    EXPECT_EQ(is >> 31, must >> 31) << "sign of word " << at / 4;
  }
  EXPECT_LE(most, 1);
}

TEST(ElementwiseFunctions, AreExactWhereAUnitWouldGrow) {
  const auto exact = [](const std::string& lines) {
    return plan_flat(parse(one_operation(lines, 64, "f32", "f32", 2)), nullptr, true)->exact;
  };
  EXPECT_FALSE(exact("%e = exp2 f32 %a\n%r = neg f32 %e\n"));
  EXPECT_FALSE(exact("%e = exp2 f32 %a\n%r = add f32 %e f32:1.0\n"));
  EXPECT_FALSE(exact("%e = exp2 f32 %a\n%r = fdiv f32 %e %b\n"));
  EXPECT_FALSE(exact("%r = fdiv f32 %a %b\n"));
  EXPECT_FALSE(exact("%q = fdiv f32 %a %b\n%r = neg f32 %q\n"));
  EXPECT_FALSE(exact("%e = exp2 f32 %a\n%q = fdiv f32 %b %a\n%r = mul f32 %e %q\n")) << "exp2 is quick";
  EXPECT_TRUE(exact("%q = fdiv f32 %a %b\n%r = add f32 %q %a\n"));
  // 0 in place of the smallest number, times a large one.
  EXPECT_TRUE(exact("%q = fdiv f32 %a %b\n%r = mul f32 %q %a\n"));
  EXPECT_TRUE(exact("%q = fdiv f32 %a %b\n%n = neg f32 %q\n%r = fdiv f32 %b %n\n"));
  EXPECT_TRUE(exact("%e = exp2 f32 %a\n%r = sub f32 %e f32:1.0\n"));
  EXPECT_TRUE(exact("%e = exp2 f32 %a\n%r = add f32 %e %b\n"));
  EXPECT_TRUE(exact("%e = exp2 f32 %a\n%c = cmplt f32 %e %b\n%r = where f32 %c %a %b\n"));
  EXPECT_TRUE(exact("%e = exp2 f32 %a\n%r = exp2 f32 %e\n"));
}

TEST(ElementwiseFunctions, WithoutAnExactFormAreLeftToScalarCodeWhereAUnitWouldGrow) {
  const auto why_not = [](const std::string& lines) {
    std::string why;
    return plan_flat(parse(one_operation(lines, 64, "f32", "f32", 2)), &why, true) ? std::string() : why;
  };
  EXPECT_EQ(why_not("%s = sin f32 %a\n%e = exp2 f32 %b\n%r = mul f32 %e %s\n"), "");
  EXPECT_EQ(why_not("%s = log2 f32 %a\n%r = mul f32 %s f32:0.6931471824645996\n"), "");
  EXPECT_EQ(why_not("%s = sin f32 %a\n%r = add f32 %s %b\n"), "line 8: the vector unit has no sin of f32");
  EXPECT_EQ(why_not("%s = log2 f32 %a\n%t = mul f32 %s %b\n%r = exp2 f32 %t\n"),
            "line 8: the vector unit has no log2 of f32");
  EXPECT_EQ(why_not("%s = sin f32 %a\n%t = sin f32 %b\n%u = mul f32 %s %t\n%r = mul f32 %u %s\n"),
            "line 8: the vector unit has no sin of f32");
}

// Numbers for all parameters but the first; then one launch, held against the definition.
Path path_of(const std::string& text, const std::vector<float>& numbers, bool in_place = false) {
  const Executable executable(chip().board_name(), text, {.path = Path::Tiles});
  std::vector<View> views;
  for (const Parameter& p : executable.program().parameters) {
    if (in_place && p.slot == 1) {
      views.push_back(views[0]);
    } else {
      views.push_back({chip().allocate(host::Memory::Dram, p.bytes(), kPageBytes), 0, p.bytes()});
    }
    std::vector<float> of(p.count);
    for (size_t n = 0; n < of.size(); ++n) of[n] = numbers[n % numbers.size()];
    chip().write(views.back().buffer, std::as_bytes(std::span(of)));
  }
  return executable.launch(chip(), views, {}, {.check = Against::Definition}).path;
}

TEST(ElementwiseFunctions, SinesOfLargeNumbersAreLeftToScalarCode) {
  const std::string sine = one_operation("%r = sin f32 %a\n", 3001, "f32", "f32", 1);
  const std::string sum =
      "kernel sum\nparam p0 f32 1\nparam p1 f32 2000\nreg r0 f32 1\nstore f32 r0[i32:0] f32:0.0\n"
      "%j = loop i32 i32:2000 reduce\n%a = load f32 p1[%j]\n%s = sin f32 %a\n"
      "%o = load f32 r0[i32:0]\n%t = add f32 %o %s\nstore f32 r0[i32:0] %t\nend %j\n"
      "%u = load f32 r0[i32:0]\nstore f32 p0[i32:0] %u\n";
  for (const std::string& text : {sine, sum}) {
    std::vector<float> numbers(3001);
    for (size_t n = 0; n < numbers.size(); ++n) numbers[n] = static_cast<float>(n) * 10.5f - 15'000;
    EXPECT_EQ(path_of(text, numbers), Path::Tiles);
    numbers[1999] = 32768;
    numbers[7] = -INFINITY;
    EXPECT_EQ(path_of(text, numbers), Path::Tiles);
    numbers[1999] = 32769;
    EXPECT_EQ(path_of(text, numbers), Path::Scalar);
    numbers[1999] = 1e30f;
    EXPECT_EQ(path_of(text, numbers), Path::Scalar);
  }
  EXPECT_EQ(path_of(sine, {1}, true), Path::Scalar);  // what is lost could not be loaded again
}

TEST(ElementwiseFunctions, SinesOfBf16AreLeftToScalarCodeOneByOne) {
  const std::string text = one_operation("%r = sin bf16 %a\n", 1025, "bf16", "bf16", 1);
  const Executable executable(chip().board_name(), text, {.path = Path::Tiles});
  for (const size_t large : {0, 1, 1024, -1}) {
    std::vector<uint16_t> numbers(1025, 0x4049);
    if (large < numbers.size()) numbers[large] = 0x4780;  // 65536
    std::vector<View> views;
    for (int p = 0; p < 2; ++p) views.push_back({chip().allocate(host::Memory::Dram, 2050, kPageBytes), 0, 2050});
    chip().write(views[1].buffer, std::as_bytes(std::span(numbers)));
    const Path path = executable.launch(chip(), views, {}, {.check = Against::Definition}).path;
    EXPECT_EQ(path, large < numbers.size() ? Path::Scalar : Path::Tiles) << large;
  }
}

TEST(ElementwiseFunctions, ProductsAndSumsStayWithinTheirBounds) {
  std::mt19937_64 random(13);
  for (const std::string lines :
       {"%s = sin f32 %a\n%m = mul f32 %b f32:1.5\n%e = exp2 f32 %m\n%r = mul f32 %e %s\n",
        "%s = exp2 f32 %a\n%e = exp2 f32 %b\n%r = mul f32 %e %s\n", "%s = log2 f32 %a\n%r = mul f32 %s %b\n",
        "%s = log2 f32 %a\n%e = exp2 f32 %b\n%r = mul f32 %e %s\n",
        "%s = sin f32 %a\n%c = cmplt f32 %b f32:0.0\n%r = where f32 %c %s %b\n"}) {
    SCOPED_TRACE(lines);
    std::vector<float> numbers(20'011);
    for (float& number : numbers) number = static_cast<float>(random() % 200'001) / 10'000 - 10;
    EXPECT_EQ(path_of(one_operation(lines, 50'000, "f32", "f32", 2), numbers), Path::Tiles);
  }
}

}  // namespace
}  // namespace kerr::loops::tiles

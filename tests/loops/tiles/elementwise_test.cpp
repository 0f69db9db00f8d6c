// Element-wise loop programs on the vector unit give the definition's bits.
#include <fmt/format.h>

#include "tests/loops/tiles/elementwise_bench.hpp"

namespace kerr::loops::tiles {
namespace {

void expect_operation(const std::string& lines, const std::string& type, const std::string& result, int operands,
                      uint64_t count = 20'000) {
  SCOPED_TRACE(lines);
  Elementwise(one_operation(lines, count, type, result, operands)).expect_same();
}

TEST(ElementwiseTiles, FloatsAreTheDefinitions) {
  for (const std::string verb : {"add", "sub", "mul", "fdiv", "max"})
    expect_operation("%r = " + verb + " f32 %a %b\n", "f32", "f32", 2);
  for (const std::string verb : {"neg", "sqrt", "trunc", "exp2"})
    expect_operation("%r = " + verb + " f32 %a\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, QuotientsAndRootsAreTheNearest) {
  expect_operation("%r = fdiv f32 %a %b\n", "f32", "f32", 2, 400'000);
  expect_operation("%r = sqrt f32 %a\n", "f32", "f32", 1, 400'000);
  expect_operation("%r = exp2 f32 %a\n", "f32", "f32", 1, 400'000);
}

TEST(ElementwiseTiles, ComparisonsKnowNanZerosAndDenormals) {
  for (const std::string verb : {"cmplt", "cmpeq", "cmpne"}) {
    expect_operation("%c = " + verb + " f32 %a %b\n%r = where f32 %c %a %b\n", "f32", "f32", 2);
    expect_operation("%c = " + verb + " f32 %a %a\n%r = where f32 %c f32:1.0 %a\n", "f32", "f32", 1);
    for (const std::string number : {"0.0", "-0.0", "1.0", "inf", "nan"}) {
      expect_operation("%c = " + verb + " f32 %a f32:" + number + "\n%r = cast i32 %c\n", "f32", "i32", 1, 5000);
      expect_operation("%c = " + verb + " f32 f32:" + number + " %a\n%r = cast f32 %c\n", "f32", "f32", 1, 5000);
    }
    for (const std::string type : {"i32", "u32"})
      expect_operation("%c = " + verb + " " + type + " %a %b\n%r = cast i32 %c\n", type, "i32", 2);
  }
  expect_operation("%r = max f32 %a f32:0.0\n", "f32", "f32", 1);
  expect_operation("%r = max f32 f32:0.0 %a\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, IntegersAreModuloTwoToThe32) {
  for (const std::string type : {"i32", "u32"}) {
    for (const std::string verb : {"add", "sub", "mul", "max", "and", "or", "xor", "shl", "shr"})
      expect_operation("%r = " + verb + " " + type + " %a %b\n", type, type, 2);
    for (const std::string count : {"0", "1", "31", "32", "100"}) {
      expect_operation("%r = shr " + type + " %a i32:" + count + "\n", type, type, 1, 3000);
      expect_operation("%r = shl " + type + " %a i32:" + count + "\n", type, type, 1, 3000);
    }
  }
  expect_operation("%r = neg i32 %a\n", "i32", "i32", 1);
  expect_operation("%r = cdiv i32 %a %b\n", "i32", "i32", 2);
  expect_operation("%r = cmod i32 %a %b\n", "i32", "i32", 2);
}

TEST(ElementwiseTiles, CastsAreTheDefinitions) {
  expect_operation("%r = cast f32 %a\n", "i32", "f32", 1);
  expect_operation("%r = cast f32 %a\n", "u32", "f32", 1);
  expect_operation("%r = cast i32 %a\n", "f32", "i32", 1);
  expect_operation("%r = bitcast i32 %a\n", "f32", "i32", 1);
  expect_operation("%b = cast bool %a\n%r = cast f32 %b\n", "f32", "f32", 1);
  expect_operation("%b = cast bf16 %a\n%r = cast f32 %b\n", "f32", "f32", 1);
}

TEST(ElementwiseTiles, Bf16IsRoundedToEvenAndKeepsNan) {
  for (const std::string verb : {"add", "sub", "mul", "fdiv", "max"})
    expect_operation("%r = " + verb + " bf16 %a %b\n", "bf16", "bf16", 2);
  for (const std::string verb : {"neg", "sqrt", "trunc", "exp2"})
    expect_operation("%r = " + verb + " bf16 %a\n", "bf16", "bf16", 1);
  expect_operation("%c = cmplt bf16 %a %b\n%r = where bf16 %c %b %a\n", "bf16", "bf16", 2);
  expect_operation("%f = cast f32 %a\n%g = mul f32 %f f32:1.0009765625\n%r = cast bf16 %g\n", "bf16", "bf16", 1);
}

// More values wait than there is room for in a tile of Dst: blocks of a page take turns at the same places.
TEST(ElementwiseTiles, LongExpressionsOfThreeOperandsAreTheDefinitions) {
  expect_operation("%d = sub bf16 %a %b\n%r = fdiv bf16 %d %c\n", "bf16", "bf16", 3, 5000);
  expect_operation("%d = sub bf16 %a %b\n%e = exp2 bf16 %d\n%r = mul bf16 %e %c\n", "bf16", "bf16", 3, 5000);
  expect_operation("%d = fdiv f32 %a %b\n%r = fdiv f32 %d %c\n", "f32", "f32", 3, 5000);
}

TEST(ElementwiseTiles, EndsExactlyAtItsLastElement) {
  for (const uint64_t count : {1, 31, 1023, 1024, 1025, 2047, 2049, 4095, 4096, 4097})
    for (const std::string type : {"f32", "bf16"})
      expect_operation("%r = add " + type + " %a %b\n", type, type, 2, count);
}

// Of one page alone no more groups of words are computed than have elements.
TEST(ElementwiseTiles, ShortOnesOfLongCodeEndExactlyToo) {
  for (const uint64_t count : {1, 2, 63, 64, 65, 129, 255, 300, 513, 1000}) {
    expect_operation("%d = sub bf16 %a %b\n%e = exp2 bf16 %d\n%r = mul bf16 %e %c\n", "bf16", "bf16", 3, count);
    expect_operation("%d = fdiv f32 %a %b\n%r = fdiv f32 %d %c\n", "f32", "f32", 3, count);
    expect_operation("%r = sqrt f32 %a\n", "f32", "f32", 1, count);
  }
}

TEST(ElementwiseTiles, AnyNumberOfCoresGivesTheSame) {
  Elementwise one(one_operation("%r = mul f32 %a %b\n", 50'000, "f32", "f32", 2));
  for (const uint32_t cores : {1u, 2u, 7u, 49u, 118u}) one.expect_same(cores);
}

std::string rows_and_columns(const std::string& type, int rows, int columns, const std::string& b,
                             const std::string& c) {
  const std::string n = std::to_string(rows * columns);
  return "kernel repeats\nparam p0 " + type + " " + n + "\nparam p1 " + type + " " + n + "\nparam p2 " + type + " " +
         std::to_string(rows * columns) + "\nparam p3 " + type + " " + std::to_string(rows * columns) +
         "\n%i = loop i32 i32:" + std::to_string(rows) + " weak\n%j = loop i32 i32:" + std::to_string(columns) +
         " weak\n%k = mul i32 %i i32:" + std::to_string(columns) + "\n%n = add i32 %k %j\n%x = load " + type +
         " p1[%n]\n%y = load " + type + " p2[" + b + "]\n%z = load " + type + " p3[" + c + "]\n%s = sub " + type +
         " %x %y\n%t = mul " + type + " %s %z\nstore " + type + " p0[%n] %t\nend %j\nend %i\n";
}

TEST(ElementwiseTiles, OperandsAreRepeatedByRowsAndColumns) {
  for (const std::string type : {"f32", "bf16"}) {
    for (const auto& [rows, columns] :
         {std::pair{3, 700}, {700, 3}, {5, 1024}, {2, 4096}, {97, 101}, {1, 33}, {33, 1}}) {
      SCOPED_TRACE(type + " " + std::to_string(rows) + " x " + std::to_string(columns));
      Elementwise(rows_and_columns(type, rows, columns, "%i", "%j")).expect_same();
      Elementwise(rows_and_columns(type, rows, columns, "i32:0", "i32:7")).expect_same(2);
    }
  }
}

TEST(ElementwiseTiles, OperandsBeginAnywhereAndTheResultWithAMultipleOf64Bytes) {
  for (const uint64_t count : {1u, 16u, 1000u, 1008u, 1009u, 3000u, 10240u}) {
    Elementwise one(one_operation("%r = sub f32 %a %b\n", count, "f32", "f32", 2));
    one.offsets[1] += 4;
    one.offsets[2] += 1024 * 4 - 8;
    one.expect_same();
    for (const uint64_t start : {64u, 192u, 4032u}) {
      SCOPED_TRACE(std::to_string(count) + " elements from byte " + std::to_string(start));
      Elementwise shifted = one;
      shifted.offsets[0] += start;
      shifted.expect_same(0, 2);
      shifted.expect_same(3);
    }
  }
  Elementwise halves(one_operation("%r = sub bf16 %a %b\n", 4999, "bf16", "bf16", 2));
  halves.offsets[0] += 512;
  halves.expect_same();
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, 1 << 20, kPageBytes);
  const std::vector<View> views{{buffer, 32, 9998}, {buffer, 1 << 16, 9998}, {buffer, 1 << 18, 9998}};
  EXPECT_FALSE(fits(*halves.plan, views));
}

TEST(ElementwiseTiles, TheResultMayTakeThePlaceOfAnOperandButNotOverlapOne) {
  Elementwise one(one_operation("%r = mul f32 %a %b\n", 5000, "f32", "f32", 2));
  one.offsets[1] = one.offsets[0];
  one.expect_same(7, 3);
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, 1 << 20, kPageBytes);
  const auto with = [&](uint64_t at) {
    const std::vector<View> views{{buffer, 1 << 16, 20000}, {buffer, at, 20000}, {buffer, 1 << 18, 20000}};
    return fits(*one.plan, views);
  };
  EXPECT_TRUE(with(1 << 16));
  EXPECT_FALSE(with((1 << 16) + kPageBytes));
  EXPECT_FALSE(with((1 << 16) - 4));
  EXPECT_TRUE(with((1 << 16) + 20000));
  Elementwise repeated(rows_and_columns("f32", 50, 100, "%i", "%j"));
  const std::vector<View> over{
      {buffer, 0, 20000}, {buffer, 1 << 17, 20000}, {buffer, 0, 20000}, {buffer, 1 << 18, 20000}};
  EXPECT_FALSE(fits(*repeated.plan, over));
}

// Lines of random operations on what is there, %a and %b at first.
std::string random_lines(std::mt19937_64& random, const std::string& type, int count) {
  std::vector<std::string> floats{"%a", "%b"}, truths;
  std::string lines;
  const auto one_of = [&](const std::vector<std::string>& all) {
    if (&all == &floats && random() % 8 == 0) {
      constexpr const char* kNumbers[] = {"0.0", "-0.0", "1.0", "-1.0", "0.5", "inf", "-inf", "nan", "3.25"};
      return type + ":" + kNumbers[random() % std::size(kNumbers)];
    }
    return all[random() % all.size()];
  };
  for (int i = 0; i < count; ++i) {
    const std::string name = "%v" + std::to_string(i);
    const uint64_t kind = random() % 16;
    if (kind < 3) {
      constexpr const char* kVerbs[] = {"cmplt", "cmpeq", "cmpne"};
      lines += name + " = " + kVerbs[kind] + " " + type + " " + one_of(floats) + " " + one_of(floats) + "\n";
      truths.push_back(name);
      continue;
    }
    if (kind < 5 && !truths.empty()) {
      lines += name + " = where " + type + " " + one_of(truths) + " " + one_of(floats) + " " + one_of(floats) + "\n";
    } else if (kind < 12) {
      constexpr const char* kVerbs[] = {"add", "sub", "mul", "max"};
      lines += name + " = " + kVerbs[random() % 4] + " " + type + " " + one_of(floats) + " " + one_of(floats) + "\n";
    } else if (kind == 12) {
      lines += name + " = fdiv " + type + " " + one_of(floats) + " " + one_of(floats) + "\n";
    } else {
      constexpr const char* kVerbs[] = {"neg", "sqrt", "trunc", "exp2"};
      lines += name + " = " + kVerbs[random() % 4] + " " + type + " " + one_of(floats) + "\n";
    }
    floats.push_back(name);
  }
  return lines + "%r = add " + type + " " + floats.back() + " f32:0.0\n";
}

TEST(ElementwiseTiles, RandomExpressionsAreTheDefinitions) {
  std::mt19937_64 random(5);
  int planned = 0;
  for (int i = 0; i < 120; ++i) {
    const bool wide = i % 3 != 0;
    std::string lines = random_lines(random, wide ? "f32" : "bf16", 1 + static_cast<int>(random() % 10));
    if (!wide) lines.replace(lines.rfind("f32:"), 4, "bf16:");
    const std::string type = wide ? "f32" : "bf16";
    Elementwise one(one_operation(lines, 1500 + random() % 2000, type, type, 2));
    one.seed = random();
    if (!one.plan) {  // more values than registers
      EXPECT_NE(one.why_not.find("split it"), std::string::npos) << one.why_not;
      continue;
    }
    ++planned;
    one.expect_same();
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(planned, 80);
}

// A few iterations of an outermost loop are launches of their own, whose loads and places are those of the iteration.
std::string kept_at_a_position(int columns) {
  const std::string c = std::to_string(columns);
  return "kernel keep\nparam p0 f32 32768\nparam p1 f32 " + std::to_string(3 * columns) +
         "\nvar %p i32 position 0 63\n%a = shl i32 %p i32:8\n%i = loop i32 i32:2 weak\n%b = shl i32 %i i32:14\n"
         "%c = cmpne i32 %i i32:0\n%j = loop i32 i32:" +
         c + " weak\n%d = add i32 %j i32:" + c +
         "\n%x = load f32 p1[%d]\n%e = add i32 %j i32:" + std::to_string(2 * columns) +
         "\n%y = load f32 p1[%e]\n%f = add i32 %a %j\n%g = add i32 %f %b\n%z = where f32 %c %y %x\n"
         "store f32 p0[%g] %z\nend %j\nend %i\n";
}
TEST(ElementwiseTiles, AFewIterationsAreLaunchedOneByOne) {
  for (const int64_t position : {0, 1, 17, 63}) {
    for (const int columns : {256, 200, 1}) {
      OnDevice keep(kept_at_a_position(columns));
      keep.numbers = {position};
      EXPECT_EQ(keep.launch().path, Path::Tiles) << position << " " << columns;
    }
  }
}
TEST(ElementwiseTiles, IterationsThatReadWhatOthersHaveStoredAreLaunchedInOrder) {
  OnDevice chain(
      "kernel chain\nparam p0 f32 8192\n%i = loop i32 i32:3 weak\n%a = shl i32 %i i32:11\n"
      "%j = loop i32 i32:1024 weak\n%n = add i32 %a %j\n%m = add i32 %n i32:2048\n%x = load f32 p0[%n]\n"
      "%y = mul f32 %x f32:1.5\nstore f32 p0[%m] %y\nend %j\nend %i\n");
  EXPECT_EQ(chain.launch().path, Path::Tiles);
}
TEST(ElementwiseTiles, ManyIterationsAreLeftToScalarCode) {
  const std::string text =
      "kernel rows\nparam p0 f32 640\nparam p1 f32 640\n%i = loop i32 i32:5 weak\n%a = shl i32 %i i32:7\n"
      "%j = loop i32 i32:100 weak\n%n = add i32 %a %j\n%x = load f32 p1[%n]\n%y = neg f32 %x\n"
      "store f32 p0[%n] %y\nend %j\nend %i\n";
  EXPECT_EQ(OnDevice(text).launch().path, Path::Scalar);
}

TEST(ElementwiseTiles, OtherProgramsAreRefusedWithASentence) {
  const auto why_not = [](const std::string& text) {
    std::string why;
    EXPECT_FALSE(plan_flat(parse(text), &why));
    return why;
  };
  const std::string head = "kernel k\nparam p0 f32 64\nparam p1 f32 64\n%i = loop i32 i32:64 weak\n";
  EXPECT_EQ(why_not(head + "%a = load f32 p1[%i]\n%r = sin f32 %a\nstore f32 p0[%i] %r\nend %i\n"),
            "line 6: the vector unit has no sin of f32");
  EXPECT_EQ(why_not(head + "%a = cast f32 %i\nstore f32 p0[%i] %a\nend %i\n"),
            "line 4 is a number of an iteration that is computed with");
  EXPECT_EQ(why_not(head + "%j = sub i32 i32:63 %i\n%a = load f32 p1[%j]\nstore f32 p0[%i] %a\nend %i\n"),
            "line 6 loads elements in another order");
  EXPECT_EQ(why_not(head + "%g = cmplt i32 %i i32:3\n%a = load f32 p1[%i] %g f32:0.0\nstore f32 p0[%i] %a\nend %i\n"),
            "line 6 is a load with a condition");
  EXPECT_EQ(why_not(head + "%j = and i32 %i i32:3\n%a = load f32 p1[%j]\nstore f32 p0[%i] %a\nend %i\n"),
            "line 6 has an index that is no sum of multiples of the loops' variables");
}

// a / b, and that by a, and so on.
std::string quotients(int count) {
  std::string lines = "%q0 = fdiv f32 %a %b\n";
  for (int i = 1; i < count; ++i) lines += fmt::format("%q{} = fdiv f32 %q{} {}\n", i, i - 1, i % 2 != 0 ? "%b" : "%a");
  return lines + fmt::format("%r = add f32 %q{} %a\n", count - 1);
}

// Of one page and of several, whose blocks are more.
TEST(ElementwiseTiles, CodeThatHasNoRoomOnACoreIsRefusedAndAllOtherRuns) {
  for (const uint64_t count : {300u, 2925u}) {
    int most = 0, fewest = 1024;  // that are taken, and that are not
    while (most + 1 < fewest) {
      const int middle = (most + fewest) / 2;
      const Elementwise one(one_operation(quotients(middle), count, "f32", "f32", 2));
      (one.plan ? most : fewest) = middle;
      if (!one.plan) {
        EXPECT_NE(one.why_not.find("words, and 13000 fit"), std::string::npos) << one.why_not;
      }
    }
    EXPECT_GT(most, 10) << count;
    ASSERT_LT(fewest, 1024) << count;
    Elementwise(one_operation(quotients(most), count, "f32", "f32", 2)).expect_same();
  }
}

}  // namespace
}  // namespace kerr::loops::tiles

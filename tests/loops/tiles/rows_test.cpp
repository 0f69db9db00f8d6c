// Sums and maxima of rows on the vector unit.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "loops/executable.hpp"
#include "loops/interpret.hpp"
#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

// r[i] = init; for j: r = verb(r, VALUE of %x, and of %m = p2[i]); %t = r; what follows stores %y.
struct RowText {
  int rows = 16, columns = 64;
  std::string type = "f32", of = "f32", verb = "add", begin = "0.0";
  std::string value = "%v = mul f32 %x f32:1.0\n";  // of %x and %m
  std::string follows = "%y = mul f32 %t f32:1.0\n", stored = "f32";

  std::string text() const {
    const std::string r = std::to_string(rows), c = std::to_string(columns), n = std::to_string(rows * columns);
    return "kernel rows\nparam p0 " + stored + " " + r + "\nparam p1 " + type + " " + n + "\nparam p2 " + type + " " +
           r + "\nreg r0 " + of + " 1\n%i = loop i32 i32:" + r + " weak\nstore " + of + " r0[i32:0] " + of + ":" +
           begin + "\n%j = loop i32 i32:" + c + " reduce\n%a = mul i32 %i i32:" + c +
           "\n%n = add i32 %a %j\n%x = load " + type + " p1[%n]\n%m = load " + type + " p2[%i]\n" + value +
           "%o = load " + of + " r0[i32:0]\n%s = " + verb + " " + of + " %o %v\nstore " + of +
           " r0[i32:0] %s\nend %j\n%t = load " + of + " r0[i32:0]\n" + follows + "store " + stored +
           " p0[%i] %y\nend %i\n";
  }
};
const std::string kPlainValue = "%v = mul f32 %x f32:1.0\n";

// A program whose value and result are what is loaded and reduced.
std::string plain(RowText rows) {
  std::string text = rows.text();
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (size_t at; (at = text.find(from)) != std::string::npos;) text.replace(at, from.size(), to);
  };
  replace(rows.value, "");
  replace(rows.follows, "");
  replace(" %v\n", " %x\n");
  replace(" %y\n", " %t\n");
  return text;
}
RowText maxima(int rows, int columns) { return {.rows = rows, .columns = columns, .verb = "max", .begin = "-inf"}; }

struct RowsOnDevice {
  explicit RowsOnDevice(const std::string& text, const CompileOptions& options = {.path = Path::Tiles})
      : executable(chip().board_name(), text, options) {
    std::mt19937_64 random(11);
    for (const Parameter& p : executable.program().parameters) bytes.push_back(numbers_for(p, random));
  }

  // Compares with the definition; whatever lies round the result is left alone.
  Path launch(uint64_t offset = 0) {
    std::vector<View> views;
    for (const std::vector<std::byte>& b : bytes) {
      views.push_back({chip().allocate(host::Memory::Dram, b.size() + offset + 64, kPageBytes), offset, b.size()});
      chip().write(views.back().buffer, std::vector<std::byte>(b.size() + offset + 64, std::byte{0xA5}));
      chip().write(views.back().buffer, b, offset);
    }
    const Path path = executable.launch(chip(), views, {}, {.check = Against::Definition, .scratch = &scratch()}).path;
    std::vector<std::byte> all(bytes[0].size() + offset + 64);
    chip().read(views[0].buffer, all);
    for (size_t at = 0; at < all.size(); ++at) {
      if (at < offset || at >= offset + bytes[0].size()) {
        EXPECT_EQ(all[at], std::byte{0xA5}) << at;
      }
    }
    result.assign(all.begin() + static_cast<ptrdiff_t>(offset), all.end() - 64);
    return path;
  }
  bool explains(const std::string& what) const { return executable.explain().find(what) != std::string::npos; }

  void set(size_t parameter, uint64_t element, float value) {
    std::memcpy(bytes[parameter].data() + 4 * element, &value, 4);
  }

  Executable executable;
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::byte> result;
};

void expect_rows(const std::string& text, const std::string& what) {
  SCOPED_TRACE(text);
  RowsOnDevice rows(text);
  ASSERT_TRUE(rows.explains(what)) << rows.executable.explain();
  EXPECT_EQ(rows.launch(), Path::Tiles);
  EXPECT_EQ(rows.launch(), Path::Tiles) << "the program that waits for the next launch";
  EXPECT_EQ(rows.launch(64), Path::Tiles) << "views that do not begin with a page";
}

constexpr int kShapes[][2] = {{1, 64}, {16, 64}, {17, 128}, {5, 192}, {40, 1024}, {33, 320}, {3, 3072}, {130, 512}};

TEST(RowTiles, SumsAreWithinTheirBound) {
  for (const auto [rows, columns] : kShapes)
    expect_rows(plain({.rows = rows, .columns = columns}),
                "sums of " + std::to_string(rows) + " rows of " + std::to_string(columns));
}
TEST(RowTiles, MaximaAreExact) {
  for (const auto [rows, columns] : kShapes)
    expect_rows(plain(maxima(rows, columns)),
                "maxima of " + std::to_string(rows) + " rows of " + std::to_string(columns));
}
TEST(RowTiles, SumsOfIntegersAreExact) {
  for (const char* type : {"i32", "u32"})
    expect_rows(plain({.rows = 20, .columns = 128, .type = type, .of = type, .begin = "0", .stored = type}), "sums of");
}

TEST(RowTiles, WhatIsSummedUpIsComputed) {
  for (const auto [rows, columns] : kShapes) {
    expect_rows(RowText{.rows = rows, .columns = columns, .value = "%d = sub f32 %x %m\n%v = mul f32 %d %d\n"}.text(),
                "sums of");
    if (rows * columns < 1024) continue;  // cut at the function, that is estimated to take less
    expect_rows(RowText{.rows = rows,
                        .columns = columns,
                        .value = "%d = sub f32 %x %m\n%e = mul f32 %d f32:1.4426950216293335\n%v = exp2 f32 %e\n"}
                    .text(),
                "sums of");
  }
}
TEST(RowTiles, WhatIsComparedIsComputedExactly) {
  RowText rows = maxima(40, 256);
  rows.value = "%d = sub f32 %x %m\n%v = exp2 f32 %d\n";
  expect_rows(rows.text(), "maxima of");
}
TEST(RowTiles, WhatFollowsGoesOnWithTheNumbers) {
  expect_rows(RowText{.rows = 30,
                      .columns = 128,
                      .value = "%d = sub f32 %x %m\n%v = mul f32 %d %d\n",
                      .follows = "%h = mul f32 %t f32:0.0078125\n%g = add f32 %h f32:0.00001\n%y = sqrt f32 %g\n"}
                  .text(),
              "then scalar code");
}

TEST(RowTiles, NumbersOf16BitsAreTwoInAWord) {
  const std::string cast = "%w = cast f32 %d\n";
  for (const auto& [rows, columns] : {std::pair{16, 128}, {40, 512}, {3, 2048}, {9, 384}}) {
    expect_rows(RowText{.rows = rows,
                        .columns = columns,
                        .type = "bf16",
                        .value = "%d = sub bf16 %x %m\n%e = mul bf16 %d %d\n%v = cast f32 %e\n",
                        .follows = "%y = cast bf16 %t\n",
                        .stored = "bf16"}
                    .text(),
                "sums of");
    expect_rows(RowText{.rows = rows,
                        .columns = columns,
                        .type = "bf16",
                        .value = "%d = sub bf16 %x %m\n%w = cast f32 %d\n%u = mul f32 %w f32:1.4426950216293335\n"
                                 "%q = exp2 f32 %u\n%e = cast bf16 %q\n%v = cast f32 %e\n",
                        .follows = "%y = cast bf16 %t\n",
                        .stored = "bf16"}
                    .text(),
                "sums of");
    expect_rows(plain({.rows = rows,
                       .columns = columns,
                       .type = "bf16",
                       .of = "bf16",
                       .verb = "max",
                       .begin = "-inf",
                       .stored = "bf16"}),
                "maxima of");
  }
}

// Rows in two loops, stored in another order than they lie; columns in two loops.
TEST(RowTiles, LoopsMayBeSeveralInAnyOrder) {
  const std::string text =
      "kernel loops\nparam p0 f32 24\nparam p1 f32 3072\nreg r0 f32 1\n%i = loop i32 i32:4 weak\n"
      "%k = loop i32 i32:6 weak\nstore f32 r0[i32:0] f32:0.0\n%u = loop i32 i32:8 reduce\n%v = loop i32 i32:16 reduce\n"
      "%a = mul i32 %k i32:512\n%b = mul i32 %i i32:128\n%c = mul i32 %u i32:16\n%d = add i32 %a %b\n%e = add i32 %d "
      "%c\n"
      "%f = add i32 %e %v\n%x = load f32 p1[%f]\n%o = load f32 r0[i32:0]\n%s = add f32 %x %o\nstore f32 r0[i32:0] %s\n"
      "end %v\nend %u\n%t = load f32 r0[i32:0]\n%g = mul i32 %i i32:6\n%h = add i32 %g %k\nstore f32 p0[%h] %t\n"
      "end %k\nend %i\n";
  expect_rows(text, "sums of 24 rows of 128");
}

// r[i] = 0; for j: r = r + p1[columns i + j] * %x, which `vector` makes of j and of p2, an element for each j.
std::string matrix_times_vector(int rows, int columns, const std::string& vector, int elements = 0) {
  const std::string r = std::to_string(rows), c = std::to_string(columns), n = std::to_string(rows * columns);
  return "kernel matrix_times_vector\nparam p0 f32 " + r + "\nparam p1 f32 " + n + "\nparam p2 f32 " +
         std::to_string(elements == 0 ? columns : elements) + "\nreg r0 f32 1\n%i = loop i32 i32:" + r +
         " weak\nstore f32 r0[i32:0] f32:0.0\n%j = loop i32 i32:" + c + " reduce\n%a = mul i32 %i i32:" + c +
         "\n%n = add i32 %a %j\n%w = load f32 p1[%n]\n" + vector +
         "%v = mul f32 %w %x\n%o = load f32 r0[i32:0]\n%s = add f32 %o %v\nstore f32 r0[i32:0] %s\nend %j\n"
         "%t = load f32 r0[i32:0]\nstore f32 p0[%i] %t\nend %i\n";
}
const std::string kPlainVector = "%x = load f32 p2[%j]\n";

TEST(RowTiles, AMatrixTimesAVectorCountsItsProducts) {
  for (const auto& [rows, columns] : {std::pair{16, 64}, {20, 256}, {7, 1024}, {33, 448}, {5, 4608}}) {
    const std::string text = matrix_times_vector(rows, columns, kPlainVector);
    expect_rows(text, "sums of");
    RowsOnDevice unaligned(text);
    EXPECT_EQ(unaligned.launch(4), Path::Tiles) << "no lines of 64 bytes";
    OnDevice launch(text);
    EXPECT_EQ(launch.launch().products, static_cast<uint64_t>(rows) * static_cast<uint64_t>(columns));
  }
  OnDevice no_product(plain({.rows = 16, .columns = 256}));
  EXPECT_EQ(no_product.launch().products, 0u);
}
TEST(RowTiles, ScalarCodeMakesAVectorThatTheVectorUnitCannotLoad) {
  const std::string made = "before it scalar code makes 576 numbers";
  const std::string gated =
      "%b = cmod i32 %j i32:9\n%g = cmpeq i32 %b i32:4\n%k = cdiv i32 %j i32:9\n%x = load f32 p2[%k] %g f32:0.0\n";
  for (const int rows : {8, 16, 50}) expect_rows(matrix_times_vector(rows, 576, gated, 64), made);
  expect_rows(matrix_times_vector(16, 4608, gated, 512), "makes 4608 numbers");
  const std::string backwards = "%b = sub i32 i32:575 %j\n%x = load f32 p2[%b]\n";
  expect_rows(matrix_times_vector(32, 576, backwards), made);
  const std::string number = "%y = load f32 p2[%j]\n%b = cast f32 %j\n%x = add f32 %b %y\n";
  expect_rows(matrix_times_vector(32, 576, number), made);
}
TEST(RowTiles, AConditionThatIsMadeBeforeIsANumber) {
  const std::string chosen =
      "%y = load f32 p2[%j]\n%b = and i32 %j i32:3\n%g = cmpeq i32 %b i32:1\n%x = where f32 %g %w f32:2.0\n";
  expect_rows(matrix_times_vector(32, 576, chosen), "before it scalar code makes 576 numbers");
}
TEST(RowTiles, WhatDependsOnAllLoopsIsNotMadeBefore) {
  const auto explained = [](int rows, const std::string& vector) {
    return Executable(chip().board_name(), matrix_times_vector(rows, 576, vector), {.path = Path::Tiles}).explain();
  };
  const std::string of_both =
      "%b = mul i32 %j i32:8\n%k = add i32 %b %i\n%m = cmod i32 %k i32:576\n%x = load f32 p2[%m]\n";
  EXPECT_NE(explained(16, of_both).find("a product of"), std::string::npos) << explained(16, of_both);
  EXPECT_EQ(explained(16, of_both).find("sums of"), std::string::npos) << explained(16, of_both);
  const std::string backwards = "%b = sub i32 i32:575 %j\n%x = load f32 p2[%b]\n";
  EXPECT_NE(explained(8, backwards).find("before it"), std::string::npos);
  EXPECT_EQ(explained(7, backwards).find("before it"), std::string::npos) << "more than an eighth of the elements";
}

// The largest number is a zero, and two signs are possible: the first one in the row counts, which lanes do not know.
TEST(RowTiles, MaximaThatAreZerosAreLeftToScalarCode) {
  RowsOnDevice rows(plain(maxima(16, 64)));
  for (uint64_t at = 0; at < 64; ++at) rows.set(1, 3 * 64 + at, -1.0f);
  rows.set(1, 3 * 64 + 10, -0.0f);
  EXPECT_EQ(rows.launch(), Path::Tiles) << "a negative zero alone is the largest number";
  rows.set(1, 3 * 64 + 20, 0.0f);
  EXPECT_EQ(rows.launch(), Path::Scalar);
  uint32_t bits = 0;
  std::memcpy(&bits, rows.result.data() + 4 * 3, 4);
  EXPECT_EQ(bits, 0x80000000u);
}
TEST(RowTiles, MaximaKnowInfinitiesAndPassOverNaN) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  RowsOnDevice rows(plain(maxima(16, 64)));
  for (uint64_t at = 0; at < 64; ++at) rows.set(1, 5 * 64 + at, -kInfinite);
  rows.set(1, 2 * 64 + 7, kInfinite);
  rows.set(1, 4 * 64 + 9, -std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(rows.launch(), Path::Tiles);
  rows.set(1, 7 * 64 + 9, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(rows.launch(), Path::Scalar);
}
TEST(RowTiles, SumsKnowInfinitiesAndNaN) {
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  RowsOnDevice rows(plain({.rows = 16, .columns = 256}));
  rows.set(1, 2 * 256 + 7, kInfinite);
  rows.set(1, 3 * 256 + 8, -kInfinite);
  rows.set(1, 4 * 256 + 9, kInfinite);
  rows.set(1, 4 * 256 + 200, -kInfinite);
  rows.set(1, 5 * 256 + 9, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(rows.launch(), Path::Tiles);
}

// Rows need not be whole groups of 64 words.
TEST(RowTiles, RowsHaveAnyLength) {
  for (const int columns : {8, 10, 17, 63, 65, 100, 127, 130, 1000, 2000}) {
    for (const int rows : {1, 3, 5, 16, 17, 40}) {
      SCOPED_TRACE(testing::Message() << rows << " rows of " << columns);
      const std::string value = "%d = sub f32 %x %m\n%v = mul f32 %d %d\n";
      RowsOnDevice sums(RowText{.rows = rows, .columns = columns, .value = value}.text());
      EXPECT_TRUE(sums.explains("sums of " + std::to_string(rows) + " rows of " + std::to_string(columns)));
      EXPECT_EQ(sums.launch(), Path::Tiles);
      EXPECT_EQ(sums.launch(192), Path::Tiles);  // a hart copies what begins inside of a page
      RowsOnDevice largest(plain(maxima(rows, columns)));
      EXPECT_EQ(largest.launch(), Path::Tiles);
    }
  }
}
TEST(RowTiles, HalfWordsHaveRowsOfAnyEvenLength) {
  for (const int columns : {18, 66, 130, 1000}) {
    RowText text = maxima(21, columns);
    text.type = text.of = text.stored = "bf16";
    RowsOnDevice rows(plain(text));
    EXPECT_TRUE(rows.explains("maxima of 21 rows of " + std::to_string(columns)));
    EXPECT_EQ(rows.launch(), Path::Tiles);
  }
}
TEST(RowTiles, WholeNumbersHaveRowsOfAnyLength) {
  RowsOnDevice rows(plain({.rows = 19, .columns = 77, .type = "i32", .of = "i32", .begin = "0", .stored = "i32"}));
  EXPECT_TRUE(rows.explains("sums of 19 rows of 77"));
  EXPECT_EQ(rows.launch(), Path::Tiles);
}

// r = sum over j of p1[pitch i + j] p2[j], or its maximum; what is between rows is no number.
struct RowsApart {
  int rows, columns, pitch;
  std::string verb = "add", begin = "0.0";
  std::string text() const {
    return "kernel apart\nparam p0 f32 " + std::to_string(rows) + "\nparam p1 f32 " +
           std::to_string((rows - 1) * pitch + columns) + "\nparam p2 f32 " + std::to_string(columns) +
           "\nreg r0 f32 1\n%i = loop i32 i32:" + std::to_string(rows) + " weak\nstore f32 r0[i32:0] f32:" + begin +
           "\n%j = loop i32 i32:" + std::to_string(columns) + " reduce\n%a = mul i32 %i i32:" + std::to_string(pitch) +
           "\n%n = add i32 %a %j\n%x = load f32 p1[%n]\n%w = load f32 p2[%j]\n%v = mul f32 %x %w\n" +
           "%o = load f32 r0[i32:0]\n%s = " + verb +
           " f32 %o %v\nstore f32 r0[i32:0] %s\nend %j\n%t = load f32 r0[i32:0]\nstore f32 p0[%i] %t\nend %i\n";
  }
};
TEST(RowTiles, RowsMayBeApart) {
  for (const auto& [rows, columns, pitch] :
       {std::array{5, 17, 64}, {64, 16, 79}, {30, 64, 100}, {3, 1500, 2048}, {40, 100, 128}, {17, 8, 9}}) {
    for (const bool adds : {true, false}) {
      const RowsApart apart{rows, columns, pitch, adds ? "add" : "max", adds ? "0.0" : "-inf"};
      RowsOnDevice on(apart.text());
      EXPECT_TRUE(on.explains(std::to_string(rows) + " rows of " + std::to_string(columns))) << apart.text();
      for (int i = 0; i + 1 < rows; ++i)
        for (int gap = columns; gap < pitch; ++gap)
          on.set(1, static_cast<uint64_t>(i) * pitch + gap, std::numeric_limits<float>::quiet_NaN());
      EXPECT_EQ(on.launch(), Path::Tiles) << apart.text();
      EXPECT_EQ(on.launch(64), Path::Tiles) << apart.text();
    }
  }
}

// Sums over the outer and the inner of three loops: those of rows are in the middle.
std::string in_pieces(int outer, int rows, int columns, const std::string& verb, const std::string& begin) {
  const std::string o = std::to_string(outer), r = std::to_string(rows), c = std::to_string(columns);
  return "kernel pieces\nparam p0 f32 " + r + "\nparam p1 f32 " + std::to_string(outer * rows * columns) +
         "\nparam p2 f32 " + r + "\nreg r0 f32 1\n%i = loop i32 i32:" + r + " weak\n%m = load f32 p2[%i]\n" +
         "store f32 r0[i32:0] f32:" + begin + "\n%b = loop i32 i32:" + o + " reduce\n%j = loop i32 i32:" + c +
         " reduce\n%f = mul i32 %b i32:" + std::to_string(rows * columns) + "\n%g = mul i32 %i i32:" + c +
         "\n%h = add i32 %f %g\n%n = add i32 %h %j\n%x = load f32 p1[%n]\n%d = sub f32 %x %m\n%v = mul f32 %d %d\n" +
         "%o = load f32 r0[i32:0]\n%s = " + verb + " f32 %o %v\nstore f32 r0[i32:0] %s\nend %j\nend %b\n" +
         "%t = load f32 r0[i32:0]\n%y = mul f32 %t f32:0.5\nstore f32 p0[%i] %y\nend %i\n";
}
TEST(RowTiles, SumsInPiecesArePutTogether) {
  for (const auto& [outer, rows, columns] : {std::array{32, 8, 400}, {4, 64, 36}, {7, 3, 64}, {2, 2, 128}, {3, 5, 9}}) {
    for (const bool adds : {true, false}) {
      RowsOnDevice on(in_pieces(outer, rows, columns, adds ? "add" : "max", adds ? "0.0" : "-inf"));
      EXPECT_TRUE(on.explains("these are pieces of " + std::to_string(rows) + " numbers"));
      EXPECT_EQ(on.launch(), Path::Tiles);
    }
  }
  RowsOnDevice on(in_pieces(4, 5, 64, "max", "-inf"));
  on.set(1, 2 * 5 * 64 + 3 * 64 + 7, std::numeric_limits<float>::quiet_NaN());
  EXPECT_EQ(on.launch(), Path::Scalar);
}

// Attention of a variable length: how many rows there are and where they lie is known at the launch.
std::string scores() {
  return "kernel scores\nparam p0 f32 256\nparam p1 f32 256\nparam p2 f32 16384\nvar %p i32 position 0 63\n"
         "reg r0 f32 1\n%n = add i32 %p i32:1\n%s = shl i32 %p i32:6\n%t = add i32 %s i32:64\n"
         "%h = loop i32 i32:4 weak\n%a = mul i32 %t %h\n%b = shl i32 %h i32:6\n%i = loop i32 %n weak\n"
         "%c = add i32 %a %i\n%d = cmod i32 %c %n\n%e = shl i32 %d i32:8\n%f = cdiv i32 %c %n\n"
         "store f32 r0[i32:0] f32:0.0\n%k = loop i32 i32:64 reduce\n%g = add i32 %b %k\n%q = load f32 p1[%g]\n"
         "%j = add i32 %f %k\n%l = and i32 %j i32:255\n%m = add i32 %e %l\n%x = load f32 p2[%m]\n"
         "%o = load f32 r0[i32:0]\n%v = mul f32 %q %x\n%w = add f32 %o %v\nstore f32 r0[i32:0] %w\nend %k\n"
         "%r = load f32 r0[i32:0]\n%y = add i32 %b %i\n%z = mul f32 %r f32:0.125\nstore f32 p0[%y] %z\nend %i\nend "
         "%h\n";
}
std::string largest_scores() {
  return "kernel largest\nparam p0 f32 4\nparam p1 f32 256\nvar %p i32 position 0 63\nreg r0 f32 1\n"
         "%n = add i32 %p i32:1\n%h = loop i32 i32:4 weak\n%b = shl i32 %h i32:6\nstore f32 r0[i32:0] f32:-inf\n"
         "%i = loop i32 %n reduce\n%c = add i32 %b %i\n%x = load f32 p1[%c]\n%o = load f32 r0[i32:0]\n"
         "%m = max f32 %o %x\nstore f32 r0[i32:0] %m\nend %i\n%r = load f32 r0[i32:0]\nstore f32 p0[%h] %r\nend %h\n";
}
TEST(RowTiles, RowsMayDependOnVariables) {
  for (const int64_t position : {7, 16, 33, 63}) {
    OnDevice products(scores()), maxima(largest_scores());
    products.numbers = maxima.numbers = {position};
    EXPECT_EQ(products.launch().path, Path::Tiles) << position;
    EXPECT_EQ(maxima.launch().path, Path::Tiles) << position;
  }
}

TEST(RowTiles, OtherProgramsAreNotTaken) {
  const auto why = [](const std::string& text) {
    return Executable(chip().board_name(), text, {.path = Path::Tiles}).explain();
  };
  const auto expect_no = [&](const std::string& text, const std::string& what) {
    const std::string explained = why(text);
    EXPECT_NE(explained.find("no rows, as " + what), std::string::npos) << text << explained;
  };
  expect_no(plain({.rows = 160, .columns = 7}), "line 15 has rows of less than 8 elements");
  expect_no(
      plain(
          {.rows = 16, .columns = 17, .type = "bf16", .of = "bf16", .verb = "max", .begin = "-inf", .stored = "bf16"}),
      "a row has 34 bytes");
  expect_no(plain({.rows = 16, .columns = 128, .type = "bf16", .of = "bf16", .stored = "bf16"}),
            "line 14 sums up in bf16");
  expect_no(plain({.rows = 16, .columns = 64, .verb = "mul", .begin = "1.0"}), "line 14 neither adds nor compares");
  expect_no(plain({.rows = 16, .columns = 64, .begin = "1.0"}), "line 7 begins with another number than 0");
  expect_no(plain({.rows = 16, .columns = 64, .verb = "max", .begin = "nan"}), "line 7 begins with NaN");
}
TEST(RowTiles, ExactMathLeavesSumsOfFloatsToScalarCode) {
  const auto explained = [](const std::string& text) {
    return Executable(chip().board_name(), text, {.path = Path::Tiles, .math = Math::Exact}).explain();
  };
  EXPECT_NE(explained(plain({.rows = 16, .columns = 64})).find("exact ones are asked for"), std::string::npos);
  EXPECT_NE(explained(plain(maxima(16, 64))).find("maxima of 16 rows"), std::string::npos);
  const RowText integers{.rows = 16, .columns = 64, .type = "i32", .of = "i32", .begin = "0", .stored = "i32"};
  EXPECT_NE(explained(plain(integers)).find("sums of 16 rows"), std::string::npos);
}
TEST(RowTiles, ViewsThatOverlapAreLeftToScalarCode) {
  const Executable executable(chip().board_name(), plain({.rows = 16, .columns = 64}), {.path = Path::Tiles});
  const host::Buffer one = chip().allocate(host::Memory::Dram, 2 * kPageBytes, kPageBytes);
  const host::Buffer other = chip().allocate(host::Memory::Dram, kPageBytes, kPageBytes);
  chip().write(one, std::vector<std::byte>(2 * kPageBytes));
  chip().write(other, std::vector<std::byte>(kPageBytes));
  const std::vector<View> views{{one, 0, 64}, {one, 0, 4096}, {other, 0, 64}};
  EXPECT_EQ(executable.launch(chip(), views, {}, {.check = Against::Definition}).path, Path::Scalar);
}

}  // namespace
}  // namespace kerr::loops::tiles

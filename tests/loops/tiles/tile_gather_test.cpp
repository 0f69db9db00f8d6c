// Factors gathered from a copy in the order of tiles, or by tables of places, are the same matrices.
#include "loops/tiles/tile_copy.hpp"

#include <fmt/format.h>

#include <cstring>

#include "loops/tiles/factor_load.hpp"
#include "loops/tiles/tile_tables.hpp"
#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

// A transposed convolution of 32 images and channels, whose weights are loaded under the same gate as the images:
// a batch for each place, as in tinygrad's gradients.
struct TransposedConvolution {
  int length = 6, places = 8, taps = 3, channels = 32, image_step = 32 * 6, most = 8;
  std::string type = "f32", image_index = "add i32 %5 %place", weight_gate = "%gate";

  std::string text() const {
    return fmt::format(R"(kernel transposed
param p0 f32 {results}
param p1 {type} {images}
param p2 {type} {weights}
reg r0 f32 1
%b = loop i32 i32:32 weak
%o = loop i32 i32:32 weak
%h = loop i32 i32:{places} weak
store f32 r0[i32:0] f32:0.0
%t = loop i32 i32:{taps} reduce
%1 = add i32 %h %t
%2 = cmplt i32 %1 i32:{most}
%3 = cmplt i32 i32:1 %1
%gate = and bool %3 %2
%place = sub i32 %1 i32:2
%c = loop i32 i32:{channels} reduce
%4 = mul i32 %c i32:{length}
%image = mul i32 %b i32:{image_step}
%5 = add i32 %4 %image
%6 = {image_index}
%7 = load {type} p1[%6] %gate {type}:0.0
%8 = mul i32 %c i32:32
%9 = add i32 %8 %o
%10 = mul i32 %9 i32:{taps}
%11 = add i32 %10 %t
%12 = load {type} p2[%11] {weight_gate} {type}:0.0
%13 = cast f32 %7
%14 = cast f32 %12
%15 = mul f32 %13 %14
%16 = load f32 r0[i32:0]
%17 = add f32 %16 %15
store f32 r0[i32:0] %17
end %c
end %t
%18 = load f32 r0[i32:0]
%19 = mul i32 %b i32:32
%20 = add i32 %19 %o
%21 = mul i32 %20 i32:{places}
%22 = add i32 %21 %h
store f32 p0[%22] %18
end %h
end %o
end %b
)",
                       fmt::arg("results", 32 * 32 * places), fmt::arg("images", 32 * image_step + 64),
                       fmt::arg("weights", channels * 32 * taps), fmt::arg("type", type), fmt::arg("places", places),
                       fmt::arg("taps", taps), fmt::arg("most", most), fmt::arg("channels", channels),
                       fmt::arg("length", length), fmt::arg("image_step", image_step),
                       fmt::arg("image_index", image_index), fmt::arg("weight_gate", weight_gate));
  }
};

// A convolution of 4 images of `channels` x 10 x 10 with 3 x 3 weights.
struct Convolution {
  int channels = 32;
  std::string gate, place = "add i32 %7 %8", factor = "%10";

  std::string text() const {
    return fmt::format(R"(kernel convolution
param p0 f32 8192
param p1 f32 {images}
param p2 f32 {weights}
reg r0 f32 1
%b = loop i32 i32:4 weak
%o = loop i32 i32:32 weak
%h = loop i32 i32:8 weak
%w = loop i32 i32:8 weak
store f32 r0[i32:0] f32:0.0
%c = loop i32 i32:{channels} reduce
%y = loop i32 i32:3 reduce
%x = loop i32 i32:3 reduce
%1 = add i32 %h %y
%2 = mul i32 %1 i32:10
%3 = add i32 %w %x
%4 = add i32 %2 %3
%5 = mul i32 %c i32:100
%6 = mul i32 %b i32:{image}
%7 = add i32 %5 %6
%8 = add i32 %4 i32:0
%open = cmplt i32 %3 i32:9
%9 = {place}
%10 = load f32 p1[%9]{gate}
%11 = max f32 %10 f32:0.0
%12 = mul i32 %o i32:{channels}
%13 = add i32 %12 %c
%14 = mul i32 %13 i32:3
%15 = add i32 %14 %y
%16 = mul i32 %15 i32:3
%17 = add i32 %16 %x
%18 = load f32 p2[%17]
%19 = mul f32 {factor} %18
%20 = load f32 r0[i32:0]
%21 = add f32 %20 %19
store f32 r0[i32:0] %21
end %x
end %y
end %c
%22 = load f32 r0[i32:0]
%23 = mul i32 %b i32:32
%24 = add i32 %23 %o
%25 = mul i32 %24 i32:64
%26 = mul i32 %h i32:8
%27 = add i32 %26 %w
%28 = add i32 %25 %27
store f32 p0[%28] %22
end %w
end %h
end %o
end %b
)",
                       fmt::arg("images", 400 * channels), fmt::arg("image", 100 * channels),
                       fmt::arg("weights", 32 * 9 * channels), fmt::arg("channels", channels), fmt::arg("gate", gate),
                       fmt::arg("place", place), fmt::arg("factor", factor));
  }
};

struct Factors {
  template <class Text>
  explicit Factors(const Text& of) : program(parse(of.text())) {
    const FoundContractions found = find_contractions(program);
    EXPECT_EQ(found.all.size(), 1u) << found.why_not;
    const Contraction& c = found.all.at(0);
    const auto tiles = [&](const std::vector<uint32_t>& loops) {
      return static_cast<uint32_t>((extent_of(program, loops) + 31) / 32);
    };
    const ProductLayouts l =
        pairs(static_cast<uint32_t>(extent_of(program, c.batch)), tiles(c.m), tiles(c.n), tiles(c.k));
    a = {c.a, c.gates, c.batch, c.m, c.k, l.a, Type::F32, {}};
    b = {c.b, c.gates, c.batch, c.k, c.n, l.b, Type::F32, {}};
  }
  std::optional<TileCopy> copy_a() const { return find_tile_copy(program, a); }

  Program program;
  Gathered a, b;
};

// The matrix that the steps make of numbers in memory, by the interpreter.
std::vector<float> matrix_of(const Program& program, const Gathered& what) {
  std::vector<Made> steps;
  if (what.copy) steps.push_back(tile_copy(program, what));
  steps.push_back(gather(program, what, {}));
  std::mt19937_64 random(5);
  std::vector<std::vector<std::byte>> memory;
  for (const Parameter& p : program.parameters) memory.push_back(numbers_for(p, random));
  std::vector<std::byte> matrix(what.layout.elements() * 4), copy(what.copy ? what.copy->elements() * 4 : 0);
  for (const Made& made : steps) {
    std::vector<std::span<std::byte>> buffers;
    for (size_t p = 0; p < made.sources.size(); ++p) {
      const uint32_t source = made.sources[p];
      buffers.push_back(source == kMatrix ? matrix : source == kCopy ? copy : memory[source]);
    }
    interpret(made.program, buffers, {});
  }
  std::vector<float> out(what.layout.elements());
  std::memcpy(out.data(), matrix.data(), matrix.size());
  return out;
}

TEST(TileCopy, GivesTheSameMatrices) {
  const Factors factors{TransposedConvolution{}};
  for (Gathered what : {factors.a, factors.b}) {
    const std::vector<float> without = matrix_of(factors.program, what);
    what.copy = find_tile_copy(factors.program, what);
    ASSERT_TRUE(what.copy);
    EXPECT_EQ(matrix_of(factors.program, what), without);
  }
}
TEST(TileCopy, OfSeveralTilesInAGroupGivesTheSameMatrix) {
  const Factors factors{TransposedConvolution{.channels = 64, .image_step = 64 * 6}};
  Gathered what = factors.a;
  const std::vector<float> without = matrix_of(factors.program, what);
  what.copy = find_tile_copy(factors.program, what);
  ASSERT_TRUE(what.copy);
  EXPECT_EQ(what.copy->part_tiles, 2u);
  EXPECT_EQ(matrix_of(factors.program, what), without);
}

TEST(TileCopy, HasATileForEachPlace) {
  const Factors factors{TransposedConvolution{}};
  const auto a = factors.copy_a(), b = find_tile_copy(factors.program, factors.b);
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->stride, 6u);
  EXPECT_EQ(a->elements(), 6u * 1024);
  EXPECT_EQ(b->stride, 3u);
}

TEST(TileCopy, WantsStepsThatCountElementsTogether) {
  EXPECT_FALSE((Factors{TransposedConvolution{.image_step = 32 * 6 + 1}}.copy_a()));
  EXPECT_FALSE((Factors{TransposedConvolution{.image_step = 31 * 6}}.copy_a()));
}
TEST(TileCopy, WantsWholeTiles) {
  EXPECT_FALSE((Factors{TransposedConvolution{.channels = 33, .image_step = 33 * 6}}.copy_a()));
}
TEST(TileCopy, WantsPlacesBelowTheStepWhereTheGateIsOpen) {
  EXPECT_FALSE((Factors{TransposedConvolution{.most = 9}}.copy_a()));
}
TEST(TileCopy, WantsElementsThatAreLoadedOften) {
  EXPECT_FALSE((Factors{TransposedConvolution{.length = 24, .image_step = 32 * 24, .most = 26}}.copy_a()));
}
TEST(TileCopy, WantsAnIndexInSteps) {
  EXPECT_FALSE((Factors{TransposedConvolution{.image_index = "max i32 %5 %place"}}.copy_a()));
}

std::optional<uint32_t> tables_of_b(const Convolution& convolution) {
  const Factors factors{convolution};
  const bool images = factors.program.body[loads_of_factor(factors.program, factors.b).at(0)].address.index == 1;
  return find_tile_tables(factors.program, images ? factors.b : factors.a);
}

TEST(TileTables, GiveTheSameMatrices) {
  for (const char* factor : {"%10", "%11"}) {
    const Factors factors{Convolution{.factor = factor}};
    int found = 0;
    for (Gathered what : {factors.a, factors.b}) {
      const std::vector<float> without = matrix_of(factors.program, what);
      what.tables = find_tile_tables(factors.program, what);
      found += what.tables ? 1 : 0;
      EXPECT_EQ(matrix_of(factors.program, what), without);
    }
    EXPECT_GE(found, 1);
  }
}
TEST(TileTables, AreForSumsOfWhatRowsAndColumnsSay) {
  EXPECT_TRUE(tables_of_b({}));
  EXPECT_FALSE(tables_of_b({.place = "max i32 %7 %8"}));
  EXPECT_FALSE(tables_of_b({.gate = " %open f32:0.0"}));
  EXPECT_FALSE(tables_of_b({.channels = 31})) << "31 times 9 are no whole tiles";
}
TEST(TileTables, AreUsedByLaunches) {
  OnDevice product(Convolution{.factor = "%11"}.text());
  EXPECT_EQ(product.launch().path, Path::Tiles);
  const Launched again = product.launch(Against::Paths);
  EXPECT_EQ(again.path, Path::Tiles);
}

TEST(TileCopy, IsMadeByLaunches) {
  for (const char* type : {"f32", "bf16"}) {
    SCOPED_TRACE(type);
    OnDevice product(TransposedConvolution{.type = type}.text());
    const std::string explanation = product.executable.explain();
    EXPECT_NE(explanation.find("what line 21 loads is copied once, in the order of tiles"), std::string::npos)
        << explanation;
    EXPECT_EQ(product.launch().path, Path::Tiles);
    EXPECT_EQ(product.launch().path, Path::Tiles);
  }
}

}  // namespace
}  // namespace kerr::loops::tiles

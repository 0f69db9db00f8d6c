#include <fmt/format.h>

#include "loops/tiles/check.hpp"
#include "loops/tiles/choose.hpp"
#include "loops/tiles/contraction_plan.hpp"
#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

std::string matmul(uint32_t m, uint32_t n, uint32_t k, const std::string& type = "bf16") {
  return fmt::format(R"(kernel product
param p0 f32 {mn}
param p1 {type} {mk}
param p2 {type} {kn}
reg r0 f32 1
%i = loop i32 i32:{m} weak
%j = loop i32 i32:{n} weak
store f32 r0[i32:0] f32:0.0
%k = loop i32 i32:{k} reduce
%1 = mul i32 %i i32:{k}
%2 = add i32 %1 %k
%3 = load {type} p1[%2]
%4 = mul i32 %k i32:{n}
%5 = add i32 %4 %j
%6 = load {type} p2[%5]
%7 = mul {type} %3 %6
%8 = cast f32 %7
%9 = load f32 r0[i32:0]
%10 = add f32 %9 %8
store f32 r0[i32:0] %10
end %k
%11 = load f32 r0[i32:0]
%12 = mul i32 %i i32:{n}
%13 = add i32 %12 %j
store f32 p0[%13] %11
end %j
end %i
)",
                     fmt::arg("m", m), fmt::arg("n", n), fmt::arg("k", k), fmt::arg("mn", m * n), fmt::arg("mk", m * k),
                     fmt::arg("kn", k * n), fmt::arg("type", type));
}

TEST(Contraction, OfBf16RunsOnTheMatrixUnit) {
  OnDevice product(matmul(40, 70, 50));
  EXPECT_EQ(product.executable.path(), Path::Tiles);
  EXPECT_NE(product.executable.explain().find("40 x 50 by 50 x 70 on the matrix unit"), std::string::npos)
      << product.executable.explain();
  const Launched launched = product.launch();
  EXPECT_EQ(launched.path, Path::Tiles);
  EXPECT_EQ(launched.products, 40u * 70 * 50);
}

TEST(Contraction, OfF32RunsOnTheVectorUnit) {
  OnDevice product(matmul(40, 70, 50, "f32"));
  EXPECT_EQ(product.executable.path(), Path::Tiles);
  EXPECT_NE(product.executable.explain().find("40 x 50 by 50 x 70 on the vector unit"), std::string::npos)
      << product.executable.explain();
  EXPECT_EQ(product.launch().path, Path::Tiles);
}

// Views of one buffer: what is stored would be read as a factor of a later row.
TEST(Contraction, ThatStoresToItsOwnFactorIsLeftToScalarCode) {
  const Executable product("p100a", matmul(16, 16, 16, "f32"), {.path = Path::Tiles});
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, 3072, kPageBytes);
  const auto launch = [&](uint64_t a, uint64_t b) {
    const std::vector<View> views{{buffer, 0, 1024}, {buffer, a, 1024}, {buffer, b, 1024}};
    return product.launch(chip(), views, {}, {.check = Against::Definition, .scratch = &scratch()}).path;
  };
  EXPECT_EQ(launch(1024, 2048), Path::Tiles);
  EXPECT_EQ(launch(1020, 2048), Path::Scalar);
  EXPECT_EQ(launch(2048, 1024), Path::Tiles);
  EXPECT_EQ(launch(1024, 0), Path::Scalar);
  EXPECT_EQ(launch(1024, 1024), Path::Tiles) << "both factors may be the same";
}

// Rows or columns come in parts, as if the matrices were too large.
TEST(Contraction, RunsInParts) {
  for (const char* type : {"f32", "bf16"}) {
    const std::string text = matmul(24, 36, 20, type);
    OnDevice whole(text);
    for (const uint32_t which : {0u, 1u}) {
      Choice choice{parse(text), nullptr, ""};
      Contraction contraction = find_contractions(choice.bound).all.at(0);
      const uint32_t loop = which == 0 ? contraction.m[0] : contraction.n[0];
      const Engine engine = contraction.narrow ? Engine::Matrix : Engine::Vector;
      choice.plan = std::make_unique<ContractionPlan>(choice.bound, std::move(contraction), Chunk{loop, 12}, engine,
                                                      CompileOptions{});
      EXPECT_EQ(choice.plan->products(), 24u * 36 * 20);
      std::vector<View> views;
      for (const std::vector<std::byte>& bytes : whole.bytes) {
        views.push_back({chip().allocate(host::Memory::Dram, bytes.size(), kPageBytes), 0, bytes.size()});
        chip().write(views.back().buffer, bytes);
      }
      EXPECT_TRUE(launch(chip(), choice, views, {.check = Against::Definition, .scratch = &scratch()}));
    }
  }
}

TEST(Contraction, IsMadeInPartsOnlyWhereThatDoesTheSame) {
  const auto planned = [](const std::string& text) {
    const Program bound = parse(text);
    const Found found = plan_contraction(bound, {}, {});
    return found.plan ? found.plan->explain() : found.why_not;
  };
  std::string text = matmul(4096, 16384, 8192, "f32");  // 512 MiB of p2
  EXPECT_NE(planned(text).find("in 2 parts, of the loop of line 7"), std::string::npos) << planned(text);
  // Counted once for each launch, not for each part.
  text.insert(text.find("reg r0"), "param p3 f32 8\n");
  text += "%c = loop i32 i32:8 weak\n%d = load f32 p3[%c]\n%e = add f32 %d f32:1.0\nstore f32 p3[%c] %e\nend %c\n";
  EXPECT_EQ(planned(text), "its matrices are too large");
}

// An infinity that the matrix unit would take for a number, in the last of two parts.
TEST(Contraction, WithInfinitiesIsMultipliedByTheVectorUnit) {
  OnDevice product(matmul(40, 33, 32));
  const uint16_t infinity = 0x7F80;
  std::memcpy(product.bytes[1].data() + 2 * 1000, &infinity, 2);
  EXPECT_EQ(product.launch().path, Path::Tiles);
  uint32_t bits = 0;
  std::memcpy(&bits, product.bytes[0].data() + 4 * (1000 / 32 * 33), 4);
  EXPECT_EQ(bits & 0x7F800000, 0x7F800000u);
}

TEST(Contraction, IsComparedWithScalarCodeToo) {
  OnDevice product(matmul(33, 40, 35, "f32"));
  EXPECT_EQ(product.launch(Against::Paths).path, Path::Tiles);
}

TEST(Contraction, OfSizesThatALaunchGivesIsPlannedForThem) {
  std::string text = matmul(8, 40, 50, "f32");
  text.replace(text.find("%i = loop i32 i32:8"), 19, "%i = loop i32 %n");
  text.insert(text.find("reg r0"), "var %n i32 rows 0 8\n");
  OnDevice product(text);
  EXPECT_EQ(product.executable.path(), Path::Auto);
  product.numbers = {5};
  const Launched five = product.launch();
  EXPECT_EQ(five.path, Path::Tiles);
  EXPECT_EQ(five.products, 5u * 40 * 50);
  product.numbers = {0};
  EXPECT_EQ(product.launch().path, Path::Scalar) << "there is nothing to do";
}

class Sizes : public ::testing::TestWithParam<uint32_t> {};
TEST_P(Sizes, OfOddNumbersAreRight) {
  const uint32_t size = GetParam();
  for (const char* type : {"f32", "bf16"}) {
    EXPECT_EQ(OnDevice(matmul(size, 3, 33, type)).launch().path, Path::Tiles);
    EXPECT_EQ(OnDevice(matmul(2, size, 31, type)).launch().path, Path::Tiles);
    EXPECT_EQ(OnDevice(matmul(3, 2, size, type)).launch().path, Path::Tiles);
  }
}
INSTANTIATE_TEST_SUITE_P(From1To65, Sizes, ::testing::Values(1, 2, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65));

}  // namespace
}  // namespace kerr::loops::tiles

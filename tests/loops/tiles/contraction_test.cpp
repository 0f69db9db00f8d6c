#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>

#include "loops/tiles/check.hpp"
#include "loops/tiles/choose.hpp"
#include "loops/tiles/contraction_plan.hpp"
#include "loops/tiles/epilogue.hpp"
#include "loops/tiles/pairs.hpp"
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

// The same, with what follows instead of the store of %11, which is the sum, to place %13.
std::string matmul_to_bf16(uint32_t m, uint32_t n, uint32_t k, const std::string& follows) {
  std::string text = matmul(m, n, k);
  const auto replace = [&](const std::string& from, const std::string& to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace("param p0 f32", "param p0 bf16");
  replace("store f32 p0[%13] %11\n", follows);
  return text;
}
const std::string kRounded = "%14 = cast bf16 %11\nstore bf16 p0[%13] %14\n";
const std::string kMore = "%14 = cast bf16 %11\n%15 = add bf16 %14 bf16:1.0\nstore bf16 p0[%13] %15\n";
const std::string kUnrounded = "%14 = add f32 %11 f32:1.0\n%15 = cast bf16 %14\nstore bf16 p0[%13] %15\n";

// Where the program only rounds its sums to bf16, the matrix unit's program does it.
TEST(Contraction, ThatIsOnlyRoundedLeavesRoundedSums) {
  const auto only_rounds = [](const std::string& text) {
    const Program program = parse(text);
    return only_rounds_to_bf16(program, find_contractions(program).all.at(0));
  };
  EXPECT_TRUE(only_rounds(matmul_to_bf16(64, 64, 64, kRounded)));
  EXPECT_TRUE(only_rounds(matmul_to_bf16(64, 64, 64, kMore)));
  EXPECT_FALSE(only_rounds(matmul_to_bf16(64, 64, 64, kUnrounded)));
  EXPECT_FALSE(only_rounds(matmul(64, 64, 64)));
  for (const std::string& follows : {kRounded, kMore, kUnrounded}) {
    for (const auto [m, n, k] : {std::array<uint32_t, 3>{64, 64, 64}, {40, 70, 50}, {96, 32, 33}, {1, 160, 64}}) {
      OnDevice product(matmul_to_bf16(m, n, k, follows));
      EXPECT_EQ(product.launch().path, Path::Tiles) << follows << m << " " << n << " " << k;
      EXPECT_EQ(product.launch(Against::Paths).path, Path::Tiles);
    }
  }
}
TEST(Contraction, CopiesRoundedSumsInPairs) {
  const auto is_paired = [](const std::string& text) {
    const Program program = parse(text);
    const Contraction found = find_contractions(program).all.at(0);
    const auto extent = [&](const std::vector<uint32_t>& loops) {
      return static_cast<uint32_t>(extent_of(program, loops));
    };
    const ProductShape shape{1, extent(found.m), extent(found.n), extent(found.k)};
    Made made = epilogue(program, found, usual_layouts(Engine::Matrix, shape).c, {}, Type::Bf16);
    copy_in_pairs(made);
    const std::string copied = print(made.program);
    EXPECT_EQ(print(parse(copied)), copied);
    return copied.find("store u32 p0~u32[") != std::string::npos;
  };
  EXPECT_TRUE(is_paired(matmul_to_bf16(32, 64, 32, kRounded)));
  EXPECT_TRUE(is_paired(matmul_to_bf16(33, 96, 32, kRounded))) << "rows that fill no tile";
  EXPECT_FALSE(is_paired(matmul_to_bf16(32, 72, 32, kRounded))) << "columns that fill no half of a tile";
  EXPECT_FALSE(is_paired(matmul_to_bf16(32, 64, 32, kMore))) << "no mere copy";
  std::string odd = matmul_to_bf16(32, 64, 32, "%0 = add i32 %13 i32:1\n%14 = cast bf16 %11\nstore bf16 p0[%0] %14\n");
  EXPECT_FALSE(is_paired(odd)) << "from an odd element on";
  std::string backwards =
      matmul_to_bf16(32, 64, 32, "%0 = sub i32 i32:2047 %13\n%14 = cast bf16 %11\nstore bf16 p0[%0] %14\n");
  EXPECT_FALSE(is_paired(backwards));
  EXPECT_EQ(OnDevice(backwards).launch().path, Path::Tiles);
  EXPECT_EQ(OnDevice(matmul_to_bf16(33, 96, 32, kRounded)).launch().path, Path::Tiles);
}
// Sums that the matrix unit has exactly: halves of the way go to the even number, as the definition's.
TEST(Contraction, RoundsHalvesToTheEvenNumber) {
  OnDevice product(matmul_to_bf16(32, 32, 32, kRounded));
  const auto set = [&](size_t p, uint32_t element, uint16_t bits) {
    std::memcpy(&product.bytes[p][2 * element], &bits, 2);
  };
  for (const size_t p : {size_t{1}, size_t{2}}) std::ranges::fill(product.bytes[p], std::byte{0});
  const uint16_t kOne = 0x3F80, k128 = 0x4300, k1 = 0x3F80, k3 = 0x4040;
  for (uint32_t row = 0; row < 32; ++row) {  // 128 + 128 + 1 and + 3
    set(1, 32 * row, k128);
    set(1, 32 * row + 1, k128);
    set(1, 32 * row + 2, row % 2 == 0 ? k1 : k3);
  }
  for (uint32_t column = 0; column < 32; ++column)
    for (uint32_t row = 0; row < 3; ++row) set(2, 32 * row + column, kOne);
  EXPECT_EQ(product.launch().path, Path::Tiles);
  for (uint32_t row = 0; row < 32; ++row) {
    uint16_t bits;
    std::memcpy(&bits, &product.bytes[0][2 * 32 * row + 10], 2);
    EXPECT_EQ(bits, row % 2 == 0 ? 0x4380 : 0x4382) << row;  // 257 is 256, 259 is 260
  }
}

// Two neighbours of bf16 are gathered at once where they lie in one word.
TEST(Contraction, GathersNeighboursInPairs) {
  struct Case {
    const char* what;
    uint32_t m, n, k;
    std::string from, to;
    bool a, b;
  };
  const Case cases[] = {
      {"whole tiles", 32, 64, 96, "", "", true, true},
      {"k that fills no tile", 32, 64, 50, "", "", false, false},
      {"n that fills no tile", 32, 70, 64, "", "", true, false},
      {"a factor that begins with an odd element", 32, 32, 32, "%2 = add i32 %1 %k",
       "%0 = add i32 %1 %k\n%2 = add i32 %0 i32:1", false, true},
      {"one that begins with an even element", 32, 32, 32, "%2 = add i32 %1 %k",
       "%0 = add i32 %1 %k\n%2 = add i32 %0 i32:2", true, true},
      {"rows of an odd length", 32, 32, 32, "%1 = mul i32 %i i32:32", "%1 = mul i32 %i i32:33", false, true},
      {"a condition", 32, 32, 32, "load bf16 p1[%2]", "load bf16 p1[%2] %g bf16:0.0", false, true},
      {"a prologue", 32, 32, 32, "%7 = mul bf16 %3 %6", "%0 = neg bf16 %3\n%7 = mul bf16 %0 %6", false, true},
  };
  for (const Case& c : cases) {
    std::string text = matmul(c.m, c.n, c.k);
    if (!c.from.empty()) text.replace(text.find(c.from), c.from.size(), c.to);
    text.replace(text.find("p1 bf16"), text.find('\n', text.find("p1 bf16")) - text.find("p1 bf16"), "p1 bf16 4096");
    if (const size_t at = text.find("%3 ="); text.find("%g") != std::string::npos)
      text.insert(at, "%g = cmplt i32 %k i32:7\n");
    const Program program = parse(text);
    const Contraction found = find_contractions(program).all.at(0);
    const ProductLayouts layouts = usual_layouts(Engine::Matrix, {1, c.m, c.n, c.k});
    const auto is_paired = [&](const std::vector<Operand>& factor, const std::vector<uint32_t>& rows,
                               const std::vector<uint32_t>& columns, const Layout& layout) {
      const Gathered what{factor, found.gates, found.batch, rows, columns, layout, Type::Bf16, kTileDigits};
      return print(gather(program, what, {}).program).find("~u32[") != std::string::npos;
    };
    EXPECT_EQ(is_paired(found.a, found.m, found.k, layouts.a), c.a) << c.what;
    EXPECT_EQ(is_paired(found.b, found.k, found.n, layouts.b), c.b) << c.what;
    EXPECT_EQ(OnDevice(text).launch().path, Path::Tiles) << c.what;
  }
}
// A pair of which one is infinite; and views that do not begin with a word.
TEST(Contraction, InPairsSeesInfinitiesAndTakesAnyView) {
  for (const uint32_t element : {0u, 33u, 1023u}) {
    OnDevice product(matmul_to_bf16(32, 32, 32, kRounded));
    const uint16_t infinity = element == 33 ? 0xFF80 : 0x7F80;
    std::memcpy(&product.bytes[1][2 * element], &infinity, 2);
    EXPECT_EQ(product.launch().path, Path::Tiles);
    uint16_t bits;
    std::memcpy(&bits, &product.bytes[0][2 * (element / 32 * 32)], 2);
    EXPECT_EQ(bits & 0x7F80, 0x7F80) << "the vector unit has made it";
  }
  const Executable product("p100a", matmul_to_bf16(32, 32, 32, kRounded), {.path = Path::Tiles});
  const host::Buffer buffer = chip().allocate(host::Memory::Dram, 16384, kPageBytes);
  std::mt19937_64 random(3);
  chip().write(buffer, numbers_for({0, Type::Bf16, 4096}, random));
  const std::vector<View> views{{buffer, 8192, 2048}, {buffer, 2, 2048}, {buffer, 2054, 2048}};
  EXPECT_EQ(product.launch(chip(), views, {}, {.check = Against::Definition, .scratch = &scratch()}).path, Path::Tiles);
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

TEST(Contraction, GivesTheSameBitsOnAnyNumberOfCores) {
  const std::string text = matmul(70, 70, 40, "f32");
  std::vector<std::byte> first;
  for (const uint32_t harts : {1u, 3u, 236u}) {
    OnDevice product(text);
    product.max_harts = harts;
    EXPECT_EQ(product.launch().path, Path::Tiles);
    if (first.empty()) first = product.bytes[0];
    EXPECT_EQ(product.bytes[0], first) << harts << " harts";
  }
}

// The gradient of a convolution of 5 x 5 as tinygrad writes it: products are summed up twice, where both sums' loops
// meet what there is.
std::string gradient(const std::string& inner = "", const std::string& behind = "where f32 %22 %19 f32:0.0") {
  return R"(kernel gradient
param p0 f32 384
param p1 f32 500
param p2 f32 160
reg r0 f32 1
reg r1 f32 1
%b = loop i32 i32:4 weak
%c = loop i32 i32:12 weak
%y = loop i32 i32:8 weak
store f32 r1[i32:0] f32:0.0
%u = loop i32 i32:6 reduce
%1 = mul i32 %u i32:8
%2 = add i32 %1 %y
%3 = cdiv i32 %2 i32:9
%4 = cmod i32 %2 i32:9
%5 = cmplt i32 %3 i32:5
%6 = cmplt i32 %4 i32:4
%7 = and bool %5 %6
store f32 r0[i32:0] f32:0.0
%k = loop i32 i32:8 reduce
%8 = mul i32 %k i32:60
%9 = mul i32 %c i32:5
%10 = add i32 %8 %9
%11 = add i32 %10 %3
%12 = load f32 p1[%11] %7 f32:0.0
%13 = mul i32 %b i32:32
%14 = mul i32 %k i32:4
%15 = add i32 %13 %14
%16 = add i32 %15 %4
%17 = load f32 p2[%16] %7 f32:0.0
)" + inner +
         R"(%18 = load f32 r0[i32:0]
%20 = mul f32 %12 %17
%21 = add f32 %18 %20
store f32 r0[i32:0] %21
end %k
%19 = load f32 r0[i32:0]
%22 = and bool %6 %5
%23 = )" +
         behind + R"(
%24 = load f32 r1[i32:0]
%25 = add f32 %24 %23
store f32 r1[i32:0] %25
end %u
%26 = load f32 r1[i32:0]
%27 = mul i32 %b i32:96
%28 = mul i32 %c i32:8
%29 = add i32 %27 %28
%30 = add i32 %29 %y
store f32 p0[%30] %26
end %y
end %c
end %b
)";
}

TEST(Contraction, OfSumsOfProductsIsOneSum) {
  OnDevice sums(gradient());
  EXPECT_NE(sums.executable.explain().find("8 times 4 x 48 by 48 x 12 on the vector unit"), std::string::npos)
      << sums.executable.explain();
  EXPECT_NE(sums.executable.explain().find("the sum of line 34 is a part of that of line 41"), std::string::npos)
      << sums.executable.explain();
  EXPECT_EQ(sums.launch().products, 8u * 4 * 12 * 48);
  // Where a gate is closed the definition adds 0, whatever is loaded there.
  OnDevice special(gradient("", "where f32 %5 %19 f32:0.0"));
  for (auto& bytes : special.bytes) {
    const float nan = std::numeric_limits<float>::quiet_NaN(), infinity = std::numeric_limits<float>::infinity();
    std::memcpy(bytes.data() + 4 * 31, &nan, 4);
    std::memcpy(bytes.data() + 4 * 77, &infinity, 4);
  }
  EXPECT_EQ(special.launch().path, Path::Tiles);
}

// It is not one sum then, but the inner one alone is one.
TEST(Contraction, OfWhatIsDoneWithSumsIsTheInnerSum) {
  for (const char* behind : {"max f32 %19 f32:0.0", "where f32 %22 %19 f32:1.0"}) {
    OnDevice sums(gradient("", behind));
    EXPECT_EQ(sums.executable.explain().find("is a part of"), std::string::npos) << sums.executable.explain();
    EXPECT_NE(sums.executable.explain().find("48 times 4 x 8 by 8 x 12 on the vector unit"), std::string::npos)
        << sums.executable.explain();
    EXPECT_EQ(sums.launch().path, Path::Tiles);
  }
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

TEST(Contraction, OfSumsThatDecideWhetherTheyCountIsTheInnerSum) {
  std::string text = replaced(gradient(), "%22 = and bool %6 %5", "%22 = cmplt f32 f32:0.0 %19");
  text = replaced(text, "%20 = mul f32 %12 %17",
                  "%40 = mul f32 %12 %17\n%41 = cmplt i32 %k i32:5\n%20 = where f32 %41 %40 f32:0.0");
  OnDevice sums(text);
  EXPECT_EQ(sums.executable.explain().find("is a part of"), std::string::npos) << sums.executable.explain();
  EXPECT_NE(sums.executable.explain().find("48 times 4 x 8 by 8 x 12 on the vector unit"), std::string::npos)
      << sums.executable.explain();
  EXPECT_EQ(sums.launch().path, Path::Tiles);
}

TEST(Contraction, OfAFactorThatIsASumOrAMaximumGathersIt) {
  for (const char* verb : {"add", "max"}) {
    std::string text = replaced(matmul(33, 20, 40, "f32"), "reg r0 f32 1", "reg r0 f32 1\nreg r1 f32 1");
    text = replaced(text, "%7 = mul f32 %3 %6",
                    std::string("store f32 r1[i32:0] %3\n%q = loop i32 i32:3 reduce\n%30 = add i32 %2 %q\n"
                                "%31 = cmplt i32 %30 i32:1320\n%32 = load f32 p1[%30] %31 f32:0.0\n"
                                "%33 = load f32 r1[i32:0]\n%34 = ") +
                        verb + " f32 %33 %32\nstore f32 r1[i32:0] %34\nend %q\n%35 = load f32 r1[i32:0]\n" +
                        "%7 = mul f32 %6 %35");
    OnDevice product(text);
    EXPECT_NE(product.executable.explain().find("33 x 40 by 40 x 20 on the vector unit"), std::string::npos)
        << product.executable.explain();
    EXPECT_EQ(product.launch().path, Path::Tiles);
  }
}

TEST(Contraction, IsOneOfSeveralSums) {
  std::string text = replaced(matmul(33, 20, 40, "f32"), "reg r0 f32 1", "reg r0 f32 1\nreg r1 f32 1");
  text = replaced(text, "%11 = load f32 r0[i32:0]",
                  "store f32 r1[i32:0] f32:0.0\n%q = loop i32 i32:3 reduce\n%30 = load f32 p1[%q]\n"
                  "%31 = load f32 r1[i32:0]\n%32 = add f32 %31 %30\nstore f32 r1[i32:0] %32\nend %q\n"
                  "%33 = load f32 r1[i32:0]\n%34 = load f32 r0[i32:0]\n%11 = add f32 %33 %34");
  EXPECT_EQ(OnDevice(text).launch().products, 33u * 20 * 40);
}

// 0 times infinity is NaN, as the definition says: the 0 of a condition inside a factor is no condition of the product.
TEST(Contraction, WithAnInfiniteFactorBesideAClosedConditionIsNan) {
  OnDevice product(replaced(matmul(33, 20, 40, "f32"), "%7 = mul f32 %3 %6",
                            "%30 = cmplt i32 %k i32:16\n%31 = mul f32 %3 %6\n%32 = where f32 %30 %31 f32:0.0\n"
                            "%33 = load f32 p1[%k]\n%7 = mul f32 %32 %33"));
  const float infinity = std::numeric_limits<float>::infinity();
  std::memcpy(product.bytes[1].data() + size_t{4} * 20, &infinity, 4);
  product.launch();
  float first;
  std::memcpy(&first, product.bytes[0].data(), 4);
  EXPECT_TRUE(std::isnan(first)) << first;
}

TEST(Contraction, UnderAConditionIsZeroWhereThatIsFalse) {
  for (const char* condition : {"cmplt i32 %i i32:20", "cmplt i32 %k i32:20"}) {
    std::string text = replaced(matmul(33, 20, 40, "f32"), "store f32 r0[i32:0] %10",
                                std::string("%30 = ") + condition + "\nif %30\nstore f32 r0[i32:0] %10\nendif");
    OnDevice product(text);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(product.bytes[1].data() + 4 * (25 * 40 + 30), &nan, 4);
    EXPECT_EQ(product.launch().path, Path::Tiles);
  }
}

// By tiles, and then by scalar code, which has no part in common with them.
void expect_as_scalar_code(const std::string& text) {
  SCOPED_TRACE(text);
  OnDevice by_tiles(text), by_scalar_code(text, {.path = Path::Scalar});
  EXPECT_EQ(by_tiles.launch().path, Path::Tiles);
  EXPECT_EQ(by_scalar_code.launch().path, Path::Scalar);
  for (size_t at = 0; at < by_tiles.bytes[0].size(); at += 4) {
    float is = 0, must = 0;
    std::memcpy(&is, by_tiles.bytes[0].data() + at, 4);
    std::memcpy(&must, by_scalar_code.bytes[0].data() + at, 4);
    ASSERT_NEAR(is, must, 0.01) << "element " << at / 4;
  }
}

TEST(Contraction, UnderAConditionThatIsLoadedInsideOfItsLoops) {
  std::string text = replaced(matmul(33, 20, 40, "f32"), "store f32 r0[i32:0] %10",
                              "%30 = load f32 p3[%i]\n%31 = cmplt f32 f32:0.0 %30\nif %31\n"
                              "store f32 r0[i32:0] %10\nendif");
  text.insert(text.find("reg r0"), "param p3 f32 33\n");
  expect_as_scalar_code(text);
}

TEST(Contraction, UnderAConditionThatIsMadeInsideOfItsLoops) {
  std::string text = replaced(matmul(33, 20, 40, "f32"), "reg r0 f32 1", "reg r0 f32 1\nreg r1 f32 1");
  text = replaced(text, "store f32 r0[i32:0] %10",
                  "store f32 r1[i32:0] f32:0.0\n%q = loop i32 i32:3 reduce\n%30 = add i32 %i %q\n"
                  "%31 = load f32 p1[%30]\n%32 = load f32 r1[i32:0]\n%33 = add f32 %32 %31\n"
                  "store f32 r1[i32:0] %33\nend %q\n%34 = load f32 r1[i32:0]\n%35 = cmplt f32 f32:0.0 %34\n"
                  "if %35\nstore f32 r0[i32:0] %10\nendif");
  expect_as_scalar_code(text);
}

TEST(Contraction, LeavesLoopsRoundTheConditionsOfOthersAsTheyAre) {
  std::string text = replaced(matmul(33, 20, 40, "f32"), "reg r0 f32 1", "reg r0 f32 1\nreg r1 f32 1");
  text = replaced(text, "%11 = load f32 r0[i32:0]",
                  "%30 = cmplt i32 %i i32:20\nstore f32 r1[i32:0] f32:0.0\n%q = loop i32 i32:3 reduce\n"
                  "%31 = load f32 r1[i32:0]\n%32 = add f32 %31 f32:1.0\nif %30\nstore f32 r1[i32:0] %32\nendif\n"
                  "end %q\n%33 = load f32 r1[i32:0]\n%34 = load f32 r0[i32:0]\n%11 = add f32 %33 %34");
  expect_as_scalar_code(text);
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

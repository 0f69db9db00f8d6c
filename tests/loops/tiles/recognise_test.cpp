// Which programs are sums of products: each condition just met, and just missed.
#include <fmt/format.h>

#include "loops/tiles/contraction.hpp"
#include "loops/tiles/epilogue.hpp"
#include "loops/tiles/gather.hpp"
#include "loops/tiles/layout.hpp"
#include "loops/tiles/slice.hpp"
#include "tests/loops/tiles/tiles.hpp"

namespace kerr::loops::tiles {
namespace {

// The sum over k of p1[i, k] * p2[k, j], with lines that a test changes.
struct Text {
  std::string begin = "store f32 r0[i32:0] f32:0.0", product = "mul f32 %3 %6", add = "add f32 %9 %7",
              a = "load f32 p1[%2]", b = "load f32 p2[%5]", inside, behind, outside, before, registers;
  std::string text() const {
    std::string out = "kernel product\nparam p0 f32 6\nparam p1 f32 10\nparam p2 f32 15\nreg r0 f32 1\n" + registers +
                      before + "%i = loop i32 i32:2 weak\n%j = loop i32 i32:3 weak\n" + begin +
                      "\n%k = loop i32 i32:5 reduce\n%1 = mul i32 %i i32:5\n%2 = add i32 %1 %k\n%3 = " + a +
                      "\n%4 = mul i32 %k i32:3\n%5 = add i32 %4 %j\n%6 = " + b + "\n%7 = " + product +
                      "\n%9 = load f32 r0[i32:0]\n%10 = " + add + "\nstore f32 r0[i32:0] %10\n" + inside +
                      "end %k\n%11 = load f32 r0[i32:0]\n%12 = mul i32 %i i32:3\n%13 = add i32 %12 %j\n" + behind +
                      "store f32 p0[%13] %11\nend %j\nend %i\n" + outside;
    return out;
  }
  std::string why() const {
    const FoundContractions found = find_contractions(parse(text()));
    return found.all.empty() ? found.why_not : "";
  }
};

TEST(Recogniser, SaysWhichLoopsARowAColumnAndTheSumHave) {
  const Program program = parse(Text{}.text());
  const FoundContractions found = find_contractions(program);
  ASSERT_EQ(found.all.size(), 1u) << found.why_not;
  const Contraction& c = found.all[0];
  const auto names = [&](const std::vector<uint32_t>& loops) {
    std::string out;
    for (const uint32_t at : loops) out += program.values[program.body[at].result].name;
    return out;
  };
  EXPECT_EQ(names(c.m), "i");
  EXPECT_EQ(names(c.n), "j");
  EXPECT_EQ(names(c.k), "k");
  EXPECT_EQ(names(c.batch) + names(c.others), "");
  EXPECT_FALSE(c.narrow);
}

TEST(Recogniser, TakesOperandsInAnyOrder) {
  EXPECT_EQ(Text{.product = "mul f32 %6 %3"}.why(), "");
  EXPECT_EQ(Text{.add = "add f32 %7 %9"}.why(), "");
}

TEST(Recogniser, TakesPrologues) {
  EXPECT_EQ((Text{.product = "mul f32 %6 %8", .a = "load f32 p1[%2]\n%8 = neg f32 %3"}.why()), "");
  EXPECT_EQ(Text{.a = "load f32 p1[%2] bool:True f32:0.5"}.why(), "");
}

TEST(Recogniser, WantsASumThatBeginsAtZeroInItsOwnBlock) {
  EXPECT_EQ(Text{.begin = "store f32 r0[i32:0] f32:1.0"}.why(), "line 8 begins the sum with something else than 0");
  EXPECT_EQ(Text{.begin = "store f32 r0[i32:0] f32:-0.0"}.why(), "line 8 begins the sum with something else than 0");
  EXPECT_EQ((Text{.begin = "", .before = "store f32 r0[i32:0] f32:0.0\n"}.why()),
            "line 22 loads the sum before it is complete, or of another iteration")
      << "a sum over all iterations";
  EXPECT_NE(Text{.begin = ""}.why(), "");
}

TEST(Recogniser, WantsNothingButAnAddition) {
  EXPECT_EQ(Text{.add = "max f32 %9 %7"}.why(), "line 19 does not add to what it sums up");
  EXPECT_EQ(Text{.add = "sub f32 %9 %7"}.why(), "line 19 does not add to what it sums up");
  EXPECT_EQ(Text{.product = "add f32 %3 %6"}.why(), "what line 19 adds is no product");
  EXPECT_EQ(Text{.product = "mul f32 %3 %3"}.why(), "") << "the same factor twice is a product";
}

TEST(Recogniser, WantsNobodyToSeeTheSumBeforeItIsComplete) {
  EXPECT_EQ(Text{.inside = "store f32 p0[%k] %10\n"}.why(), "line 20 uses the sum before it is complete");
  EXPECT_EQ(Text{.inside = "store f32 p0[%k] %7\n"}.why(), "line 20 stores inside of the sum");
  EXPECT_EQ(Text{.add = "add f32 %9 %7\n%14 = mul f32 %9 f32:2.0"}.why(), "line 19 uses the sum before it is complete");
  EXPECT_EQ((Text{.outside = "%20 = load f32 r0[i32:0]\nstore f32 p0[i32:0] %20\n"}.why()),
            "line 27 loads the sum before it is complete, or of another iteration");
}

TEST(Recogniser, WantsFactorsThatDependOnNoRegister) {
  EXPECT_EQ(
      (Text{.a = "load f32 r1[i32:0]", .before = "store f32 r1[i32:0] f32:2.0\n", .registers = "reg r1 f32 1\n"}.why()),
      "line 14: a factor depends on a register");
}

TEST(Recogniser, TakesFactorsThatAreCompleteInTheSum) {
  Text text{.product = "mul f32 %8 %6",
            .a = "load f32 p1[%2]\nstore f32 r1[i32:0] %3\n%m = loop i32 i32:4 reduce\n%20 = load f32 p1[%m]\n"
                 "%21 = load f32 r1[i32:0]\n%22 = max f32 %21 %20\nstore f32 r1[i32:0] %22\nend %m\n"
                 "%8 = load f32 r1[i32:0]",
            .registers = "reg r1 f32 1\n"};
  EXPECT_EQ(text.why(), "");
  Text more = text;
  more.inside = "store f32 r1[i32:0] f32:0.0\n";
  EXPECT_NE(more.why(), "") << "a third store";
  more = text;
  more.outside = "%30 = load f32 r1[i32:0]\nstore f32 p0[i32:0] %30\n";
  EXPECT_NE(more.why().find("line 36 loads what is made inside of the sum"), std::string::npos) << more.why();
  more = text;
  more.a.replace(more.a.find("i32:4"), 5, "%i");
  EXPECT_NE(more.why().find("a factor depends on a register"), std::string::npos) << more.why();
}

// A sum of maxima so far, beside the maximum itself.
TEST(Recogniser, WantsResultsThatAreCompleteBeforeOthersAreMadeOfThem) {
  const Text text{.product = "mul f32 %8 %6",
                  .a = "load f32 p1[%2]\nstore f32 r1[i32:0] f32:0.0\nstore f32 r2[i32:0] f32:0.0\n"
                       "%m = loop i32 i32:4 reduce\n%20 = load f32 p1[%m]\n%21 = load f32 r1[i32:0]\n"
                       "%22 = load f32 r2[i32:0]\n%23 = add f32 %22 %21\nstore f32 r2[i32:0] %23\n"
                       "%24 = max f32 %21 %20\nstore f32 r1[i32:0] %24\nend %m\n%25 = load f32 r1[i32:0]\n"
                       "%26 = load f32 r2[i32:0]\n%8 = add f32 %25 %26",
                  .registers = "reg r1 f32 1\nreg r2 f32 1\n"};
  EXPECT_NE(text.why().find("a factor depends on a register"), std::string::npos) << text.why();
}

TEST(Recogniser, WantsLoopsOfKnownLength) {
  const std::string data =
      "kernel k\nparam p0 f32 1\nparam p1 i32 1\nparam p2 f32 9\nreg r0 f32 1\n%1 = load i32 p1[i32:0]\n"
      "store f32 r0[i32:0] f32:0.0\n%k = loop i32 %1 reduce\n%2 = load f32 p2[%k]\n"
      "%3 = mul f32 %2 %2\n%4 = load f32 r0[i32:0]\n%5 = add f32 %4 %3\nstore f32 r0[i32:0] %5\n"
      "end %k\n%6 = load f32 r0[i32:0]\nstore f32 p0[i32:0] %6\n";
  EXPECT_EQ(find_contractions(parse(data)).why_not, "how long the loop of line 8 is depends on what it computes");
}

TEST(Recogniser, LeavesExactMathToScalarCode) {
  const Executable exact("p100a", Text{}.text(), {.path = Path::Tiles, .math = Math::Exact});
  EXPECT_EQ(exact.path(), Path::Scalar);
  EXPECT_NE(exact.explain().find("exact ones are asked for"), std::string::npos);
}

TEST(Recogniser, LeavesFewProductsToScalarCodeUnlessTilesAreAskedFor) {
  EXPECT_EQ(Executable("p100a", Text{}.text(), {.path = Path::Auto}).path(), Path::Scalar);
  EXPECT_EQ(Executable("p100a", Text{}.text(), {.path = Path::Tiles}).path(), Path::Tiles);
}

// The steps of a launch are programs that can be written down and read.
TEST(Parts, OfAProgramAreProgramsThatPrintAndParse) {
  const Program program = parse(Text{}.text());
  const Contraction c = find_contractions(program).all.at(0);
  const ProductLayouts layouts = pairs(1, 1, 1, 1);
  for (const Made& made : {gather(program, {c.a, {}, c.batch, c.m, c.k, layouts.a, Type::F32, 3}, {}),
                           gather(program, {c.b, {}, c.batch, c.k, c.n, layouts.b, Type::F32, {}}, {}),
                           epilogue(program, c, layouts.c, {}), sums_alone(program, c, layouts.c, {})}) {
    const std::string text = print(made.program);
    EXPECT_EQ(print(parse(text)), text);
  }
}

}  // namespace
}  // namespace kerr::loops::tiles

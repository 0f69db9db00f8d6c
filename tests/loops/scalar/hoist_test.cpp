// Reductions that are moved out of loops: which, how far, and that nothing else changes.
#include "loops/scalar/hoist.hpp"

#include <fmt/format.h>

#include "tests/loops/scalar/both.hpp"

namespace kerr::loops::scalar {
namespace {

std::vector<std::string> remarks_of(const std::string& text) {
  const Program program = parse(text);
  const std::optional<Hoisted> hoisted = hoist(program, usual_facts(program).object);
  if (!hoisted) return {};
  const std::string printed = print(hoisted->program);
  EXPECT_EQ(print(parse(printed)), printed);
  return hoisted->remarks;
}

// p0[i, k] = p2[i] + the sum over j of what `term` makes of %i, %k, %j, with a reduction over k round the inner one.
struct Shape {
  std::string outer = "i32:7", middle = "i32:5", inner = "i32:6";
  std::string term = "%a = add i32 %k %j\n%t = load i32 p1[%a]\n";
  std::string before = "", init = "i32:3", variables = "", at_end = "";

  std::string text() const {
    return "kernel shape\nparam p0 i32 64\nparam p1 i32 64\n" + variables +
           "reg r0 i32 1\nreg r1 i32 1\n%i = loop i32 " + outer + " weak\nstore i32 r1[i32:0] i32:0\n%k = loop i32 " +
           middle + " reduce\n" + before + "store i32 r0[i32:0] " + init + "\n%j = loop i32 " + inner + " reduce\n" +
           term +
           "%1 = load i32 r0[i32:0]\n%2 = add i32 %1 %t\nstore i32 r0[i32:0] %2\nend %j\n%3 = load i32 r0[i32:0]\n"
           "%4 = mul i32 %3 %i\n%5 = load i32 r1[i32:0]\n%6 = add i32 %5 %4\nstore i32 r1[i32:0] %6\n" +
           at_end + "end %k\n%7 = load i32 r1[i32:0]\nstore i32 p0[%i] %7\nend %i\n";
  }
};

void expect_moved(const Shape& shape, const std::string& part, std::vector<int64_t> numbers = {}) {
  SCOPED_TRACE(shape.text());
  const std::vector<std::string> remarks = remarks_of(shape.text());
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].find(part), std::string::npos) << remarks[0];
  Both both(shape.text());
  both.numbers = std::move(numbers);
  both.expect_same({1, 7});
}
void expect_left(const Shape& shape, std::vector<int64_t> numbers = {}) {
  SCOPED_TRACE(shape.text());
  EXPECT_EQ(remarks_of(shape.text()), std::vector<std::string>{});
  Both both(shape.text());
  both.numbers = std::move(numbers);
  both.expect_same({1, 7});
}

TEST(ScalarHoist, MakesATableOfAReductionThatUsesAnInnerVariableOnly) {
  expect_moved({}, "comes before that of line 6, and fills a table for 5 of %k");
}

TEST(ScalarHoist, MovesAReductionThatUsesNothingAroundItBeforeAllLoops) {
  expect_moved({.term = "%t = load i32 p1[%j]\n"}, "the loop of line 10 comes before that of line 6");
}

TEST(ScalarHoist, MovesAReductionToTheLoopWhoseVariableItUses) {
  expect_moved({.middle = "i32:9", .term = "%a = add i32 %i %j\n%t = load i32 p1[%a]\n"},
               "comes before that of line 8");
}

TEST(ScalarHoist, LeavesAReductionThatUsesAllVariables) {
  expect_left({.term = "%b = add i32 %i %k\n%a = add i32 %b %j\n%t = load i32 p1[%a]\n"});
}

TEST(ScalarHoist, TakesAlongWhatTheReductionIsMadeOf) {
  expect_moved(
      {.term = "%t = mul i32 %l %j\n", .before = "%c = mul i32 %k i32:3\n%l = load i32 p1[%c]\n", .init = "%l"},
      "table for 5 of %k");
  expect_left({.term = "%t = mul i32 %l %j\n", .before = "%c = mul i32 %k %i\n%l = load i32 p1[%c]\n", .init = "%k"});
}

TEST(ScalarHoist, LeavesWhatLoadsBytesThatTheLoopsStore) {
  expect_left({.at_end = "store i32 p1[%k] %6\n"});
  expect_left({.term = "%a = add i32 %k %j\n%t = load i32 p0[%a]\n"});
}

TEST(ScalarHoist, LeavesWhatMayLoadBytesThatTheLoopsStoreByAnotherName) {
  Both both(Shape{}.text());
  both.views = {{64, 256}, {64, 256}};
  both.expect_same({1, 7});
  const Program program = parse(Shape{}.text());
  EXPECT_FALSE(hoist(program, std::vector<uint32_t>{0, 0}));
  EXPECT_TRUE(hoist(program, std::vector<uint32_t>{0, 1}));
}

TEST(ScalarHoist, LeavesLoopsOfNoTurnsAlone) {
  expect_left({.outer = "i32:0"});
  expect_left({.middle = "i32:-1"});
}

// Loops without turns load nothing, so that an index outside of p1 is no error.
TEST(ScalarHoist, RunsNothingThatWouldNotHaveRun) {
  const std::string variable = "var %n i32 n 0 8\nvar %m i32 m -3 8\n";
  for (int64_t n : {0, 1, 8}) {
    for (int64_t m : {-3, 0, 1, 8}) {
      for (const std::string& term :
           {std::string("%a = add i32 %k %j\n%t = load i32 p1[%a]\n"), std::string("%t = load i32 p1[%j]\n")})
        expect_moved({.outer = "%n", .middle = "%m", .term = term, .variables = variable}, "comes before", {n, m});
    }
  }
  const Shape wild{.outer = "%n", .term = "%a = add i32 %j i32:1000\n%t = load i32 p1[%a]\n", .variables = variable};
  for (const bool table : {false, true}) {
    Shape shape = wild;
    if (table) shape.term = "%b = add i32 %j i32:1000\n%a = add i32 %b %k\n%t = load i32 p1[%a]\n";
    EXPECT_EQ(remarks_of(shape.text()).size(), 1u);
    Both both(shape.text());
    both.options.check_bounds = true;
    both.numbers = {0, 4};
    both.expect_same({1});
    both.numbers = {1, 4};
    try {
      host::EmulatedDevice device;
      host::Chip other(device);
      const Code code = compile(both.program, other.harvesting(), both.options);
      std::vector<View> views;
      for (const Parameter& p : both.program.parameters)
        views.push_back({other.allocate(host::Memory::Dram, p.bytes(), kPageBytes), 0, p.bytes()});
      launch(other, both.program, code, views, both.numbers);
      ADD_FAILURE() << "it loads outside of p1";
    } catch (const host::DeviceError& error) {
      const std::string line = table ? "line 15: the load is outside of p1" : "line 14: the load is outside of p1";
      EXPECT_NE(std::string(error.what()).find(line), std::string::npos) << error.what();
    }
  }
}

TEST(ScalarHoist, LeavesTablesThatAHartCannotHold) {
  const auto remarks = [](const std::string& outer, const std::string& middle) {
    return remarks_of(Shape{.outer = outer, .middle = middle, .term = "%t = mul i32 %k %j\n"}.text()).size();
  };
  EXPECT_EQ(remarks("i32:1000", "i32:30000"), 1u);
  EXPECT_EQ(remarks("i32:1000", "i32:40000"), 0u);
  EXPECT_TRUE(
      remarks_of(Shape{.middle = "%x", .before = "", .variables = "var %n i32 n 0 8\n%x = mul i32 %n %n\n"}.text())
          .empty());
}

// Seven harts, and each would compute the table.
TEST(ScalarHoist, LeavesWhatEveryHartWouldDoAgain) {
  const auto remarks = [](const std::string& outer) {
    return remarks_of(Shape{.outer = outer, .middle = "i32:30000", .term = "%t = mul i32 %k %j\n"}.text()).size();
  };
  EXPECT_EQ(remarks("i32:7"), 0u);
}

TEST(ScalarHoist, LeavesWhatIsNotSetBeforeOrLookedAtInBetween) {
  std::string text = Shape{}.text();
  const std::string init = "store i32 r0[i32:0] i32:3\n";
  EXPECT_EQ(remarks_of(text).size(), 1u);
  std::string carried = text;
  carried.erase(carried.find(init), init.size());
  EXPECT_TRUE(remarks_of(carried).empty());
  std::string looked_at = text;
  looked_at.insert(looked_at.find(init) + init.size(), "%x = load i32 r0[i32:0]\nstore i32 r1[i32:0] %x\n");
  EXPECT_TRUE(remarks_of(looked_at).empty());
  for (const std::string& program : {carried, looked_at}) Both(program).expect_same({1, 7});
}

// The element keeps what it holds: also for whom the reduction was not made.
TEST(ScalarHoist, LeavesElementsAsTheyWouldBe) {
  Both both(R"(kernel later
param p0 i32 64
param p1 i32 64
reg r0 i32 2
%i = loop i32 i32:20 weak
store i32 r0[i32:0] i32:5
store i32 r0[i32:1] i32:7
%j = loop i32 i32:9 reduce
%1 = load i32 p1[%j]
%2 = load i32 r0[i32:1]
%3 = add i32 %1 %2
store i32 r0[i32:1] %3
%4 = load i32 r0[i32:0]
%5 = max i32 %1 %4
store i32 r0[i32:0] %5
end %j
%6 = load i32 r0[i32:0]
%7 = add i32 %6 %i
store i32 r0[i32:0] %7
%k = loop i32 i32:3 reduce
%8 = load i32 r0[i32:1]
%9 = add i32 %8 %7
store i32 r0[i32:1] %9
end %k
%10 = load i32 r0[i32:1]
%11 = load i32 r0[i32:0]
%12 = sub i32 %10 %11
store i32 p0[%i] %12
end %i
)");
  EXPECT_EQ(remarks_of(both.text).size(), 1u);
  both.expect_same();
}

// The largest of each row, then the sum of what is below it: neither uses the column.
std::string rows(const std::string& of_rows, const std::string& of_columns, const std::string& variables = "") {
  return "kernel rows\nparam p0 f32 4096\nparam p1 f32 4096\n" + variables +
         "reg r0 f32 1\nreg r1 f32 1\n%i = loop i32 " + of_rows + " weak\n%b = mul i32 %i " + of_columns +
         "\n%c = loop i32 " + of_columns + " weak\nstore f32 r0[i32:0] f32:-inf\n%j = loop i32 " + of_columns +
         " reduce\n%1 = add i32 %b %j\n%2 = load f32 p1[%1]\n%3 = load f32 r0[i32:0]\n%4 = max f32 %3 %2\n"
         "store f32 r0[i32:0] %4\nend %j\n%5 = load f32 r0[i32:0]\nstore f32 r1[i32:0] f32:0.0\n%l = loop i32 " +
         of_columns +
         " reduce\n%6 = add i32 %b %l\n%7 = load f32 p1[%6]\n%8 = sub f32 %7 %5\n%9 = load f32 r1[i32:0]\n"
         "%10 = add f32 %9 %8\nstore f32 r1[i32:0] %10\nend %l\n%11 = load f32 r1[i32:0]\n%12 = add i32 %b %c\n"
         "%13 = load f32 p1[%12]\n%14 = fdiv f32 %13 %11\nstore f32 p0[%12] %14\nend %c\nend %i\n";
}

TEST(ScalarHoist, MovesAReductionBehindAnotherThatItUses) {
  EXPECT_EQ(remarks_of(rows("i32:60", "i32:60")).size(), 2u);
  Both(rows("i32:60", "i32:60")).expect_same();
  for (int64_t n : {0, 1, 17}) {
    Both both(rows("%n", "%n", "var %n i32 n 0 64\n"));
    both.numbers = {n};
    both.expect_same();
  }
}

// tinygrad's masked_select of a mask that is true throughout: positions by counting, four loops deep.
std::string masked_select(uint32_t n) {
  return fmt::format(R"(kernel r
param p0 f32 {0}
param p1 f32 {0}
reg r0 i32 1
reg r1 i32 1
reg r2 i32 1
%21 = loop i32 i32:{0} weak
store i32 r2[i32:0] i32:0
%25 = loop i32 i32:{0} reduce
%28 = add i32 %25 %21
%29 = add i32 %28 i32:-{1}
store i32 r1[i32:0] i32:0
%31 = loop i32 i32:{0} reduce
store i32 r0[i32:0] i32:0
%35 = loop i32 i32:{0} reduce
%38 = load i32 r0[i32:0]
%39 = add i32 %35 %31
%40 = cmplt i32 i32:{2} %39
%41 = cast i32 %40
%42 = add i32 %38 %41
store i32 r0[i32:0] %42
end %35
%47 = load i32 r0[i32:0]
%50 = load i32 r1[i32:0]
%51 = cmpne i32 %47 %29
%52 = where i32 %51 i32:0 i32:1
%53 = add i32 %50 %52
store i32 r1[i32:0] %53
end %31
%58 = load i32 r1[i32:0]
%61 = load i32 r2[i32:0]
%62 = cmplt i32 %28 i32:{1}
%63 = where i32 %62 i32:0 %58
%64 = add i32 %61 %63
store i32 r2[i32:0] %64
end %25
%69 = load i32 r2[i32:0]
%70 = add i32 %69 i32:{0}
%71 = cmplt i32 %69 i32:0
%72 = where i32 %71 %70 %69
%74 = cmplt i32 i32:-1 %72
%75 = cmplt i32 %72 i32:{0}
%76 = and bool %74 %75
%77 = load f32 p1[%72] %76 f32:0.0
store f32 p0[%21] %77
end %21
)",
                     n, n - 1, n - 2);
}

TEST(ScalarHoist, MakesATableOfTheCountsOfMaskedSelect) {
  EXPECT_EQ(
      remarks_of(masked_select(320)),
      std::vector<std::string>{"the loop of line 15 comes before that of line 7, and fills a table for 320 of %31"});
  for (uint32_t n : {2, 5, 17, 23}) Both(masked_select(n)).expect_same({1, 7});
}

TEST(ScalarHoist, RunsMaskedSelectOfManyElements) {
  Both both(masked_select(320));  // 10^10 turns of the innermost loop, if it were not moved
  const std::vector<std::byte> after = both.launched(236);
  const auto from = [&](size_t p) { return after.begin() + static_cast<ptrdiff_t>(both.views[p].offset); };
  EXPECT_TRUE(std::equal(from(0), from(0) + 4 * 320, from(1)));
}

}  // namespace
}  // namespace kerr::loops::scalar

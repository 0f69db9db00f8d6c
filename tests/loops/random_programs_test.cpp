// Random programs: each is taken by the parser, printed so that it is read again, and leaves the same whenever it runs.
// The program's steps are held against a second reading of the definition, which knows nothing of how the interpreter
// prepares programs.
#include "tests/loops/random_programs.hpp"

#include <gtest/gtest.h>

#include <set>

#include "tests/loops/walk.hpp"

namespace kerr::loops {
namespace {

bool operator_equal(const Operand& a, const Operand& b) {
  return a.type == b.type && a.value == b.value && a.bits == b.bits;
}

// But for the numbers of lines.
void expect_same(const Program& a, const Program& b) {
  ASSERT_EQ(a.body.size(), b.body.size());
  EXPECT_EQ(a.name, b.name);
  for (size_t k = 0; k < a.body.size(); ++k) {
    const Instruction &x = a.body[k], &y = b.body[k];
    EXPECT_EQ(x.verb, y.verb);
    EXPECT_EQ(x.axis, y.axis);
    EXPECT_EQ(x.gated, y.gated);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.result, y.result);
    EXPECT_EQ(x.partner, y.partner);
    ASSERT_EQ(x.operand_count, y.operand_count);
    for (size_t n = 0; n < x.operand_count; ++n) EXPECT_TRUE(operator_equal(x.operands[n], y.operands[n]));
    EXPECT_EQ(x.address.space, y.address.space);
    EXPECT_EQ(x.address.index, y.address.index);
    EXPECT_EQ(x.address.unit, y.address.unit);
    EXPECT_TRUE(operator_equal(x.address.element, y.address.element));
  }
}

RandomProgram random_program(Random& random) {
  switch (random() % 3) {
    case 0: return random_expression(random);
    case 1: return random_vectors(random);
    default: return random_nest(random, {.most_lines = 10'000});
  }
}

TEST(RandomPrograms, AreReadAsTheyArePrinted) {
  Random random(1);
  for (int n = 0; n < 2000; ++n) {
    const RandomProgram made = random_program(random);
    const Program program = parse(made.text);
    const std::string printed = print(program);
    const Program again = parse(printed);
    expect_same(program, again);
    ASSERT_EQ(print(again), printed);
    ASSERT_EQ(program.parameters.size(), made.views.size());
    ASSERT_EQ(program.variables.size(), made.numbers.size());
  }
}

TEST(RandomPrograms, DoWhatASecondReadingOfTheDefinitionDoes) {
  Random random(2);
  uint64_t lines = 0;
  for (int n = 0; n < 1500; ++n) {
    const RandomProgram made = random_program(random);
    const Interpreted fast = interpret(made);
    const Interpreted slow = walk(made);
    ASSERT_EQ(fast.lines, slow.lines) << made.text;
    ASSERT_EQ(fast.memories, slow.memories) << made.text;
    lines += fast.lines;
  }
  EXPECT_GT(lines, 500'000u);
}

TEST(RandomPrograms, HaveAllVerbsOfAllTypes) {
  Random random(3);
  std::set<std::pair<Verb, Type>> seen;
  std::set<std::pair<Type, Type>> casts;
  for (int n = 0; n < 6000; ++n) {
    for (const Instruction& i : parse(random_program(random).text).body) {
      seen.emplace(i.verb, i.type.type);
      if (i.verb == Verb::Cast) casts.emplace(i.type.type, i.operands[0].type.type);
    }
  }
  for (const Operation& row : operations()) {
    for (const TypeInfo& t : kTypes) {
      if (computes(row.verb, t.type)) {
        EXPECT_TRUE(seen.contains({row.verb, t.type})) << row.name << " " << t.name;
      }
    }
  }
  EXPECT_EQ(casts.size(), std::size(kTypes) * std::size(kTypes));
  for (const Verb verb : {Verb::Loop, Verb::Do, Verb::If})
    EXPECT_TRUE(std::any_of(seen.begin(), seen.end(), [&](auto s) { return s.first == verb; }));
}

}  // namespace
}  // namespace kerr::loops

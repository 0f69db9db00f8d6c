#include "isa/print.hpp"

#include <gtest/gtest.h>

#include "isa/hints.hpp"
#include "isa/text/assemble.hpp"

namespace kerr::isa {
namespace {

using namespace reg;

TEST(Print, IsAnInstructionIntoX0ForEachValueAndARemark) {
  Assembler a;
  a.nop();
  print(a, "{} and {:d}", {t0, t1});
  const Code code = a.finish();
  ASSERT_EQ(code.bytes.size(), 12u);
  const auto first = hint::decode(code.word_at(4)), last = hint::decode(code.word_at(8));
  ASSERT_TRUE(first && last);
  EXPECT_EQ(first->rs1, t0.number);
  EXPECT_EQ(last->rs1, t1.number);
  EXPECT_FALSE(first->last());
  EXPECT_TRUE(last->last());
  EXPECT_EQ(first->print_id(), last->print_id());
  ASSERT_EQ(code.comments.size(), 1u);
  EXPECT_EQ(code.comments[0].address, 4u);
  EXPECT_EQ(print_in(code.comments[0].text), (Print{"{} and {:d}", "ui"}));
}

TEST(Print, WithoutValuesIsOneInstruction) {
  Assembler a;
  print(a, "here");
  const auto hint = hint::decode(a.finish().word_at(0));
  ASSERT_TRUE(hint);
  EXPECT_EQ(hint->rs1, 0);
  EXPECT_TRUE(hint->last());
}

TEST(Print, RefusesAFormatThatDoesNotFitItsValues) {
  Assembler a;
  EXPECT_THROW(print(a, "{}", {}), AssemblerError);
  EXPECT_THROW(print(a, "no place", {t0}), AssemblerError);
  EXPECT_THROW(print(a, "{", {t0}), AssemblerError);
  EXPECT_THROW(print(a, "{}{}{}{}{}{}{}{}{}", {t0, t0, t0, t0, t0, t0, t0, t0, t0}), AssemblerError);
}

TEST(Print, ComesBackFromItsRemark) {
  for (const Print& print : {Print{"a \"b\" \\ \n; c", "ifbcspU"}, Print{"a \\n", "u"}, Print{"", ""},
                             Print{"x", "u", "reader.cpp", 70}, Print{"{}", "I", "a b.cpp", 1}}) {
    EXPECT_EQ(print_in(remark_of(print)), print) << remark_of(print);
    EXPECT_EQ(print_in("another; " + remark_of(print) + "; and more"), print);
  }
  for (const char* none : {"", "print", "print \"", "print \"a", "print \"a\\", "print \"a\"", "print \"\" UUUUU"})
    EXPECT_FALSE(print_in(none)) << none;
}

TEST(Print, NopsAndLargeNumbersAreNone) {
  EXPECT_FALSE(hint::decode(0x0000'0013));  // nop
  EXPECT_FALSE(hint::decode(0x4000'0013));  // 1024
  EXPECT_FALSE(hint::decode(0xFFF0'0013));  // -1
  EXPECT_FALSE(hint::decode(0x0010'0093));  // into x1
  EXPECT_TRUE(hint::decode(0x0010'0013));
}

TEST(PrintText, IsADirective) {
  const Code code = assemble(".print \"from {:#x} # no comment\", t0  # a comment\n ret\n", {.file = "a.s"});
  ASSERT_EQ(code.bytes.size(), 8u);
  EXPECT_EQ(print_in(code.comments.at(0).text), (Print{"from {:#x} # no comment", "u"}));
  EXPECT_EQ(code.lines.at(0).line, 1u);
}

TEST(PrintText, SaysWhatIsWrong) {
  const auto mistake = [](const char* text) {
    try {
      assemble(text, {.file = "a.s"});
    } catch (const TextError& error) {
      return error.message;
    }
    return std::string();
  };
  EXPECT_EQ(mistake(".print t0"), "expected text in quotes");
  EXPECT_EQ(mistake(".print \"a"), "the text in quotes has no end");
  EXPECT_EQ(mistake(".print \"\\q\""), "in quotes a backslash stands before n, \" or \\");
  EXPECT_EQ(mistake(".print \"{}\", ft0"), "'ft0' is no register; .print takes those of whole numbers");
  EXPECT_EQ(mistake(".print \"{}\""), "the print has 1 places and 0 values");
}

}  // namespace
}  // namespace kerr::isa

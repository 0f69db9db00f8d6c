// What a loop program's text may be, and what is said of one that is none.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>

#include "loops/program.hpp"

namespace kerr::loops {
namespace {

const std::string kAdd =
    "kernel add\n"
    "param p0 f32 6144\n"
    "param p1 f32 6144\n"
    "%1 = loop i32 i32:6144 weak\n"
    "%2 = load f32 p1[%1]\n"
    "%3 = add f32 %2 f32:1.0\n"
    "store f32 p0[%1] %3\n"
    "end %1\n";

TEST(Parse, MakesAProgramOfText) {
  const Program p = parse(kAdd);
  EXPECT_EQ(p.name, "add");
  EXPECT_FALSE(p.tf32);
  ASSERT_EQ(p.parameters.size(), 2u);
  EXPECT_EQ(p.parameters[1].slot, 1u);
  EXPECT_EQ(p.parameters[1].bytes(), 24576u);
  ASSERT_EQ(p.body.size(), 5u);
  EXPECT_EQ(p.body[0].verb, Verb::Loop);
  EXPECT_EQ(p.body[0].axis, Axis::Weak);
  EXPECT_EQ(p.body[0].partner, 4u);
  EXPECT_EQ(p.body[4].partner, 0u);
  EXPECT_EQ(p.body[1].address.element.value, p.body[0].result);
  EXPECT_EQ(p.body[2].operands[1].bits, 0x3F800000u);
  EXPECT_EQ(p.body[2].line, 6u);
  EXPECT_EQ(p.values[p.body[2].result].name, "3");
}

TEST(Parse, SkipsRemarksAndBlanks) {
  EXPECT_EQ(print(parse("# a remark\n\n  kernel k # another\r\n\tparam   p0 f32\t1\r\nstore f32 p0[i32:0] f32:0.0")),
            "kernel k\nparam p0 f32 1\nstore f32 p0[i32:0] f32:0.0\n");
}

TEST(Parse, TakesDeclarationsWhereTheyAreFirstUsed) {
  EXPECT_EQ(print(parse(
                "kernel k\n%1 = loop i32 i32:3 loop\nreg r5 i32 2\nstore i32 r5[i32:1] %1\nparam p3 i32 4\nend %1\n")),
            "kernel k\nparam p3 i32 4\nreg r5 i32 2\n%1 = loop i32 i32:3 loop\nstore i32 r5[i32:1] %1\nend %1\n");
}

TEST(Parse, TakesAComparisonByTheTypeOfItsOperandsOrOfItsResult) {
  const std::string head = "kernel k\nparam p0 bool 1\n", tail = "store bool p0[i32:0] %1\n";
  EXPECT_EQ(print(parse(head + "%1 = cmplt bool i32:1 i32:2\n" + tail)), head + "%1 = cmplt i32 i32:1 i32:2\n" + tail);
  EXPECT_EQ(parse(head + "%1 = cmplt i32 i32:1 i32:2\n" + tail).values[0].type.type, Type::Bool);
  EXPECT_EQ(parse(head + "%1 = cmpne bool bool:True bool:False\n" + tail).body[0].type.type, Type::Bool);
}

// A line behind these, and where and how it is refused.
const std::string kHead =
    "kernel k\nparam p0 f32 64\nparam p2 i8 64\nvar %n i32 rows 1 9\nreg r1 f32 4\n%0 = loop i32 i32:8 weak\n"
    "%1 = load f32 p0[%0]\n%2 = cmplt f32 %1 f32:0.0\n%3 = pack f32x4 %1 %1 %1 %1\n%4 = loop i32 %n reduce\n%5 = mul "
    "i32 %4 i32:2\nend %4\n";
constexpr uint32_t kHeadLines = 12;

struct Refusal {
  std::string line;
  uint32_t column;
  std::string message;
};

class RefusedLine : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedLine, IsNamedByItsPlace) {
  const Refusal& r = GetParam();
  try {
    parse(kHead + r.line + "\n");
    FAIL() << "'" << r.line << "' is taken";
  } catch (const ProgramError& error) {
    EXPECT_EQ(error.line, kHeadLines + 1) << error.what();
    EXPECT_EQ(error.column, r.column) << error.what();
    const std::string place = "line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": ";
    EXPECT_EQ(error.what(), place + r.message);
  }
}

const Refusal kRefusals[] = {
    {"kernel again", 1, "a text holds one program, and here a second one begins"},
    {"hello", 1,
     "'hello' begins no line: there are kernel, param, var, reg, store, end, do, while, if, endif and %NAME ="},
    {"%9", 3, "here the line ends, and '=' is wanted"},
    {"%9 add", 4, "behind '%9' stands '=', and not 'add'"},
    {"%9 = jump i32", 6, "'jump' is no verb that has a result"},
    {"%9 = store f32 p0[%0] %1", 6, "'store' is no verb that has a result"},
    {"%9 = add", 9, "here the line ends, and a type is wanted"},
    {"%9 = add f31 %1 %1", 10,
     "'f31' is no type: there are bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, and vectors of 2 to 4 of them, "
     "as f32x4"},
    {"%9 = add f32x5 %1 %1", 10,
     "'f32x5' is no type: there are bool i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, and vectors of 2 to 4 of "
     "them, as f32x4"},
    {"%9 = add f32 %1", 16, "here the line ends, and an operand is wanted"},
    {"%9 = add f32 %1 %1 %1", 20, "'%1' is a word too many"},
    {"%9 = add f32 %1 %0", 17, "'%0' is i32, and f32 is wanted"},
    {"%9 = add f32 %1 %3", 17, "'%3' is f32x4, and f32 is wanted"},
    {"%9 = add f32 %1 %77", 17, "'%77' is not defined before it is used"},
    {"%9 = add f32 %9 %9", 14, "'%9' is not defined before it is used"},
    {"%9 = add i32 %5 %5", 14, "'%5' is gone: it belongs to the 'loop' of line 10, %4, which has ended"},
    {"%9 = add i32 %4 %4", 14, "'%4' is gone: it belongs to the 'loop' of line 10, %4, which has ended"},
    {"%1 = add f32 %1 %1", 1, "'%1' is defined in line 7 already"},
    {"%4 = add f32 %1 %1", 1, "'%4' is defined in line 10 already"},
    {"%a/b = add f32 %1 %1", 2, "the name of a value is made of letters, digits and _ . -, unlike 'a/b'"},
    {"% = add f32 %1 %1", 2, "the name of a value is made of letters, digits and _ . -, unlike ''"},
    {"%9 = add bool %2 %2", 10, "there is no 'add' of bool"},
    {"%9 = and f32 %1 %1", 10, "there is no 'and' of f32"},
    {"%9 = fdiv i32 %0 %0", 11, "there is no 'fdiv' of i32"},
    {"%9 = threefry u32 u32:1 u32:1", 15, "there is no 'threefry' of u32"},
    {"%9 = shl i32 %0 %1", 17, "'%1' is f32, and a count is an integer"},
    {"%9 = where f32 %1 %1 %1", 16, "'%1' is f32, and bool is wanted"},
    {"%9 = where f32x4 %2 %3 %3", 18, "'%2' is bool, and boolx4 is wanted"},
    {"%9 = cmplt i32 %0 %1", 19, "'%1' is f32, and i32 is wanted"},
    {"%9 = cmplt bool %0 %1", 20, "'%1' is f32, and i32 is wanted"},
    {"%9 = add f32 %1 1.0", 17, "'1.0' is no operand: it is written %NAME or TYPE:NUMBER, as f32:1.5"},
    {"%9 = add f32 %1 f32:one", 21, "'one' is no f32, which is a decimal number, inf, -inf or nan"},
    {"%9 = add f32 %1 f32:", 21, "'' is no f32, which is a decimal number, inf, -inf or nan"},
    {"%9 = add f32 %1 f32:infinity", 21, "'infinity' is no f32, which is a decimal number, inf, -inf or nan"},
    {"%9 = add f32 %1 f32:0x1p3", 21, "'0x1p3' is no f32, which is a decimal number, inf, -inf or nan"},
    {"%9 = add i8 i8:128 i8:1", 16, "'128' is no i8, which is a whole number from -128 to 127"},
    {"%9 = add i8 i8:-129 i8:1", 16, "'-129' is no i8, which is a whole number from -128 to 127"},
    {"%9 = add u8 u8:-1 u8:1", 16, "'-1' is no u8, which is a whole number from 0 to 255"},
    {"%9 = add u64 u64:18446744073709551616 u64:1", 18,
     "'18446744073709551616' is no u64, which is a whole number from 0 to 18446744073709551615"},
    {"%9 = add i32 i32:1.0 i32:1", 18, "'1.0' is no i32, which is a whole number from -2147483648 to 2147483647"},
    {"%9 = and bool %2 bool:1", 23, "'1' is no bool, which is True or False"},
    {"%9 = add f32x2 f32x2:1.0 %1", 16, "'f32x2' is a vector, and a single type is wanted"},
    {"%9 = cast f32x2 %1", 17, "'%1' is f32, which has not as many lanes as f32x2"},
    {"%9 = bitcast i16 %1", 18, "'%1' is f32, which has not as many bits as i16"},
    {"%9 = pack f32 %1", 11, "a vector is made, as f32x2, and not f32"},
    {"%9 = pack f32x2 %1", 19, "here the line ends, and another lane is wanted"},
    {"%9 = lane f32 %1 i32:0", 15, "'%1' is f32, and a vector of f32 is wanted"},
    {"%9 = lane i32 %3 i32:0", 15, "'%3' is f32x4, and a vector of i32 is wanted"},
    {"%9 = lane f32 %3 i32:4", 18, "'i32:4' is no lane: they are i32:0 to i32:3"},
    {"%9 = lane f32 %3 %0", 18, "'%0' is no lane: they are i32:0 to i32:3"},
    {"%9 = load f32 p1[%0]", 15, "there is no p1"},
    {"%9 = load f32 r0[%0]", 15, "there is no r0"},
    {"%9 = load f32 q0[%0]", 15, "a parameter is named pNUMBER, unlike 'q0'"},
    {"%9 = load f32 px[%0]", 16, "the number of a parameter is 'x', and wanted is a whole number from 0 to 4294967294"},
    {"%9 = load f32 p0", 15,
     "'p0' is no address: it is written p0[INDEX], r0[INDEX], p0~TYPE[INDEX] or p0[INDEX]~TYPE"},
    {"%9 = load f32 p0]0[", 15,
     "'p0]0[' is no address: it is written p0[INDEX], r0[INDEX], p0~TYPE[INDEX] or p0[INDEX]~TYPE"},
    {"%9 = load i32 p0[%0]", 15, "'p0[%0]' is f32, and the line's type is i32"},
    {"%9 = load f32 p0[%1]", 18, "'%1' is f32, and an index is an integer"},
    {"%9 = load f32 p0[]", 18, "'' is no operand: it is written %NAME or TYPE:NUMBER, as f32:1.5"},
    {"%9 = load f32 p0[%0", 15,
     "'p0[%0' is no address: it is written p0[INDEX], r0[INDEX], p0~TYPE[INDEX] or p0[INDEX]~TYPE"},
    {"%9 = load i16 p0~i16[%0]~i8", 25, "'~TYPE' stands before or behind the index, and not twice"},
    {"%9 = load i16 p0[%0]x", 21, "behind ']' stands nothing or ~TYPE, and not 'x'"},
    {"%9 = load f32 p0[%0] %2", 24, "here the line ends, and the value if the condition is false is wanted"},
    {"%9 = load f32 p0[%0] %0 %1", 22, "'%0' is i32, and bool is wanted"},
    {"%9 = load f32 r1[i32:4]", 18, "'i32:4' is outside of r1, which has 4 f32"},
    {"%9 = load f32 r1[i32:-1]", 18, "'i32:-1' is outside of r1, which has 4 f32"},
    {"%9 = load f32x4 r1[i32:1]", 20, "'i32:1' is outside of r1, which has 4 f32"},
    {"store f32 p0[%0] %0", 18, "'%0' is i32, and f32 is wanted"},
    {"store f32 p0[%0]", 17, "here the line ends, and what is stored is wanted"},
    {"end %4", 5, "'%4' is not what ends here: the 'loop' of line 6, %0, is the innermost one that is open"},
    {"endif", 1, "'endif' closes nothing: the 'loop' of line 6, %0, is open"},
    {"while %0 %2", 1, "'while' closes nothing: the 'loop' of line 6, %0, is open"},
    {"if %0", 4, "'%0' is i32, and bool is wanted"},
    {"%9 = loop f32 f32:3.0 weak", 11, "loops count in integers, and not in f32"},
    {"%9 = loop i64 %0 weak", 15, "'%0' is i32, and i64 is wanted"},
    {"%9 = loop i32 i32:3 fast", 21, "'fast' is no kind of loop: there are weak, loop, global, reduce, upcast, unroll"},
    {"var %9 i32 more 0 1", 5, "a variable is declared outside of loops"},
    {"param p2 f32 3", 7, "parameters come in ascending order, and p2 stands before p2"},
    {"param p3 f32 0", 14, "the count of elements is '0', and wanted is a whole number from 1 to 1073741823"},
    {"param p3 f32 1073741824", 14,
     "the count of elements is '1073741824', and wanted is a whole number from 1 to 1073741823"},
    {"reg r1 f32 3", 5, "r1 is declared in line 5 already"},
    {"reg r2 f32 262143", 12, "with it register arrays have 1048588 bytes, and 1048576 is the most"},
    {"\x1b[31m", 1,
     "'?[31m' begins no line: there are kernel, param, var, reg, store, end, do, while, if, endif and %NAME ="},
};

INSTANTIATE_TEST_SUITE_P(Lines, RefusedLine, testing::ValuesIn(kRefusals),
                         [](const auto& refusal) { return "Line" + std::to_string(refusal.index); });

// The whole text.
std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const ProgramError& error) {
    return error.what();
  }
  return "";
}

TEST(Parse, RefusesATextThatIsNoProgram) {
  EXPECT_EQ(refusal(""), "line 1, column 1: there is no program here: it begins with 'kernel NAME'");
  EXPECT_EQ(refusal("\n\nparam p0 f32 1\n"), "line 3, column 1: a program begins with 'kernel NAME'");
  EXPECT_EQ(refusal("kernel k fast=1\n"), "line 1, column 10: 'fast=1' is no attribute: there are tf32=0 and tf32=1");
  EXPECT_EQ(refusal("kernel\n"), "line 1, column 7: here the line ends, and a name is wanted");
  EXPECT_EQ(refusal("kernel k\nvar %1 i8 n 0 1\n"), "line 2, column 8: a variable is i32 or i64, and not i8");
  EXPECT_EQ(refusal("kernel k\nvar %1 i32 n 5 4\n"),
            "line 2, column 16: the largest value is '4', and wanted is a whole number from 5 to 2147483647");
}

TEST(Parse, NamesWhatIsLeftOpen) {
  EXPECT_EQ(refusal("kernel k\n%1 = loop i32 i32:3 weak\n"),
            "line 2, column 1: the 'loop' of line 2, %1, has no 'end'");
  EXPECT_EQ(refusal("kernel k\ndo %1\n"), "line 2, column 1: the 'do' of line 2, %1, has no 'while'");
  EXPECT_EQ(refusal("kernel k\nif bool:True\n"), "line 2, column 1: the 'if' of line 2 has no 'endif'");
}

TEST(Parse, LetsOnlyStoresStandBehindIf) {
  EXPECT_EQ(refusal("kernel k\nif bool:True\n%1 = add i32 i32:1 i32:1\nendif\n"),
            "line 3, column 1: between 'if' and 'endif' stand only stores, and not '%1'");
}

TEST(Parse, LetsAWhileUseAValueOfItsBody) {
  const std::string text =
      "kernel k\nreg r0 i32 1\nstore i32 r0[i32:0] i32:3\ndo %1\n%2 = load i32 r0[i32:0]\n%3 = sub i32 %2 i32:1\n"
      "store i32 r0[i32:0] %3\n%4 = cmplt i32 i32:0 %3\nwhile %1 %4\n";
  EXPECT_EQ(print(parse(text)), text);
  EXPECT_EQ(refusal(text + "%5 = add i32 %3 %3\n"),
            "line 10, column 14: '%3' is gone: it belongs to the 'do' of line 4, %1, which has ended");
  EXPECT_EQ(refusal("kernel k\ndo %1\n%2 = xor bool %1 bool:True\nwhile %1 %2\n"),
            "line 3, column 15: '%1' is the name of a 'do' and no value");
}

TEST(Parse, RefusesWhatIsTooDeepOrTooLong) {
  std::string deep = "kernel k\n";
  for (unsigned k = 0; k <= kDeepestNesting; ++k) deep += "%" + std::to_string(k) + " = loop i32 i32:1 weak\n";
  EXPECT_EQ(refusal(deep), "line 66, column 1: blocks stand in each other at most 64 deep");
  EXPECT_EQ(refusal("kernel k\n" + std::string(kMostLines, '\n')),
            "line 1000001, column 1: a program has at most 1000000 lines");
  EXPECT_EQ(refusal(std::string(kMostText + 1, 'x')), "line 1, column 1: a program has at most 67108864 bytes of text");
  EXPECT_EQ(refusal("kernel " + std::string(2000, 'x')),
            "line 1, column 8: the name of a program has at most 1000 characters");
  EXPECT_EQ(refusal("kernel k\n%1 = add f32 f32:" + std::string(301, '1') + " f32:1\n"),
            "line 2, column 18: '1111111111111111111111111111111111111111...' is no f32, which is a decimal number, "
            "inf, -inf or nan");
}

TEST(Parse, TakesATextThatEndsAnywhereOrRefusesIt) {
  const std::string text = kHead + "%6 = lane f32 %3 i32:2\nif %2\nstore f32 p0[%0]~f32 %6\nendif\nend %0\n";
  EXPECT_EQ(refusal(text), "");
  for (size_t length = 0; length < text.size(); ++length) refusal(text.substr(0, length));
  std::mt19937 random(1);
  for (int n = 0; n < 20'000; ++n) {
    std::string damaged = text;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = text[random() % text.size()];
    refusal(damaged);
  }
}

TEST(Parse, OfALongProgramTakesLittleTime) {
  std::string text = "kernel long\nparam p0 i32 1\n%0 = load i32 p0[i32:0]\n";
  for (unsigned k = 1; k < 100'000; ++k)
    text += "%" + std::to_string(k) + " = add i32 %" + std::to_string(k - 1) + " i32:" + std::to_string(k) + "\n";
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse(text).body.size(), 100'000u);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));  // 0.1 on an idle machine
}

// --- numbers

std::string printed_number(const std::string& number) {
  const std::string type = number.substr(0, number.find(':'));
  const std::string text =
      print(parse("kernel k\nparam p0 " + type + " 1\nstore " + type + " p0[i32:0] " + number + "\n"));
  return text.substr(text.rfind(' ') + 1, text.size() - text.rfind(' ') - 2);
}
uint64_t bits(const std::string& number) {
  const std::string type = number.substr(0, number.find(':'));
  return parse("kernel k\nparam p0 " + type + " 1\nstore " + type + " p0[i32:0] " + number + "\n")
      .body[0]
      .operands[0]
      .bits;
}

TEST(Numbers, ArePrintedAsPythonPrintsThem) {
  for (const std::string number : {"f32:1.0", "f32:-0.0", "f32:inf", "f32:-inf", "f32:nan", "f32:1e-05", "f32:0.1",
                                   "f32:1e+30", "f64:0.1", "i8:-128", "u64:18446744073709551615",
                                   "i64:-9223372036854775808", "bool:True", "bool:False", "f16:65504.0", "f32:1e-45"})
    EXPECT_EQ(printed_number(number), number);
  EXPECT_EQ(printed_number("f32:16777217"), "f32:16777216.0");
  EXPECT_EQ(printed_number("i32:-0"), "i32:0");
}

TEST(Numbers, AreTheNearestOfTheirType) {
  EXPECT_EQ(bits("f32:0.1"), 0x3DCCCCCDu);
  EXPECT_EQ(bits("f32:1e-45"), 1u);
  EXPECT_EQ(bits("f32:1e39"), 0x7F800000u);
  EXPECT_EQ(bits("f32:-1e-400"), 0x80000000u);
  EXPECT_EQ(bits("f32:1e400"), 0x7F800000u);
  EXPECT_EQ(bits("f16:65519"), 0x7BFFu);
  EXPECT_EQ(bits("f16:65520"), 0x7C00u);
  EXPECT_EQ(bits("f16:2049"), 0x6800u);          // of two the even one
  EXPECT_EQ(bits("f16:2049.0000001"), 0x6801u);  // not by way of float32
  EXPECT_EQ(bits("f16:nan"), 0x7E00u);
  EXPECT_EQ(bits("bf16:1.00390625"), 0x3F80u);
  EXPECT_EQ(bits("bf16:1.00390626"), 0x3F81u);
  EXPECT_EQ(bits("bf16:nan"), 0x7FC0u);
  EXPECT_EQ(bits("f64:0.1"), 0x3FB999999999999Au);
  EXPECT_EQ(bits("i8:-1"), 0xFFu);
  EXPECT_EQ(bits("i64:-1"), ~uint64_t{0});
}

}  // namespace
}  // namespace kerr::loops

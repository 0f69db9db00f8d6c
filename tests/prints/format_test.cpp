#include "prints/format.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <random>

namespace kerr::prints {
namespace {

std::string shown(const char* format, const char* types, std::vector<uint32_t> words) {
  return text_of({format, types}, words, [](uint32_t address) { return "string " + std::to_string(address); });
}

TEST(PrintFormat, ShowsEachTypeAsItsPlaceSays) {
  EXPECT_EQ(shown("{} {} {}", "uib", {7, ~0u, 1}), "7 -1 true");
  EXPECT_EQ(shown("{} {:.2f} {:e}", "fff", {std::bit_cast<uint32_t>(1.5f), std::bit_cast<uint32_t>(0.125f), 0}),
            "1.5 0.12 0.000000e+00");
  EXPECT_EQ(shown("{}{}", "cc", {'o', 'k'}), "ok");
  EXPECT_EQ(shown("{} {}", "sp", {5, 0xFFB0'0010}), "string 5 0xffb00010");
  EXPECT_EQ(shown("{} {}", "UI", {1, 1, ~0u, ~0u}), "4294967297 -1");
  EXPECT_EQ(shown("{:x} {:#010x} {:b} {:o}", "uiuu", {255, ~0u, 5, 8}), "ff 0xffffffff 101 10");
  EXPECT_EQ(shown("|{:4}|{:<4}|{:^4}|{:04}|{:+}|", "uuuui", {1, 2, 3, 4, 5}), "|   1|2   | 3  |0004|+5|");
  EXPECT_EQ(shown("{{{}}}", "u", {1}), "{1}");
}

TEST(PrintFormat, APlaceThatDoesNotSuitItsValueSaysNothing) {
  EXPECT_EQ(shown("{:f} {:x} {:s} {:d}", "ufuf", {1, std::bit_cast<uint32_t>(2.0f), 3, std::bit_cast<uint32_t>(4.0f)}),
            "1 2 3 4");
  EXPECT_EQ(shown("{:x}", "c", {'a'}), "a");
}

TEST(PrintFormat, WhatIsMissingIsAQuestionMarkAndWhatIsNoFormatStaysAsItIs) {
  EXPECT_EQ(shown("{} {}", "u", {1}), "1 ?");
  EXPECT_EQ(shown("{} {}", "uU", {1, 2}), "1 ?");
  EXPECT_EQ(shown("{", "u", {1}), "{");
  EXPECT_EQ(shown("{:1000}", "u", {1}), "{:1000}");
  EXPECT_EQ(shown("a } b", "", {}), "a } b");
}

TEST(PrintFormat, TakesAnyFormatAndAnyWords) {
  std::mt19937 random(1);
  constexpr std::string_view kPieces = "{}:<>^+#0123.duxfegcsp %\n\x1b";
  for (int n = 0; n < 20000; ++n) {
    isa::Print print;
    for (size_t i = random() % 24; i > 0; --i)
      print.format += random() % 4 == 0 ? "{}" : std::string(1, kPieces[random() % kPieces.size()]);
    for (size_t i = random() % 6; i > 0; --i) print.types += static_cast<char>(isa::kPrintTypes[random() % 9]);
    std::vector<uint32_t> words(random() % 9);
    for (uint32_t& word : words) word = static_cast<uint32_t>(random());
    EXPECT_LT(text_of(print, words, [](uint32_t) { return "s"; }).size(), 4000u);
  }
}

}  // namespace
}  // namespace kerr::prints

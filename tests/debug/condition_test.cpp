// Agent expressions.
#include "debug/condition.hpp"

#include <gtest/gtest.h>

#include "debug/hex.hpp"
#include "tests/debug/fake_target.hpp"

namespace kerr::debug {
namespace {

std::optional<uint64_t> value(const char* digits) {
  static FakeTarget target;
  target.harts[1].registers[10] = 0xFFFFFFFE;
  target.harts[1].memory[0x10] = 0x34;
  target.harts[1].memory[0x11] = 0x12;
  const auto bytes = *bytes_in(digits);
  return evaluate({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, target, 1);
}

TEST(Condition, ComputesWithConstantsRegistersAndMemory) {
  EXPECT_EQ(value("220327"), 3u);
  EXPECT_EQ(value("2203220427"), 4u);
  EXPECT_EQ(value("220522030327"), 2u) << "5 - 3";
  EXPECT_EQ(value("26000a27"), 0xFFFFFFFEu);
  EXPECT_EQ(value("26000a162027"), ~uint64_t{1}) << "the sign is extended from 32 bits";
  EXPECT_EQ(value("26000a162022001427"), 1u) << "-2 < 0";
  EXPECT_EQ(value("22101827"), 0x1234u);
  EXPECT_EQ(value("2207162022070627"), 1u);
}

TEST(Condition, JumpsOverWhatIsFalse) {
  EXPECT_EQ(value("2201200008220527220627"), 6u);
  EXPECT_EQ(value("2200200008220527220627"), 5u);
}

TEST(Condition, ThatMakesNoSenseHasNoValue) {
  EXPECT_FALSE(value(""));
  EXPECT_FALSE(value("22")) << "the operand is missing";
  EXPECT_FALSE(value("0227")) << "nothing to add";
  EXPECT_FALSE(value("210000")) << "goes on for ever";
  EXPECT_FALSE(value("220122000627")) << "divides by 0";
  EXPECT_FALSE(value("2322001827")) << "no such memory";
  EXPECT_FALSE(value("26ffff27")) << "no such register";
  EXPECT_FALSE(value("ff27"));
}

}  // namespace
}  // namespace kerr::debug

// The pieces without state: atomics, rectangles, address rules.   docs/hardware/noc.md 3, 4
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "arch/noc_registers.hpp"
#include "emu/noc/atomics.hpp"
#include "emu/noc/multicast.hpp"
#include "emu/noc/rules.hpp"

namespace kerr::emu {
namespace {

using Line = std::array<uint32_t, 4>;

Line atomic(Line line, uint32_t fields, uint32_t data) {
  EXPECT_TRUE(atomic_is_modelled(fields));
  std::array<uint8_t, 16> bytes;
  std::memcpy(bytes.data(), line.data(), 16);
  apply_atomic(bytes, fields, data);
  std::memcpy(line.data(), bytes.data(), 16);
  return line;
}

TEST(Atomics, IncrementActsOnTheWordOfOfs) {
  for (uint32_t ofs = 0; ofs < 4; ++ofs) {
    Line expected{10, 20, 30, 40};
    expected[ofs] += 5;
    EXPECT_EQ(atomic({10, 20, 30, 40}, arch::niu::atomic_increment(4 * ofs), 5), expected);
  }
  EXPECT_EQ(atomic({0xFFFFFFFF, 1, 1, 1}, 0x107C, 2), (Line{1, 1, 1, 1}));
}

TEST(Atomics, IncrementWrapsInsideIntWidthAndLeavesTheUpperBits) {
  EXPECT_EQ(atomic({0xABCD00FF, 0, 0, 0}, 0x1000 | 7 << 2, 3), (Line{0xABCD0002, 0, 0, 0}));
  EXPECT_EQ(atomic({0xFFFFFFFF, 0, 0, 0}, 0x1000 | 0 << 2, 1), (Line{0xFFFFFFFE, 0, 0, 0}));
}

TEST(Atomics, MaskedSwapReplacesHalfwords) {
  EXPECT_EQ(atomic({0x11112222, 0x33334444, 0, 0}, 0x3000 | 0b1001 << 2, 0xAAAABBBB),
            (Line{0x1111BBBB, 0xAAAA4444, 0, 0}));
}

TEST(Atomics, CompareAndSwapKnowsFourBits) {
  const uint32_t five_to_nine = 0x4000 | 1 | 5 << 2 | 9 << 6;
  EXPECT_EQ(atomic({0, 5, 0, 0}, five_to_nine, 0), (Line{0, 9, 0, 0}));
  EXPECT_EQ(atomic({0, 0x15, 0, 0}, five_to_nine, 0), (Line{0, 0x15, 0, 0}));
}

TEST(Atomics, PlainSwapsHaveTheirOwnPlaceForOfs) {
  EXPECT_EQ(atomic({1, 2, 3, 4}, 0x6000 | 1 << 2 | 3, 77), (Line{1, 2, 3, 77}));
  EXPECT_EQ(atomic({1, 2, 3, 4}, 0x7000 | 2 << 2, 77), (Line{1, 2, 77, 4}));
}

TEST(Atomics, UndocumentedOpcodesAreNotModelled) {
  for (const uint32_t fields : {0x2000u, 0x5000u, 0x6000u, 0x8000u, 0x9000u, 0xA000u, 0xF000u}) {
    EXPECT_FALSE(atomic_is_modelled(fields)) << std::hex << fields;
  }
}

TEST(Multicast, AStartBehindItsEndWrapsRoundTheEdge) {
  const Rectangle plain{{2, 3}, {4, 5}};
  EXPECT_TRUE(plain.contains({2, 3}) && plain.contains({4, 5}) && plain.contains({3, 4}));
  EXPECT_FALSE(plain.contains({1, 3}) || plain.contains({5, 5}) || plain.contains({3, 6}));
  const Rectangle wrapped{{14, 2}, {1, 2}};
  EXPECT_TRUE(wrapped.wraps());
  for (uint8_t x = 0; x < 17; ++x) EXPECT_EQ(wrapped.contains({x, 2}), x >= 14 || x <= 1);
}

TEST(Multicast, StridesKeepAndSkip) {
  const Rectangle rectangle{{2, 2}, {9, 9}};
  const Exclusion keep_one_skip_two{1 | 2 << 2};
  std::string kept;
  for (uint8_t x = 2; x <= 9; ++x) {
    if (!keep_one_skip_two.leaves_out(rectangle, {x, 2})) kept += std::to_string(x);
  }
  EXPECT_EQ(kept, "258");
}

TEST(Multicast, ExclusionTakesTheQuadrantWhereBothConditionsHold) {
  const Rectangle rectangle{{0, 0}, {9, 9}};
  const Exclusion low_low{4u << 8 | 5u << 14 | 1u << 22};
  EXPECT_TRUE(low_low.leaves_out(rectangle, {4, 5}));
  EXPECT_FALSE(low_low.leaves_out(rectangle, {5, 5}) || low_low.leaves_out(rectangle, {4, 6}));
  const Exclusion switched_off{4u << 8 | 5u << 14};
  EXPECT_FALSE(switched_off.any());
}

TEST(Rules, AlignmentDependsOnBothSides) {
  constexpr auto kTensix = arch::TileClass::Tensix;
  constexpr auto kDram = arch::TileClass::Dram;
  constexpr auto kPcie = arch::TileClass::Pcie;
  EXPECT_FALSE(check_transfer({kTensix, 0x24}, {kTensix, 0x54}, 4));
  EXPECT_TRUE(check_transfer({kTensix, 0x24}, {kTensix, 0x50}, 4));
  EXPECT_FALSE(check_transfer({kDram, 0x1011}, {kTensix, 0x4051}, 2)) << "low six bits agree";
  EXPECT_TRUE(check_transfer({kDram, 0x1010}, {kTensix, 0x4020}, 2));
  EXPECT_FALSE(check_transfer({kTensix, 0x10}, {kDram, 0x20}, 100));
  EXPECT_FALSE(check_transfer({kPcie, 0x1000'0000'0000'0001}, {kTensix, 0x20}, 100));
  EXPECT_FALSE(check_transfer({kTensix, 0x20008}, {kTensix, 0xFFB70028}, 4));
  EXPECT_TRUE(check_transfer({kTensix, 0x20004}, {kTensix, 0xFFB70028}, 4));
  EXPECT_FALSE(check_transfer({kTensix, 0xFFB20201}, {kTensix, 0x1005}, 3));
  EXPECT_TRUE(check_transfer({kTensix, 0xFFB20202}, {kTensix, 0x1006}, 3));
}

}  // namespace
}  // namespace kerr::emu

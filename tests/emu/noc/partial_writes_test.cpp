// Writes of single bytes, and writes that leave their header elsewhere too.   docs/hardware/noc.md 2.3, 3.4
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace arch::niu;

constexpr uint32_t kMasked = kCtrlWordWrite | kCtrlByteEnable;
constexpr uint32_t kPosted = kCtrlWordWrite & ~kCtrlRespMarked;
constexpr uint32_t kFrom = 0x10000, kTo = 0x20000;

using Line = std::array<uint8_t, 64>;

class PartialWrites : public ::testing::Test {
 protected:
  void SetUp() override {
    Line source, old;
    for (size_t i = 0; i < 64; ++i) source[i] = static_cast<uint8_t>(0x40 + i), old[i] = 0xEE;
    EXPECT_TRUE(a.host_write(kFrom, source));
    EXPECT_TRUE(b.host_write(kTo, old));
  }
  /// AT_LEN_BE_1 is no part of a Request.
  bool write(Request r, uint64_t mask = 0) {
    r.targ_hi = at(1, 2);
    if (r.ret_hi == 0) r.ret_hi = at(2, 2);
    if (r.ctrl & kCtrlByteEnable) r.length = static_cast<uint32_t>(mask);
    set(a, arch::niu_address(0, 0, kAtLenBe1), static_cast<uint32_t>(mask >> 32));
    return issue(a, r);
  }
  Line line(Tile& tile, uint32_t address) {
    Line bytes;
    EXPECT_TRUE(tile.host_read(address, bytes));
    return bytes;
  }

  World world;
  Tile& a = world.tile(1, 2);
  Tile& b = world.tile(2, 2);
};

TEST_F(PartialWrites, BringTheBytesThatTheMaskNames) {
  for (const uint64_t mask : {0x1ull, 0x8000'0000'0000'0000ull, 0xF0F0'0000'1234'5678ull, ~0ull, 0ull}) {
    SetUp();
    ASSERT_TRUE(write({.ctrl = kMasked, .targ = kFrom, .ret = kTo}, mask));
    world.run();
    const Line got = line(b, kTo);
    for (unsigned i = 0; i < 64; ++i)
      EXPECT_EQ(got[i], mask >> i & 1 ? 0x40 + i : 0xEE) << std::hex << mask << " byte " << i;
  }
  EXPECT_EQ(counter(a, kMstWrAckReceived), 5u);
  EXPECT_EQ(counter(a, kMstNonpostedWrReqSent), 5u);
  EXPECT_EQ(counter(a, kMstNonpostedWrDataWordSent), 5u);
  EXPECT_EQ(counter(b, kSlvNonpostedWrDataWordReceived), 5u + 6u);  // six of the host, in SetUp()
}

TEST_F(PartialWrites, CountFromAMultipleOf64) {
  ASSERT_TRUE(write({.ctrl = kMasked, .targ = kFrom + 4, .ret = kTo + 4}, 0b100));
  world.run();
  EXPECT_EQ(line(b, kTo)[2], 0x42);
  EXPECT_EQ(line(b, kTo)[6], 0xEE);
  EXPECT_FALSE(write({.ctrl = kMasked, .targ = kFrom, .ret = kTo + 16}, 1));
  EXPECT_NE(the_fault(a).find("Unsupported"), std::string::npos);
}

TEST_F(PartialWrites, GoToAllReceiversOfAMulticast) {
  Tile& c = world.tile(3, 2);
  const uint32_t ctrl = kCtrlWrite | kCtrlByteEnable | kCtrlRespMarked | kCtrlBroadcast | ctrl_static_vc(4);
  ASSERT_TRUE(write({.ctrl = ctrl, .targ = kFrom, .ret = kTo, .ret_hi = at(3, 2) | at(2, 2) << 12}, 0xFF00));
  world.run();
  EXPECT_EQ(line(b, kTo)[8], 0x48);
  EXPECT_EQ(line(c, kTo)[15], 0x4F);
  EXPECT_EQ(line(c, kTo)[16], 0);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 2u);
}

TEST_F(PartialWrites, RepeatARegisterInEveryWord) {
  set(a, 0xFFB40020, 0x1'2345);  // stream 0, register 8
  ASSERT_TRUE(write({.ctrl = kMasked, .targ = 0xFFB40020, .ret = kTo}, 0xF000'0000'0000'000F));
  world.run();
  EXPECT_EQ(word(b, kTo), 0x1'2345u);
  EXPECT_EQ(word(b, kTo + 4), 0xEEEE'EEEEu);
  EXPECT_EQ(word(b, kTo + 60), 0x1'2345u);
}

TEST_F(PartialWrites, ToARegisterIgnoreTheMask) {
  set(a, kFrom, 0x777);
  ASSERT_TRUE(write({.ctrl = kMasked, .targ = kFrom, .ret = 0xFFB40020}, 0));
  world.run();
  EXPECT_EQ(word(b, 0xFFB40020), 0x777u);
}

TEST_F(PartialWrites, ReachMemoryWithTheirMask) {
  ASSERT_TRUE(write({.ctrl = kMasked, .targ = kFrom, .ret = 0x4000, .ret_hi = at(17, 12)}, 0x30));
  world.run();
  ASSERT_EQ(world.elsewhere.size(), 1u);
  EXPECT_EQ(world.elsewhere[0].byte_enables, 0x30u);
  std::vector<std::pair<size_t, size_t>> runs;
  for_each_enabled_run(world.elsewhere[0], [&](size_t first, size_t count) {
    runs.emplace_back(first, count);
    return true;
  });
  EXPECT_EQ(runs, (std::vector<std::pair<size_t, size_t>>{{4, 2}}));
  EXPECT_FALSE(write({.ctrl = kMasked, .targ = kFrom, .ret = 0x4004, .ret_hi = at(17, 12)}, 0x30));
  EXPECT_NE(the_fault(a).find("Misaligned"), std::string::npos);
}

TEST_F(PartialWrites, LeaveTheHeaderWhereItIsWanted) {
  ASSERT_TRUE(
      write({.ctrl = kPosted, .targ = kFrom, .ret = kTo, .length = 64, .data = 0x30000 >> 4, .tag = kTagHeaderStore}));
  world.run();
  EXPECT_EQ(line(b, kTo), line(a, kFrom));
  const Line header = line(b, 0x30000);
  for (unsigned i = 0; i < 64; ++i) EXPECT_EQ(header[i], i < 16 ? 0x40 + i : 0) << i;
  EXPECT_EQ(counter(a, kMstPostedWrReqSent), 1u);
}

TEST_F(PartialWrites, RefuseAHeaderThatNobodyDescribes) {
  const auto refused = [this](const Request& r) {
    EXPECT_FALSE(write(r, 1));
    return the_fault(a);
  };
  const Request good{.ctrl = kPosted, .targ = kFrom, .ret = kTo, .length = 64, .data = 0x3000, .tag = kTagHeaderStore};
  const auto with = [&good](auto change) {
    Request r = good;
    change(r);
    return r;
  };
  EXPECT_NE(refused(with([](Request& r) { r.ctrl = kCtrlWordWrite; })).find("posted writes only"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.ctrl = kCtrlWordRead; })).find("posted writes only"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.length = 8; })).find("less than 16"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.data = 0x18000; })).find("beyond L1"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.data = ~0u; })).find("beyond L1"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.ret = 0x4000, r.ret_hi = at(17, 12); })).find("Tensix"), std::string::npos);
  EXPECT_NE(refused(with([](Request& r) { r.ctrl |= kCtrlByteEnable; })).find("byte enables"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu

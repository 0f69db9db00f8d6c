// What requests do, between two or three tiles.   docs/hardware/noc.md 2 to 5
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace arch::niu;
using ::testing::Test;

std::vector<uint8_t> pattern(size_t bytes, uint8_t seed = 1) {
  std::vector<uint8_t> out(bytes);
  std::iota(out.begin(), out.end(), seed);
  return out;
}
std::vector<uint8_t> bytes_at(Tile& tile, uint64_t address, size_t bytes) {
  std::vector<uint8_t> out(bytes);
  EXPECT_TRUE(tile.host_read(address, out));
  return out;
}

class NiuTest : public Test {
 protected:
  World world;
  Tile& a = world.tile(1, 2);
  Tile& b = world.tile(3, 4);
};

TEST_F(NiuTest, IdentityIsInTheOwnNumberingAndLogicalIdIsTheSameOnBoth) {
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kNodeId)), 0x10611081u);
  EXPECT_EQ(word(a, arch::niu_address(1, 3, kNodeId)), 0x0061124Fu);
  EXPECT_EQ(word(a, arch::niu_base(0) + kIdLogical), at(1, 2));
  EXPECT_EQ(word(a, arch::niu_base(1) + kIdLogical), at(1, 2));
  EXPECT_EQ(word(a, arch::niu_address(1, 0, kEndpointId)), 0x01010000u);
  EXPECT_EQ(word(a, arch::niu_base(0) + kNiuCfg0), 0x6000u);
  EXPECT_EQ(word(a, arch::niu_base(1) + kRouterCfg1) & 0x10180, 0x10180u);
}

TEST_F(NiuTest, CommandBufferReadsBackAsWrittenAfterIssue) {
  ASSERT_TRUE(
      issue(a, {.targ = 0x100, .targ_hi = at(1, 2) | 1u << 24, .ret = 0x200, .ret_hi = at(3, 4), .length = 16}, 1, 2));
  EXPECT_EQ(word(a, arch::niu_address(1, 2, kTargAddrHi)), at(1, 2) | 1u << 24);
  EXPECT_EQ(word(a, arch::niu_address(1, 2, kRetAddrHi)), at(3, 4));
  EXPECT_EQ(word(a, arch::niu_address(1, 2, kCmdCtrl)), 0u);
}

TEST_F(NiuTest, WriteArrivesThenIsAcknowledged) {
  const auto data = pattern(200);
  ASSERT_TRUE(a.host_write(0x1234, data));
  ASSERT_TRUE(issue(
      a, {.targ = 0x1234, .targ_hi = at(1, 2), .ret = 0x5004, .ret_hi = at(3, 4), .length = 200, .tag = 5 << 10}));
  EXPECT_EQ(counter(a, kMstNonpostedWrReqSent), 1u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId + 5), 1u);
  EXPECT_EQ(counter(a, kMstWriteReqsOutgoingId + 5), 0u);
  // The payload was copied at issue.
  ASSERT_TRUE(a.host_write(0x1234, pattern(200, 77)));
  world.run(256);
  EXPECT_EQ(bytes_at(b, 0x5004, 200), std::vector<uint8_t>(200));
  world.run(1024);
  EXPECT_EQ(bytes_at(b, 0x5004, 200), data);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 1u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId + 5), 0u);
  EXPECT_EQ(counter(a, kMstNonpostedWrDataWordSent), 4u);
  EXPECT_EQ(counter(b, kSlvNonpostedWrReqReceived), 1u);
  EXPECT_EQ(counter(b, kSlvNonpostedWrDataWordReceived), 4u);
  EXPECT_EQ(counter(b, kSlvWrAckSent), 1u);
}

TEST_F(NiuTest, PostedWriteIsNotAcknowledged) {
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordWritePosted, .targ = 0x100, .ret = 0x200, .ret_hi = at(3, 4), .length = 16}));
  world.run(2048);
  EXPECT_EQ(counter(a, kMstPostedWrReqSent), 1u);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 0u);
  EXPECT_EQ(counter(b, kSlvPostedWrReqReceived), 1u);
}

TEST_F(NiuTest, AcknowledgementGoesToTheTileInTargHi) {
  Tile& c = world.tile(5, 6);
  ASSERT_TRUE(issue(a, {.targ = 0x100, .targ_hi = at(5, 6), .ret = 0x200, .ret_hi = at(3, 4), .length = 16}));
  world.run(2048);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 0u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 1u);
  EXPECT_EQ(counter(c, kMstWrAckReceived), 1u);
  EXPECT_EQ(counter(c, kMstReqsOutstandingId), 0xFFu);
}

TEST_F(NiuTest, ReadSamplesWhenTheRequestArrivesAndCountsAfterTheData) {
  ASSERT_TRUE(b.host_write(0x8010, pattern(100)));
  ASSERT_TRUE(issue(
      a, {.ctrl = kCtrlWordRead, .targ = 0x8010, .targ_hi = at(3, 4), .ret = 0x9010, .ret_hi = at(1, 2), .length = 100},
      1));
  ASSERT_TRUE(b.host_write(0x8010, pattern(100, 50)));
  EXPECT_EQ(counter(a, kMstRdRespReceived, 1), 0u);
  world.run(2048);
  EXPECT_EQ(bytes_at(a, 0x9010, 100), pattern(100, 50));
  EXPECT_EQ(counter(a, kMstRdRespReceived, 1), 1u);
  EXPECT_EQ(counter(a, kMstRdDataWordReceived, 1), 2u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId, 1), 0u);
  EXPECT_EQ(counter(b, kSlvRdReqReceived, 1), 1u);
  EXPECT_EQ(counter(b, kSlvRdRespSent, 1), 1u);
  EXPECT_EQ(counter(b, kSlvRdReqReceived, 0), 2u);  // the two looks of the host at NIU 1, which come by NoC 0
}

TEST_F(NiuTest, LongReadAndWriteSplitIntoPacketsOf16KiB) {
  const auto data = pattern(40000);
  ASSERT_TRUE(a.host_write(0x10000, data));
  ASSERT_TRUE(issue(a, {.targ = 0x10000, .targ_hi = at(1, 2), .ret = 0x40000, .ret_hi = at(3, 4), .length = 40000}));
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 3u);
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kTargAddrLo)), 0x10000u + 2 * 16384);
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kRetAddrLo)), 0x40000u + 2 * 16384);
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kAtLenBe)), 40000u - 2 * 16384);
  world.run(4096);
  EXPECT_EQ(bytes_at(b, 0x40000, 40000), data);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 3u);
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordRead,
                        .targ = 0x40000,
                        .targ_hi = at(3, 4),
                        .ret = 0x80000,
                        .ret_hi = at(1, 2),
                        .length = 40000}));
  world.run(4096);
  EXPECT_EQ(bytes_at(a, 0x80000, 40000), data);
  EXPECT_EQ(counter(a, kMstRdRespReceived), 3u);
}

TEST_F(NiuTest, WritesFromOneSourceArriveInIssueOrder) {
  for (uint32_t i = 1; i <= 8; ++i) {
    ASSERT_TRUE(set(a, 0x100, i));
    ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordWritePosted, .targ = 0x100, .ret = 0x200, .ret_hi = at(3, 4), .length = 4}));
  }
  world.run(2048);
  EXPECT_EQ(word(b, 0x200), 8u);
}

TEST_F(NiuTest, OwnTilePacketsNeverLeaveTheTile) {
  ASSERT_TRUE(a.host_write(0x100, pattern(64)));
  ASSERT_TRUE(issue(a, {.targ = 0x100, .targ_hi = at(1, 2), .ret = 0x300, .ret_hi = at(1, 2), .length = 64}));
  EXPECT_TRUE(a.outbox().empty());
  a.run(256);
  EXPECT_EQ(bytes_at(a, 0x300, 64), pattern(64));
  EXPECT_EQ(counter(a, kMstWrAckReceived), 1u);
}

TEST_F(NiuTest, InlineWriteOf0x40CountsOnTheStreamOfAnotherTile) {
  ASSERT_TRUE(issue(
      a, {.ctrl = kCtrlWordInlinePosted, .targ = arch::stream_address(48, 270), .targ_hi = at(3, 4), .data = 0x40}, 0,
      3));
  EXPECT_EQ(counter(a, kMstPostedWrReqSent), 1u);
  EXPECT_EQ(counter(a, kMstPostedWrReqStarted), 1u);
  world.run(2048);
  EXPECT_EQ(word(b, arch::stream_address(48, 297)), 1u);
}

TEST_F(NiuTest, IncrementReturnsTheOldValueToTheIssuer) {
  ASSERT_TRUE(set(b, 0x400, 41));
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordAtomic,
                        .targ = 0x400,
                        .targ_hi = at(3, 4),
                        .ret = 4,
                        .ret_hi = at(1, 2),
                        .length = 0x107C,
                        .data = 1}));
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 1u);
  world.run(2048);
  EXPECT_EQ(word(b, 0x400), 42u);
  EXPECT_EQ(word(a, 4), 41u);
  EXPECT_EQ(counter(a, kMstAtomicRespReceived), 1u);
  EXPECT_EQ(counter(a, kMstNonpostedAtomicSent), 1u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 0u);
  EXPECT_EQ(counter(b, kSlvNonpostedAtomicReceived), 1u);
  EXPECT_EQ(counter(b, kSlvAtomicRespSent), 1u);
}

TEST_F(NiuTest, PostedAtomicLeavesTheReturnAddressAlone) {
  ASSERT_TRUE(set(a, 4, 99));
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlAtomic,
                        .targ = 0x404,
                        .targ_hi = at(3, 4),
                        .ret = 4,
                        .ret_hi = at(1, 2),
                        .length = 0x107D,
                        .data = 7}));
  world.run(2048);
  EXPECT_EQ(word(b, 0x404), 7u);
  EXPECT_EQ(word(a, 4), 99u);
}

TEST_F(NiuTest, FourByteWriteToARegisterActsLikeALocalStore) {
  ASSERT_TRUE(set(a, 0x20010, 0x47000));
  ASSERT_TRUE(
      issue(a, {.targ = 0x20010, .targ_hi = at(1, 2), .ret = arch::kSoftReset0, .ret_hi = at(3, 4), .length = 4}));
  world.run(2048);
  EXPECT_EQ(word(b, arch::kSoftReset0), 0x47000u);
  EXPECT_NE(b.hart(arch::Hart::Brisc).state().status, HartStatus::InReset);
}

TEST_F(NiuTest, ReadOfARegisterHasItsSideEffects) {
  ASSERT_TRUE(set(b, arch::kPicSwInt + 8, 123));
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordRead,
                        .targ = arch::kPicSwInt + 8,
                        .targ_hi = at(3, 4),
                        .ret = 0x100,
                        .ret_hi = at(1, 2),
                        .length = 4}));
  world.run(2048);
  EXPECT_EQ(word(a, 0x100), 123u);
  EXPECT_EQ(word(b, arch::kPicSwInt + 8), 0u);
}

TEST_F(NiuTest, ClearZeroesTheOutstandingCountersOfTheMask) {
  ASSERT_TRUE(
      issue(a, {.targ = 0x100, .targ_hi = at(1, 2), .ret = 0x200, .ret_hi = at(3, 4), .length = 16, .tag = 3 << 10}));
  ASSERT_TRUE(set(a, arch::niu_base(0) + kClearOutstandingReqCnt, 1 << 3));
  EXPECT_EQ(counter(a, kMstReqsOutstandingId + 3), 0u);
}

TEST_F(NiuTest, TranslationTablesAreRegisters) {
  // Let x = 3 mean raw column 1.
  const uint32_t table = word(a, arch::niu_base(0) + kXTranslateTable0);
  ASSERT_TRUE(set(a, arch::niu_base(0) + kXTranslateTable0, (table & ~(31u << 15)) | 1u << 15));
  Tile& c = world.tile(1, 4);
  ASSERT_TRUE(a.host_write(0x100, pattern(16)));
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordWritePosted, .targ = 0x100, .ret = 0x200, .ret_hi = at(3, 4), .length = 16}));
  world.run(1024);
  EXPECT_EQ(bytes_at(c, 0x200, 16), pattern(16));
}

TEST_F(NiuTest, OneFlitACycleLeavesAndAHeaderBeforeTheData) {
  ASSERT_TRUE(issue(a, {.ctrl = kCtrlWordWritePosted, .targ = 0x100, .ret = 0x200, .ret_hi = at(3, 4), .length = 128}));
  ASSERT_TRUE(issue(
      a, {.ctrl = kCtrlWordRead, .targ = 0x100, .targ_hi = at(3, 4), .ret = 0x200, .ret_hi = at(1, 2), .length = 128}));
  const auto& sent = a.outbox().messages();
  ASSERT_EQ(sent.size(), 2u);
  EXPECT_EQ(sent[0].sent, 3u);
  EXPECT_EQ(sent[1].sent, 4u);
}

TEST_F(NiuTest, CommandBufferStaysBusyWhileTheNiuIsFull) {
  const Request big{.ctrl = kCtrlWordWritePosted, .targ = 0x10000, .ret = 0x10000, .ret_hi = at(3, 4), .length = 16384};
  for (int i = 0; i < Niu::kPacketsHeld; ++i) ASSERT_TRUE(issue(a, big));
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kCmdCtrl)), 0u);
  ASSERT_TRUE(issue(a, big));
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kCmdCtrl)), 1u);
  EXPECT_EQ(word(a, arch::niu_address(0, 1, kCmdCtrl)), 0u) << "the other buffers are free";
  EXPECT_FALSE(set(a, arch::niu_address(0, 0, kCmdCtrl), 1));
  EXPECT_NE(the_fault(a).find("while its CMD_CTRL reads 1"), std::string::npos);
  world.run(512);  // the first packet of 257 flits has left
  EXPECT_EQ(word(a, arch::niu_address(0, 0, kCmdCtrl)), 0u);
}

// --- multicast ------------------------------------------------------------------------------------------------------

class MulticastTest : public NiuTest {
 protected:
  MulticastTest() {
    for (uint32_t y = 2; y <= 4; ++y) {
      for (uint32_t x = 1; x <= 3; ++x) world.tile(static_cast<int>(x), static_cast<int>(y));
    }
    EXPECT_TRUE(set(a, 0x100, 7));
  }
  /// "x,y x,y": the tiles of the 3x3 corner that received the word.
  std::string received() {
    world.run(2048);
    std::string out;
    for (int y = 2; y <= 4; ++y) {
      for (int x = 1; x <= 3; ++x) {
        if (word(world.tile(x, y), 0x200) == 7) out += fmt::format("{}{},{}", out.empty() ? "" : " ", x, y);
      }
    }
    return out;
  }
  Request request(uint32_t ctrl, uint32_t rectangle) {
    return {.ctrl = ctrl, .targ = 0x100, .targ_hi = at(1, 2), .ret = 0x200, .ret_hi = rectangle, .length = 4};
  }
};

TEST_F(MulticastTest, ReachesTheRectangleButNotTheSender) {
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(1, 2, 2, 3))));
  EXPECT_EQ(received(), "2,2 1,3 2,3");
  EXPECT_EQ(counter(a, kMstNonpostedWrReqSent), 1u);
  EXPECT_EQ(counter(a, kMstWrAckReceived), 3u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 0xFEu) << "+1 at issue, -3 by acknowledgements, in 8 bits";
}

TEST_F(MulticastTest, SourceIncludeAddsTheSender) {
  ASSERT_TRUE(issue(a, request(0x281B2, multicast_hi(1, 2, 2, 3))));
  EXPECT_EQ(received(), "1,2 2,2 1,3 2,3");
  EXPECT_EQ(counter(a, kMstWrAckReceived), 4u);
}

TEST_F(MulticastTest, Noc1CountsFromTheOtherCornerSoStartAndEndSwap) {
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(2, 3, 1, 2)), 1));
  EXPECT_EQ(received(), "2,2 1,3 2,3");
  EXPECT_EQ(counter(a, kMstWrAckReceived, 1), 3u);
}

TEST_F(MulticastTest, Noc0OrderOnNoc1WrapsAndSelectsTheComplementWithTheEdges) {
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(2, 3, 3, 3)), 1));
  EXPECT_EQ(received(), "1,3 2,3 3,3");
}

TEST_F(MulticastTest, EachReceiverConsultsItsOwnMasks) {
  Tile& out = world.tile(2, 3);
  ASSERT_TRUE(
      set(out, arch::niu_base(0) + kRouterCfg1, word(out, arch::niu_base(0) + kRouterCfg1) | 1u << out.id().x()));
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(1, 2, 2, 3))));
  EXPECT_EQ(received(), "2,2 1,3");
  EXPECT_EQ(counter(a, kMstWrAckReceived), 2u);
}

TEST_F(MulticastTest, ARectangleMaySpanColumnsWithoutTensixTiles) {
  Tile& far = world.tile(10, 2);
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(7, 2, 10, 2))));
  world.run(2048);
  EXPECT_EQ(word(far, 0x200), 7u);
  EXPECT_EQ(world.elsewhere.size(), 1u) << "(7,2) is in the rectangle too";
}

TEST_F(MulticastTest, NoReceiverMeansNoAcknowledgement) {
  ASSERT_TRUE(issue(a, request(0x81B2, multicast_hi(1, 2, 1, 2))));
  EXPECT_EQ(received(), "");
  EXPECT_EQ(counter(a, kMstNonpostedWrReqSent), 1u);
  EXPECT_EQ(counter(a, kMstReqsOutstandingId), 1u);
}

TEST_F(MulticastTest, ExclusionLeavesAnL) {
  Request r = request(0x81B2, multicast_hi(1, 2, 3, 4));
  const uint32_t x = static_cast<uint32_t>(world.tile(2, 2).id().x());  // exclusion compares raw coordinates
  r.exclude = x << 8 | 3u << 14 | 1u << 20 | 1u << 21 | 1u << 22;
  ASSERT_TRUE(issue(a, r));
  EXPECT_EQ(received(), "2,2 3,2 1,3 1,4");
}

TEST_F(MulticastTest, AtomicIncrementsEverywhere) {
  ASSERT_TRUE(issue(a, {.ctrl = 0x81B1,
                        .targ = 0x300,
                        .targ_hi = multicast_hi(1, 2, 2, 3),
                        .ret = 4,
                        .ret_hi = at(1, 2),
                        .length = 0x107C,
                        .data = 5}));
  world.run(2048);
  EXPECT_EQ(word(world.tile(2, 2), 0x300), 5u);
  EXPECT_EQ(word(world.tile(2, 3), 0x300), 5u);
  EXPECT_EQ(word(a, 0x300), 0u);
  EXPECT_EQ(counter(a, kMstAtomicRespReceived), 3u);
}

// --- refusals -------------------------------------------------------------------------------------------------------

struct Bad {
  const char* what;
  Request request;
  const char* text;
};

class RefusalTest : public NiuTest, public ::testing::WithParamInterface<Bad> {};

TEST_P(RefusalTest, FaultsAndSendsNothing) {
  EXPECT_FALSE(issue(a, GetParam().request));
  const std::string fault = the_fault(a);
  EXPECT_NE(fault.find(GetParam().text), std::string::npos) << fault;
  EXPECT_TRUE(a.outbox().empty());
  EXPECT_TRUE(a.inbox().empty());
  EXPECT_EQ(counter(a, kMstCmdAccepted), 0u);
}

const Request kWrite{.targ = 0x1000, .targ_hi = at(1, 2), .ret = 0x2000, .ret_hi = at(3, 4), .length = 64};
const Request kRead{
    .ctrl = kCtrlWordRead, .targ = 0x1000, .targ_hi = at(3, 4), .ret = 0x2000, .ret_hi = at(1, 2), .length = 64};
const Request kAtomicAdd{.ctrl = kCtrlWordAtomic,
                         .targ = 0x1000,
                         .targ_hi = at(3, 4),
                         .ret = 4,
                         .ret_hi = at(1, 2),
                         .length = 0x107C,
                         .data = 1};
const Request kInline{.ctrl = kCtrlWordInline, .targ = 0xFFB40028, .targ_hi = at(3, 4), .data = 1};

Request with(Request r, const std::function<void(Request&)>& change) {
  change(r);
  return r;
}

INSTANTIATE_TEST_SUITE_P(
    Niu, RefusalTest,
    ::testing::Values(
        Bad{"misaligned", with(kWrite, [](Request& r) { r.ret += 4; }),
            "Misaligned: NoC 0 write of 64 bytes from 0x1000 of Tensix tile (1,2), raw"},
        Bad{"misaligned2", with(kWrite, [](Request& r) { r.ret += 4; }),
            "differ in address bits [3:0] (0x0 against 0x4)"},
        Bad{"length", with(kWrite, [](Request& r) { r.length = 0; }), "the length (AT_LEN_BE) is 0"},
        Bad{"split",
            with(kWrite,
                 [](Request& r) {
                   r.length = 20000;
                   r.targ += 16;
                   r.ret += 16;
                 }),
            "aligned to 64 bytes"},
        Bad{"huge", with(kWrite, [](Request& r) { r.length = 0xFFFFFFFF; }), "the limit is 2 MiB"},
        Bad{"mid", with(kWrite, [](Request& r) { r.ret_mid = 1; }), "decodes 32 address bits"},
        Bad{"mid2", with(kRead, [](Request& r) { r.targ_mid = 0x10000000; }), "decodes 32 address bits"},
        Bad{"source end",
            with(kWrite,
                 [](Request& r) {
                   r.targ = 0x17FFF0;
                   r.ret = 0x0;
                 }),
            "the source runs past the end of L1"},
        Bad{"destination end", with(kWrite, [](Request& r) { r.ret = 0x17FFF0; }),
            "the destination runs past the end of L1"},
        Bad{"hole", with(kRead, [](Request& r) { r.targ = 0x200000; }), "nothing is mapped at the source"},
        Bad{"grid", with(kWrite, [](Request& r) { r.ret_hi = at(40, 2); }),
            "coordinate (40,2): the destination coordinate names no tile"},
        Bad{"harvested", with(kWrite, [](Request& r) { r.ret_hi = at(16, 5); }), "is harvested"},
        Bad{"router", with(kWrite, [](Request& r) { r.ret_hi = at(8, 4); }), "only a router"},
        Bad{"ack", with(kWrite, [](Request& r) { r.targ_hi = at(16, 5); }), "the acknowledged tile is harvested"},
        Bad{"dram",
            with(kRead,
                 [](Request& r) {
                   r.targ_hi = at(17, 12);
                   r.targ = 0x1010;
                 }),
            "bits [5:0] (0x10 against 0x0)"},
        Bad{"register length",
            with(kWrite,
                 [](Request& r) {
                   r.ret = 0xFFB40020;
                   r.length = 8;
                 }),
            "one aligned 32-bit word"},
        Bad{"register read",
            with(kRead,
                 [](Request& r) {
                   r.targ = 0xFFB40020;
                   r.length = 8;
                 }),
            "inside one aligned 32-bit word"},
        Bad{"broadcast read", with(kRead, [](Request& r) { r.ctrl |= kCtrlBroadcast; }),
            "a read cannot be a multicast"},
        Bad{"type", with(kWrite, [](Request& r) { r.ctrl |= 3; }), "request type 3 is reserved"},
        Bad{"accumulate", with(kWrite, [](Request& r) { r.ctrl |= kCtrlL1AccAtEn; }), "accumulation on arrival"},
        Bad{"inline L1", with(kInline, [](Request& r) { r.targ = 0x100; }), "inline writes reach registers only"},
        Bad{"inline odd", with(kInline, [](Request& r) { r.targ = 0xFFB40022; }), "4-byte aligned"},
        Bad{"atomic register", with(kAtomicAdd, [](Request& r) { r.targ = 0xFFB40028; }), "NoC atomics act on L1 only"},
        Bad{"atomic dram", with(kAtomicAdd, [](Request& r) { r.targ_hi = at(17, 12); }), "NoC atomics act on L1 only"},
        Bad{"atomic opcode", with(kAtomicAdd, [](Request& r) { r.length = 0x9000; }), "atomic opcode 9"},
        Bad{"atomic result", with(kAtomicAdd, [](Request& r) { r.ret = 6; }), "result of an atomic"},
        Bad{"exclude wrap",
            with(kWrite,
                 [](Request& r) {
                   r.ctrl = 0x81B2;
                   r.ret_hi = multicast_hi(3, 2, 1, 2);
                   r.exclude = 1u << 22;
                 }),
            "wraps"}),
    [](const auto& param_info) {
      std::string n = param_info.param.what;
      for (char& c : n) c = c == ' ' ? '_' : c;
      return n;
    });

TEST_F(NiuTest, HostMemoryReadsAreDeliveredAtAnyAlignment) {
  EXPECT_TRUE(issue(a, with(kRead, [](Request& r) {
                      r.targ_hi = at(19, 24);
                      r.targ = 0x1001;
                    })));
}

TEST_F(NiuTest, UnknownRegistersFaultWithTheNearestName) {
  EXPECT_FALSE(set(a, arch::niu_base(0) + 0x70, 1));
  EXPECT_NE(the_fault(a).find("CLEAR_OUTSTANDING_REQ_CNT"), std::string::npos);
  uint8_t bytes[4];
  EXPECT_FALSE(a.host_read(arch::niu_base(1) + 0x3000, bytes));
  EXPECT_NE(the_fault(a).find("offset 0x3000 of NIU 1"), std::string::npos);
  EXPECT_TRUE(set(a, arch::niu_counter_address(0, 2), 5)) << "counters ignore stores";
  EXPECT_EQ(counter(a, 2), 0u);
}

TEST_F(NiuTest, APacketThatCannotBeAppliedIsAFaultOfTheReceiversInbox) {
  a.inbox().push({.arrival = 300,
                  .source = b.id(),
                  .destination = a.id(),
                  .kind = MessageKind::Write,
                  .address = 0x17FFF8,
                  .payload = Payload(16)});
  world.run(512);
  const auto faults = a.faults().take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].agent, Agent::Inbox);
  EXPECT_EQ(faults[0].cycle, 300u);
  EXPECT_NE(faults[0].what.find("write from Tensix tile (3,4)"), std::string::npos) << faults[0].what;
}

}  // namespace
}  // namespace kerr::emu

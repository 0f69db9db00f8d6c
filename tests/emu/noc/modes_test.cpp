// Programs that talk over the NoC compute the same, in the same cycles, with and without parking and under the
// reference scheduler.
#include <gtest/gtest.h>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using namespace arch::niu;
using isa::Assembler;
using isa::Label;

constexpr uint32_t kResult = 0x100;
constexpr uint32_t kFlag = 0x200;
constexpr uint32_t kData = 0x10000;

struct Outcome {
  uint64_t state;
  TileCounters a, b;
};

void expect_equal(const Outcome& got, const Outcome& expected) {
  EXPECT_EQ(got.state, expected.state);
  EXPECT_EQ(got.a.hart_instructions, expected.a.hart_instructions);
  EXPECT_EQ(got.b.hart_instructions, expected.b.hart_instructions);
  EXPECT_EQ(got.a.packets_sent, expected.a.packets_sent);
  EXPECT_EQ(got.b.packets_sent, expected.b.packets_sent);
}

// s0: base of NIU 0. Programs one command buffer from constants and issues.
void noc_request(Assembler& a, uint32_t buffer, const Request& r) {
  const auto put = [&](uint32_t offset, uint32_t value) {
    a.li(t0, value);
    a.sw(t0, s1, static_cast<int32_t>(offset));
  };
  a.li(s1, arch::niu_address(0, static_cast<int>(buffer), 0));
  const Label busy = a.here();
  a.lw(t0, s1, kCmdCtrl);
  a.bnez(t0, busy);
  put(kTargAddrLo, r.targ);
  put(kTargAddrHi, r.targ_hi);
  put(kRetAddrLo, r.ret);
  put(kRetAddrHi, r.ret_hi);
  put(kAtLenBe, r.length);
  put(kAtData, r.data);
  put(kCtrl, r.ctrl);
  put(kCmdCtrl, kCmdCtrlIssue);
}

// Spins until a counter of NIU 0 equals s2.
void wait_counter(Assembler& a, int index) {
  a.li(t0, arch::niu_counter_address(0, index));
  const Label loop = a.here();
  a.lw(t1, t0);
  a.bne(t1, s2, loop);
}

/// BRISC of A writes 32 blocks with a flag each to B; NCRISC of B waits for the flag in L1, sums, and increments a
/// semaphore of A.
Outcome ping_pong(Mode mode) {
  World world(mode);
  Tile& a_tile = world.tile(1, 2);
  Tile& b_tile = world.tile(10, 7);
  std::vector<uint8_t> data(4096);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<uint8_t>(i * 7);
  EXPECT_TRUE(a_tile.host_write(kData, data));
  start(a_tile, arch::Hart::Brisc, [](Assembler& a) {
    a.li(s2, 0);
    const Label loop = a.here();
    a.addi(s2, s2, 1);
    a.sw(s2, zero, kFlag);
    noc_request(a, 0,
                {.ctrl = kCtrlWordWrite,
                 .targ = kData,
                 .targ_hi = at(1, 2),
                 .ret = kData,
                 .ret_hi = at(10, 7),
                 .length = 4096});
    noc_request(a, 2,
                {.ctrl = kCtrlWordWritePosted,
                 .targ = kFlag,
                 .targ_hi = at(1, 2),
                 .ret = kFlag,
                 .ret_hi = at(10, 7),
                 .length = 4});
    wait_counter(a, kMstWrAckReceived);
    a.li(t0, kResult);  // until B has answered
    const Label answered = a.here();
    a.lw(t1, t0);
    a.fence();
    a.bne(t1, s2, answered);
    a.li(t0, 32);
    a.bne(s2, t0, loop);
  });
  start(b_tile, arch::Hart::Ncrisc, [](Assembler& a) {
    a.li(s2, 0);
    a.li(s3, 0);
    const Label loop = a.here();
    a.addi(s2, s2, 1);
    a.li(t0, kFlag);
    const Label waiting = a.here();
    a.lw(t1, t0);
    a.bne(t1, s2, waiting);
    a.li(t0, kData);
    a.li(t2, kData + 4096);
    const Label sum = a.here();
    a.lw(t1, t0);
    a.add(s3, s3, t1);
    a.addi(t0, t0, 4);
    a.bne(t0, t2, sum);
    a.sw(s3, zero, kResult);
    noc_request(a, 3,
                {.ctrl = kCtrlWordAtomic,
                 .targ = kResult,
                 .targ_hi = at(1, 2),
                 .ret = 4,
                 .ret_hi = at(10, 7),
                 .length = 0x107C,
                 .data = 1});
    wait_counter(a, kMstAtomicRespReceived);
    a.j(loop);
  });
  world.run(400'000);
  EXPECT_EQ(word(a_tile, kResult), 32u);
  EXPECT_EQ(counter(a_tile, kMstWrAckReceived), 32u);
  EXPECT_EQ(word(b_tile, 4), 31u);
  EXPECT_EQ(b_tile.next_event() == kNever, mode == Mode::Fast) << "the consumer is parked";
  // With everybody brought up to date, skipped instructions included.
  for (Tile* tile : {&a_tile, &b_tile}) (void)word(*tile, arch::kPcSnapshotBase);
  return {world.state_hash(), a_tile.counters(), b_tile.counters()};
}

TEST(Modes, PingPongIsTheSameInAllOfThem) {
  const Outcome reference = ping_pong(Mode::Reference);
  expect_equal(ping_pong(Mode::NoParking), reference);
  expect_equal(ping_pong(Mode::Fast), reference);
}

/// A circular buffer on stream 9 between BRISC and NCRISC of one tile, filled by reads from another tile, with a clock
/// in between.
Outcome reader(Mode mode) {
  World world(mode);
  Tile& a_tile = world.tile(2, 3);
  Tile& b_tile = world.tile(4, 4);
  for (uint32_t i = 0; i < 64; ++i) set(b_tile, kData + 64 * i, 1000 + i);
  start(a_tile, arch::Hart::Brisc, [](Assembler& a) {  // producer: four slots of 64 bytes
    a.li(s2, 0);
    a.li(s4, arch::stream_address(9, 8));
    a.li(s5, arch::stream_address(9, 10));
    a.li(s6, kData);
    a.li(s1, arch::niu_address(0, 1, 0));
    const auto put = [&](uint32_t offset, uint32_t value) {
      a.li(t0, value);
      a.sw(t0, s1, static_cast<int32_t>(offset));
    };
    put(kTargAddrHi, at(4, 4));
    put(kRetAddrHi, at(2, 3));
    put(kAtLenBe, 64);
    put(kCtrl, kCtrlWordRead);
    const Label loop = a.here();
    const Label full = a.here();
    a.lw(t1, s4);
    a.lw(t2, s5);
    a.sub(t1, t2, t1);
    a.zext_h(t1, t1);
    a.li(t0, 4);
    a.bgeu(t1, t0, full);
    a.andi(t1, t2, 3);
    a.slli(t1, t1, 6);
    a.li(t0, 0x8000);
    a.add(t1, t1, t0);
    a.sw(t1, s1, kRetAddrLo);
    a.sw(s6, s1, kTargAddrLo);
    a.addi(s6, s6, 64);
    put(kCmdCtrl, 1);
    a.addi(s2, s2, 1);
    wait_counter(a, kMstRdRespReceived);
    a.sw(s2, s5);
    a.li(t0, 64);
    a.bne(s2, t0, loop);
  });
  start(a_tile, arch::Hart::Ncrisc, [](Assembler& a) {  // consumer, slow: 300 cycles by the clock for each
    a.li(s2, 0);
    a.li(s3, 0);
    a.li(s4, arch::stream_address(9, 8));
    a.li(s5, arch::stream_address(9, 10));
    const Label loop = a.here();
    const Label empty = a.here();
    a.lw(t1, s5);
    a.beq(t1, s2, empty);
    a.andi(t1, s2, 3);
    a.slli(t1, t1, 6);
    a.li(t0, 0x8000);
    a.add(t0, t0, t1);
    a.lw(t1, t0);
    a.add(s3, s3, t1);
    a.sw(s3, zero, kResult);
    a.li(t0, arch::kWallClockL);
    a.lw(t1, t0);
    const Label delay = a.here();
    a.lw(t2, t0);
    a.sub(t2, t2, t1);
    a.li(t3, 300);
    a.bltu(t2, t3, delay);
    a.addi(s2, s2, 1);
    a.sw(s2, s4);
    a.j(loop);
  });
  world.run(100'000);
  EXPECT_EQ(word(a_tile, kResult), 64u * 1000 + 63 * 32);
  for (Tile* tile : {&a_tile, &b_tile}) (void)word(*tile, arch::kPcSnapshotBase);
  return {world.state_hash(), a_tile.counters(), b_tile.counters()};
}

TEST(Modes, CircularBufferWithAClockIsTheSameInAllOfThem) {
  const Outcome reference = reader(Mode::Reference);
  expect_equal(reader(Mode::NoParking), reference);
  expect_equal(reader(Mode::Fast), reference);
}

}  // namespace
}  // namespace kerr::emu

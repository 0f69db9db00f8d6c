// Loops of the public microbenchmarks of a Blackhole, in raw cycles an iteration (docs/hardware/timing.md 2.2, 2.3): a
// payload and a counted loop of three instructions.
#include "emu/timing/hart_timer.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "isa/assembler.hpp"

namespace kerr::emu::timing {
namespace {

using namespace isa::reg;
using isa::riscv::Instruction;

// Executes straight-line code again and again as if all its branches went back to the top; loads and stores reach
// `region`.
double cycles_per_turn(const std::function<void(isa::Assembler&)>& payload, Region region,
                       const Parameters& parameters = {}) {
  isa::Assembler a;
  const isa::Label top = a.here();
  payload(a);
  a.addi(s0, s0, -1);
  a.addi(s1, s1, 1);
  a.bnez(s0, top);
  const isa::Code code = a.finish();
  std::vector<Instruction> instructions;
  for (uint32_t at = 0; at < code.bytes.size(); at += 4) instructions.push_back(isa::riscv::decode(code.word_at(at)));

  HartTimer timer(parameters);
  constexpr int warm = 40, turns = 400;
  Cycle begin = 0, now = 0;
  for (int turn = 0; turn < warm + turns; ++turn) {
    for (size_t n = 0; n < instructions.size(); ++n) {
      const Instruction& i = instructions[n];
      now = timer.start_of(i);
      if (turn == warm && n == 0) begin = now;
      const auto address = static_cast<uint32_t>(0x1000 + i.imm);
      timer.started(i, now,
                    {.region = region,
                     .address = address,
                     .dividend = 5,
                     .divisor = 3,
                     .taken = n + 1 == instructions.size(),
                     .pc = static_cast<uint32_t>(4 * n)});
    }
  }
  timer.start_of(instructions[0]);
  return static_cast<double>(timer.start_of(instructions[0]) - begin) / turns;
}

TEST(HartTimer, ArithmeticTakesWhatSiliconTakes) {
  EXPECT_EQ(cycles_per_turn([](auto&) {}, Region::None), 3.00);
  // clang-format off
  EXPECT_EQ(cycles_per_turn([](auto& a) { for (int i = 0; i < 8; ++i) a.addi(t0, t0, 1); }, Region::None), 11.00);
  EXPECT_EQ(cycles_per_turn([](auto& a) { for (int i = 0; i < 4; ++i) a.mul(t0, t0, t0); }, Region::None), 10.00);
  EXPECT_EQ(cycles_per_turn([](auto& a) { for (const isa::Reg r : {t0, t1, t2, t3}) a.mul(r, a0, a1); }, Region::None), 7.00);
  EXPECT_EQ(cycles_per_turn([](auto& a) { a.fence(); }, Region::None), 7.00);
  EXPECT_EQ(cycles_per_turn([](auto& a) { for (int i = 0; i < 4; ++i) a.csrr(t0, 0x7C0); }, Region::None), 19.00);
  // clang-format on
}

TEST(HartTimer, FusedPushesTakeOneCycleTogether) {
  HartTimer timer(kBlackhole);
  isa::Assembler a;
  for (int i = 0; i < 8; ++i) a.ttinsn(0x02000000);
  const isa::Code code = a.finish();
  Cycle first = 0, now = 0;
  for (uint32_t at = 0; at < code.bytes.size(); at += 4) {
    const Instruction push = isa::riscv::decode(code.word_at(at));
    now = timer.start_of(push);
    if (at == 0) first = now;
    timer.started(push, now, {.fused = at % 16 != 12});
  }
  EXPECT_EQ(now - first, 1u) << "eight pushes in two fetches";
}

TEST(HartTimer, SmallDividendsDivideInSixCycles) {
  EXPECT_EQ(cycles_per_turn([](auto& a) { a.divu(t0, a0, a1); }, Region::None), 3.00 + 6.00);
}

TEST(HartTimer, LoadsTakeWhatSiliconTakes) {
  const auto one = [](auto& a) { a.lw(t0, a0); };
  EXPECT_EQ(cycles_per_turn(one, Region::Local), 4.00);
  EXPECT_EQ(cycles_per_turn(one, Region::Register), 5.00);
  EXPECT_EQ(cycles_per_turn(one, Region::L1), 5.50);
  const auto chase = [](auto& a) { a.lw(a0, a0); };
  EXPECT_EQ(cycles_per_turn(chase, Region::Local), 4.00);
  EXPECT_EQ(cycles_per_turn(chase, Region::L1), 8.00);
  // Bursts of independent loads come out up to a tenth too slow (timing.md 2.3).
  // clang-format off
  EXPECT_NEAR(cycles_per_turn([](auto& a) { for (int i = 0; i < 8; ++i) a.lw(t0, a0, 64 * i); }, Region::L1), 16.0, 1.6);
  // clang-format on
}

TEST(HartTimer, WhatALoadCoversCostsNothing) {
  for (const int fillers : {0, 1, 2, 4}) {
    const auto use = [&](auto& a) {
      a.lw(t0, a0);
      for (int i = 0; i < fillers; ++i) a.addi(t2, t2, 1);
      a.add(t1, t1, t0);
    };
    EXPECT_EQ(cycles_per_turn(use, Region::L1), 12.00) << fillers;
  }
}

TEST(HartTimer, StoresTakeASlotEachAndALoadOfTheSameBytesWaits) {
  EXPECT_EQ(cycles_per_turn([](auto& a) { a.sw(t0, a0); }, Region::L1), 4.00);
  // clang-format off
  EXPECT_EQ(cycles_per_turn([](auto& a) { for (int i = 0; i < 4; ++i) a.sw(t0, a0, 4 * i); }, Region::L1), 7.00);
  // clang-format on
  const auto store_load = [](auto& a) {
    a.sw(t0, a0);
    a.lw(t1, a0);
  };
  EXPECT_NEAR(cycles_per_turn(store_load, Region::L1), 9.5, 0.5);
  EXPECT_NEAR(cycles_per_turn(store_load, Region::Local), 6.0, 0.5);
}

// docs/hardware/tile.md 1.8: a fence, and an atomic, wait for an empty store queue; a fence for the results of loads
// too.
TEST(HartTimer, AFenceWaitsForTheStoresAndLoadsBeforeIt) {
  const auto store_fence = [](auto& a) { a.sw(t0, a0), a.fence(); };
  EXPECT_EQ(cycles_per_turn(store_fence, Region::Register), 8.00) << "a register takes it at once";
  EXPECT_EQ(cycles_per_turn(store_fence, Region::Local), 12.00);
  EXPECT_EQ(cycles_per_turn(store_fence, Region::L1), 12.00);
  EXPECT_EQ(cycles_per_turn([](auto& a) { a.lw(t0, a0), a.fence(); }, Region::L1), 8.0 + 4.0 + 3.0);
}

TEST(HartTimer, AGuessThatWasWrongCostsFourCyclesMore) {
  const Parameters p;
  HartTimer timer(p);
  const Instruction forward{.op = isa::riscv::Op::Beq, .imm = 8};
  timer.started(forward, 10, {.taken = false, .pc = 0x40});
  EXPECT_EQ(timer.start_of(forward), 11u);
  timer.started(forward, 11, {.taken = true, .pc = 0x40});
  EXPECT_EQ(timer.start_of(forward), 16u);
  timer.started(forward, 16, {.taken = true, .pc = 0x40});
  EXPECT_EQ(timer.start_of(forward), 17u);
}

TEST(HartTimer, RepeatsOnlyWhenAllThatIsInFlightRepeats) {
  const Parameters p;
  HartTimer a(p), b(p);
  const Instruction load{.op = isa::riscv::Op::Lw, .rd = 5, .rs1 = 10};
  a.started(load, 100, {.region = Region::L1, .address = 0});
  b.started(load, 300, {.region = Region::L1, .address = 0});
  EXPECT_TRUE(b.repeats(301, a, 101));
  EXPECT_FALSE(b.repeats(302, a, 101));
}

}  // namespace
}  // namespace kerr::emu::timing

// The PIC interrupts BRISC and NCRISC.   docs/hardware/tile.md 1.10, noc.md 2.5
#include <gtest/gtest.h>

#include <algorithm>

#include "arch/memory_map.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;

constexpr std::uint32_t kCount = 0x100, kValue = 0x104, kNumber = 0x108, kLoops = 0x10C;
constexpr std::uint32_t kHandler = 0xC000;

class Interrupts : public ::testing::TestWithParam<Mode> {
 protected:
  /// The handler counts, keeps INT_NO, reads (and so clears) the register at `source`, and returns.
  void plant_handler(std::uint32_t address, std::uint32_t source, std::uint32_t number = arch::kPicBriscIntNo) {
    isa::Assembler a;
    a.li(s10, kCount);
    a.lw(s11, s10, 0);
    a.addi(s11, s11, 1);
    a.sw(s11, s10, 0);
    a.li(s11, number);
    a.lw(s11, s11, 0);
    a.sw(s11, s10, kNumber - kCount);
    a.li(s11, source);
    a.lw(s11, s11, 0);
    a.sw(s11, s10, kValue - kCount);
    a.mret();
    EXPECT_TRUE(tile.host_write(address, a.finish(address).bytes));
  }
  /// Counts for ever, or polls a word that nobody writes.
  void start_loop(HartIndex hart, bool polls) {
    start(tile, hart, [polls](isa::Assembler& a) {
      a.li(s0, kLoops);
      const isa::Label top = a.here();
      if (polls) {
        a.lw(t0, s0, 0x100);
        a.beqz(t0, top);
      } else {
        a.addi(s1, s1, 1);
        a.sw(s1, s0, 0);
        a.j(top);
      }
    });
  }
  World world{GetParam()};
  Tile& tile = world.tile();
};
INSTANTIATE_TEST_SUITE_P(Modes, Interrupts, ::testing::ValuesIn(kModes));

TEST_P(Interrupts, CallTheHandlerOnceForEachTimeThatSomethingIsRaised) {
  plant_handler(kHandler, arch::kPicSwInt + 4 * 5);
  set(tile, arch::kPicSwIntPc + 4 * 5, kHandler);
  set(tile, arch::kPicBriscSwIntEn, 1u << 5);
  EXPECT_EQ(word(tile, arch::kPicBriscSwIntEn), 1u << 5);
  start_loop(HartIndex::Brisc, false);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), 0u);
  set(tile, arch::kPicSwInt + 4 * 5, 77);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kValue), 77u);
  EXPECT_EQ(word(tile, kNumber), 5u);
  const std::uint32_t loops = word(tile, kLoops);
  set(tile, arch::kPicSwInt + 4 * 5, 78);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), 2u);
  EXPECT_GT(word(tile, kLoops), loops);
  EXPECT_EQ(the_fault(tile), "");
}

TEST_P(Interrupts, ReachAHartThatPolls) {
  plant_handler(kHandler, arch::kPicSwInt, arch::kPicNcriscIntNo);
  set(tile, arch::kPicSwIntPc, kHandler);
  set(tile, arch::kPicNcriscSwIntEn, 1);
  start_loop(HartIndex::Ncrisc, true);
  world.run(4096);
  EXPECT_EQ(tile.hart(HartIndex::Ncrisc).state() == Hart::State::Parked, GetParam() == Mode::Fast);
  set(tile, arch::kPicSwInt, 9);
  world.run(4096);
  EXPECT_EQ(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kValue), 9u);
  EXPECT_EQ(tile.hart(HartIndex::Ncrisc).state() == Hart::State::Parked, GetParam() == Mode::Fast);
}

TEST_P(Interrupts, AreLeftAloneWhileNobodyEnablesThem) {
  set(tile, arch::kPicBriscSwIntEn, 2);
  start_loop(HartIndex::Brisc, false);
  set(tile, arch::kPicSwInt, 9);
  world.run(1024);
  EXPECT_EQ(word(tile, arch::kPicSwInt), 9u);
  EXPECT_EQ(word(tile, arch::kPicBriscIntNo), 0u);
}

TEST_P(Interrupts, TakeTurns) {
  for (const std::uint32_t irq : {1u, 2u}) {
    plant_handler(kHandler + 0x1000 * irq, arch::kPicSwInt + 4 * 9);  // does not clear its own
    set(tile, arch::kPicSwIntPc + 4 * irq, kHandler + 0x1000 * irq);
    set(tile, arch::kPicSwInt + 4 * irq, 1);
  }
  set(tile, arch::kPicBriscSwIntEn, 6);
  start_loop(HartIndex::Brisc, false);
  std::vector<std::uint32_t> numbers;
  for (int i = 0; i < 12; ++i) {
    world.run(kRelaxedWindowCycles);
    numbers.push_back(word(tile, kNumber));
  }
  EXPECT_GT(word(tile, kCount), 10u);
  EXPECT_NE(std::count(numbers.begin(), numbers.end(), 1u) + std::count(numbers.begin(), numbers.end(), 2u), 0);
  EXPECT_GT(word(tile, kLoops), 0u);
}

TEST_P(Interrupts, OfANiuSayThatATransactionIdHasNothingOutstanding) {
  namespace niu = arch::niu;
  Tile& other = world.tile(2, 2);
  set(other, 0x8000, 5);
  plant_handler(kHandler, arch::niu_address(0, 0, niu::kTransCountRtzNum));
  set(tile, arch::kPicHwIntPc + 4, kHandler);
  set(tile, arch::kPicBriscHwIntEn, 2);
  set(tile, arch::niu_address(0, 0, niu::kTransCountRtzCfg), 1u << 3);
  start_loop(HartIndex::Brisc, false);
  issue(tile, {.ctrl = niu::kCtrlWordRead, .targ = 0x8000, .targ_hi = at(2, 2), .ret = 0x8000, .ret_hi = at(1, 2), .length = 4,
               .tag = 4u << 10});  // id 4 has no interrupt
  world.run(2048);
  EXPECT_EQ(word(tile, kCount), 0u);
  issue(tile, {.ctrl = niu::kCtrlWordRead, .targ = 0x8000, .targ_hi = at(2, 2), .ret = 0x8000, .ret_hi = at(1, 2), .length = 4,
               .tag = 3u << 10});
  world.run(1024);
  EXPECT_GE(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kNumber), 33u);
  EXPECT_EQ(word(tile, arch::niu_address(0, 0, niu::kTransCountRtzSource)), 1u << 4);
  const std::uint32_t count = word(tile, kCount);
  EXPECT_EQ(word(tile, arch::kPicHwInt + 4), 1u);  // the handler read the NIU's register, not this one
  world.run(1024);
  EXPECT_GE(word(tile, kCount), count);
  const std::uint32_t settled = word(tile, kCount);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), settled);
}

TEST_P(Interrupts, WriteNoCsrInAHandler) {
  isa::Assembler a;
  a.li(t0, 1);
  a.csrw(0x7C1, t0);
  ASSERT_TRUE(tile.host_write(kHandler, a.finish(kHandler).bytes));
  set(tile, arch::kPicSwIntPc, kHandler);
  set(tile, arch::kPicBriscSwIntEn, 1);
  start_loop(HartIndex::Brisc, false);
  set(tile, arch::kPicSwInt, 1);
  world.run(1024);
  EXPECT_NE(the_fault(tile).find("in an interrupt handler"), std::string::npos);
}

TEST(InterruptsAlike, WithAndWithoutParkingAndUnderTheReferenceScheduler) {
  std::vector<std::uint64_t> states;
  for (const Mode mode : kModes) {
    World world(mode);
    Tile& tile = world.tile();
    isa::Assembler a;
    a.csrr(s9, 0xBCA);
    a.sw(s9, zero, kNumber);
    a.li(s11, arch::kPicSwInt);
    a.lw(s11, s11, 0);
    a.sw(s11, zero, kValue);
    a.mret();
    ASSERT_TRUE(tile.host_write(kHandler, a.finish(kHandler).bytes));
    set(tile, arch::kPicSwIntPc, kHandler);
    set(tile, arch::kPicBriscSwIntEn, 1);
    start(tile, HartIndex::Brisc, [](isa::Assembler& p) {
      p.li(s0, kLoops);
      const isa::Label top = p.here();
      p.lw(t0, s0, 0);
      p.addi(t1, t0, 5);
      p.addi(t2, t1, 5);
      p.beqz(t0, top);
    });
    start(tile, HartIndex::Trisc0, [](isa::Assembler& p) {
      p.li(s0, 321);
      const isa::Label top = p.here();
      p.addi(s0, s0, -1);
      p.bnez(s0, top);
      p.li(t0, arch::kPicSwInt);
      p.li(t1, 4);
      p.sw(t1, t0, 0);
    });
    world.run(4096);
    EXPECT_EQ(word(tile, kValue), 4u);
    states.push_back(world.state_hash());
  }
  EXPECT_EQ(states[1], states[0]);
  EXPECT_EQ(states[2], states[0]);
}

TEST(InterruptsInExactTiming, AreRefused) {
  World world(Mode::Fast, Timing::Exact);
  EXPECT_FALSE(set(world.tile(), arch::kPicBriscSwIntEn, 1));
  EXPECT_NE(the_fault(world.tile()).find("exact timing does not deliver interrupts"), std::string::npos);
}

TEST(Mret, OutsideAHandlerIsAFault) {
  World world;
  start(world.tile(), HartIndex::Brisc, [](isa::Assembler& a) { a.mret(); });
  world.run(1024);
  EXPECT_NE(the_fault(world.tile()).find("mret outside an interrupt handler"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu

// The PIC interrupts BRISC and NCRISC.   docs/hardware/tile.md 1.10, noc.md 2.5
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <tuple>

#include "arch/memory_map.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;

constexpr uint32_t kCount = 0x100, kValue = 0x104, kNumber = 0x108, kLoops = 0x10C;
constexpr uint32_t kHandler = 0xC000;

class Interrupts : public ::testing::TestWithParam<std::tuple<Mode, Timing>> {
 protected:
  /// The handler counts, keeps INT_NO, reads (and so clears) the register at `source`, and returns.
  void plant_handler(uint32_t address, uint32_t source, uint32_t number = arch::kPicBriscIntNo) {
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
  /// Counts forever, or polls a word that nobody writes.
  void start_loop(arch::Hart hart, bool polls) {
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
  Mode mode() const { return std::get<0>(GetParam()); }
  World world{mode(), std::get<1>(GetParam())};
  Tile& tile = world.tile();
};
INSTANTIATE_TEST_SUITE_P(Modes, Interrupts,
                         ::testing::Combine(::testing::ValuesIn(kModes),
                                            ::testing::Values(Timing::Relaxed, Timing::Exact)));

TEST_P(Interrupts, CallTheHandlerOnceForEachTimeThatSomethingIsRaised) {
  plant_handler(kHandler, arch::kPicSwInt + 4 * 5);
  set(tile, arch::kPicSwIntPc + 4 * 5, kHandler);
  set(tile, arch::kPicBriscSwIntEn, 1u << 5);
  EXPECT_EQ(word(tile, arch::kPicBriscSwIntEn), 1u << 5);
  start_loop(arch::Hart::Brisc, false);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), 0u);
  set(tile, arch::kPicSwInt + 4 * 5, 77);
  world.run(1024);
  EXPECT_EQ(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kValue), 77u);
  EXPECT_EQ(word(tile, kNumber), 5u);
  const uint32_t loops = word(tile, kLoops);
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
  start_loop(arch::Hart::Ncrisc, true);
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Ncrisc).state().parked(), mode() == Mode::Fast);
  set(tile, arch::kPicSwInt, 9);
  world.run(4096);
  EXPECT_EQ(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kValue), 9u);
  EXPECT_EQ(tile.hart(arch::Hart::Ncrisc).state().parked(), mode() == Mode::Fast);
}

TEST_P(Interrupts, AreLeftAloneWhileNobodyEnablesThem) {
  set(tile, arch::kPicBriscSwIntEn, 2);
  start_loop(arch::Hart::Brisc, false);
  set(tile, arch::kPicSwInt, 9);
  world.run(1024);
  EXPECT_EQ(word(tile, arch::kPicSwInt), 9u);
  EXPECT_EQ(word(tile, arch::kPicBriscIntNo), 0u);
}

TEST_P(Interrupts, TakeTurns) {
  for (const uint32_t irq : {1u, 2u}) {
    plant_handler(kHandler + 0x1000 * irq, arch::kPicSwInt + 4 * 9);  // does not clear its own
    set(tile, arch::kPicSwIntPc + 4 * irq, kHandler + 0x1000 * irq);
    set(tile, arch::kPicSwInt + 4 * irq, 1);
  }
  set(tile, arch::kPicBriscSwIntEn, 6);
  start_loop(arch::Hart::Brisc, false);
  std::vector<uint32_t> numbers;
  for (int i = 0; i < 12; ++i) {
    world.run(kRelaxedWindowCycles);
    numbers.push_back(word(tile, kNumber));
  }
  EXPECT_GT(word(tile, kCount), 10u);
  EXPECT_NE(std::count(numbers.begin(), numbers.end(), 1u) + std::count(numbers.begin(), numbers.end(), 2u), 0);
  // Between quanta the loop has its turn; between instructions a handler that clears nothing is called again at once.
  EXPECT_EQ(word(tile, kLoops) > 0, std::get<1>(GetParam()) == Timing::Relaxed);
}

TEST_P(Interrupts, OfANiuSayThatATransactionIdHasNothingOutstanding) {
  namespace niu = arch::niu;
  Tile& other = world.tile(2, 2);
  set(other, 0x8000, 5);
  plant_handler(kHandler, arch::niu_address(0, 0, niu::kTransCountRtzNum));
  set(tile, arch::kPicHwIntPc + 4, kHandler);
  set(tile, arch::kPicBriscHwIntEn, 2);
  set(tile, arch::niu_address(0, 0, niu::kTransCountRtzCfg), 1u << 3);
  start_loop(arch::Hart::Brisc, false);
  const auto read_with_id = [&](uint32_t id) {
    issue(tile, {.ctrl = niu::kCtrlWordRead,
                 .targ = 0x8000,
                 .targ_hi = at(2, 2),
                 .ret = 0x8000,
                 .ret_hi = at(1, 2),
                 .length = 4,
                 .tag = id << 10});
  };
  read_with_id(4);  // it has no interrupt
  world.run(2048);
  EXPECT_EQ(word(tile, kCount), 0u);
  read_with_id(3);
  world.run(1024);
  EXPECT_GE(word(tile, kCount), 1u);
  EXPECT_EQ(word(tile, kNumber), 33u);
  EXPECT_EQ(word(tile, arch::niu_address(0, 0, niu::kTransCountRtzSource)), 1u << 4);
  const uint32_t count = word(tile, kCount);
  EXPECT_EQ(word(tile, arch::kPicHwInt + 4), 1u);  // the handler read the NIU's register, not this one
  world.run(1024);
  EXPECT_GE(word(tile, kCount), count);
  const uint32_t settled = word(tile, kCount);
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
  start_loop(arch::Hart::Brisc, false);
  set(tile, arch::kPicSwInt, 1);
  world.run(1024);
  EXPECT_NE(the_fault(tile).find("in an interrupt handler"), std::string::npos);
}

TEST(InterruptsAlike, WithAndWithoutParkingAndUnderTheReferenceScheduler) {
  std::vector<uint64_t> states;
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
    start(tile, arch::Hart::Brisc, [](isa::Assembler& p) {
      p.li(s0, kLoops);
      const isa::Label top = p.here();
      p.lw(t0, s0, 0);
      p.addi(t1, t0, 5);
      p.addi(t2, t1, 5);
      p.beqz(t0, top);
    });
    start(tile, arch::Hart::Trisc0, [](isa::Assembler& p) {
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

// --- exact timing ---

// BRISC counts in a loop of one cycle a turn; TRISC0 raises at a cycle that it knows. No turn may be lost or done
// twice.
TEST(InterruptsInExactTiming, ComeBetweenTwoInstructionsInTheOrderOfCycles) {
  std::vector<uint32_t> raised, taken;
  for (const Mode mode : kModes) {
    World world(mode, Timing::Exact);
    Tile& tile = world.tile();
    isa::Assembler a;
    a.csrr(s11, 0xC00);
    a.sw(s11, zero, kValue);
    a.sw(s1, zero, kLoops);
    a.li(s11, arch::kPicSwInt);
    a.lw(s11, s11, 0);
    a.mret();
    ASSERT_TRUE(tile.host_write(kHandler, a.finish(kHandler).bytes));
    set(tile, arch::kPicSwIntPc, kHandler);
    start(tile, arch::Hart::Brisc, [](isa::Assembler& p) {
      p.li(t0, arch::kPicBriscSwIntEn);
      p.li(t1, 1);
      p.sw(t1, t0, 0);
      const isa::Label top = p.here();
      p.addi(s1, s1, 1);
      p.j(top);
    });
    start(tile, arch::Hart::Trisc0, [](isa::Assembler& p) {
      p.li(t0, arch::kPicSwInt);
      p.li(s0, 200);
      const isa::Label top = p.here();
      p.addi(s0, s0, -1);
      p.bnez(s0, top);
      p.csrr(t2, 0xC00);
      p.sw(s0, t0, 0);  // 0: nothing
      p.sw(t0, t0, 0);
      p.sw(t2, zero, kCount);
    });
    world.run(4096);
    EXPECT_EQ(the_fault(tile), "");
    raised.push_back(word(tile, kCount));
    taken.push_back(word(tile, kValue));
    EXPECT_GT(word(tile, kLoops), 0u);
    EXPECT_GE(taken.back(), raised.back());
    EXPECT_LE(taken.back(), raised.back() + 32) << "it waits for nothing but the instruction that runs";
  }
  EXPECT_EQ(taken, std::vector<uint32_t>(taken.size(), taken[0]));
}

constexpr uint32_t kHandlers = 0x10000, kShared = 0x12000;  // beyond the code of five harts

/// Harts with handlers among loops that compute, load, poll, wait and divide, and everybody raises. From a seed.
uint64_t raced(unsigned seed, Mode mode, uint32_t& interrupts) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  World world(mode, Timing::Exact);
  Tile& tile = world.tile();
  const uint32_t sources = 1 + below(3);
  for (uint32_t i = 0; i < sources; ++i) {
    isa::Assembler a;
    const uint32_t handler = kHandlers + 0x400 * i;
    a.li(s10, kCount + 4 * i);
    a.amoadd_w(s9, s8, s10);  // s8 is 1
    for (uint32_t n = below(6); n > 0; --n) a.mul(s9, s9, s10);
    a.add(s7, s7, s1);  // what the loop had computed
    a.li(s11, arch::kPicSwInt + 4 * i);
    below(2) ? a.lw(s11, s11, 0) : a.sw(zero, s11, 0);
    a.mret();
    EXPECT_TRUE(tile.host_write(handler, a.finish(handler).bytes));
    set(tile, arch::kPicSwIntPc + 4 * i, handler);
  }
  for (const arch::Hart hart : {arch::Hart::Brisc, arch::Hart::Ncrisc}) {
    const bool by_host = below(3) == 0;
    const uint32_t enables = hart == arch::Hart::Brisc ? arch::kPicBriscSwIntEn : arch::kPicNcriscSwIntEn;
    const uint32_t mask = 1 + below((1u << sources) - 1);
    if (by_host) set(tile, enables, mask);
    start(tile, hart, [&](isa::Assembler& p) {
      p.li(s8, 1);
      p.li(s0, kLoops);
      p.li(s3, kShared);
      if (!by_host) {
        p.li(t0, enables);
        p.li(t1, mask);
        p.sw(t1, t0, 0);
      }
      const isa::Label top = p.here();
      for (uint32_t n = 1 + below(6); n > 0; --n) {
        switch (below(7)) {
          case 0: p.addi(s1, s1, 3); break;
          case 1: p.mul(s1, s1, s3); break;
          case 2: p.divu(s2, s3, s1); break;
          case 3: p.lw(s4, s3, static_cast<int32_t>(4 * below(4))); break;
          case 4: p.sw(s1, s3, static_cast<int32_t>(4 * below(4))); break;
          case 5: p.add(s1, s1, s4); break;
          case 6: {  // a poll that the others end
            const isa::Label again = p.here();
            p.lw(t2, s3, 0x40);
            p.beqz(t2, again);
            break;
          }
        }
      }
      p.j(top);
    });
  }
  for (const arch::Hart hart : {arch::Hart::Trisc0, arch::Hart::Trisc1, arch::Hart::Trisc2}) {
    start(tile, hart, [&](isa::Assembler& p) {
      p.li(s3, kShared);
      for (uint32_t n = 3 + below(6); n > 0; --n) {
        p.li(s0, 1 + below(60));
        const isa::Label wait = p.here();
        p.addi(s0, s0, -1);
        p.bnez(s0, wait);
        p.li(t0, arch::kPicSwInt + 4 * below(sources));
        p.li(t1, 1 + below(9));
        p.sw(t1, t0, 0);
        p.li(t1, below(2));
        p.sw(t1, s3, 0x40);
      }
    });
  }
  for (int i = 0; i < 4; ++i) {
    world.run(256 + 64 * below(8));
    if (below(2)) set(tile, arch::kPicSwInt + 4 * below(sources), 7);
  }
  EXPECT_EQ(the_fault(tile), "") << "seed " << seed;
  interrupts = 0;
  for (uint32_t i = 0; i < sources; ++i) interrupts += word(tile, kCount + 4 * i);
  return world.state_hash();
}

TEST(InterruptsInExactTiming, AreTheSameUnderTheReferenceScheduler) {
  uint32_t all = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    uint32_t fast = 0, unparked = 0, reference = 0;
    const uint64_t state = raced(seed, Mode::Fast, fast);
    EXPECT_EQ(raced(seed, Mode::NoParking, unparked), state) << "seed " << seed;
    EXPECT_EQ(raced(seed, Mode::Reference, reference), state) << "seed " << seed;
    EXPECT_EQ(fast, reference) << "seed " << seed;
    all += reference;
  }
  EXPECT_GT(all, 200u);
}

TEST(InterruptsInExactTiming, AreEnabledFirstByTheHartTheHostOrInReset) {
  const auto enable_ncrisc = [](bool released, bool listens) {
    World world(Mode::Fast, Timing::Exact);
    Tile& tile = world.tile();
    if (listens) set(tile, arch::kPicNcriscSwIntEn, 2);
    if (released) start(tile, arch::Hart::Ncrisc, [](isa::Assembler& a) { a.j(a.here()); });
    start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
      a.li(t0, arch::kPicNcriscSwIntEn);
      a.li(t1, 1);
      a.sw(t1, t0, 0);
    });
    world.run(256);
    return the_fault(tile);
  };
  EXPECT_NE(enable_ncrisc(true, false).find("by somebody else: in exact timing the hart may be ahead of it"),
            std::string::npos);
  EXPECT_EQ(enable_ncrisc(false, false), "");
  EXPECT_EQ(enable_ncrisc(true, true), "");
}

TEST(Mret, OutsideAHandlerIsAFault) {
  World world;
  start(world.tile(), arch::Hart::Brisc, [](isa::Assembler& a) { a.mret(); });
  world.run(1024);
  EXPECT_NE(the_fault(world.tile()).find("mret outside an interrupt handler"), std::string::npos);
}

}  // namespace
}  // namespace kerr::emu

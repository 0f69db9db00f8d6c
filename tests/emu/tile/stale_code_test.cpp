// Code that is overwritten while a hart still holds the old one in its instruction cache.   docs/hardware/tile.md 1.6
#include <gtest/gtest.h>

#include "arch/memory_map.hpp"
#include "isa/riscv/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using isa::riscv::Op;

constexpr uint32_t kFunction = 0x9000, kResult = 0x100, kGo = 0x104, kTurns = 0x108;

uint32_t word_of(Op op, unsigned rd, unsigned rs1, int32_t imm) {
  return isa::riscv::encode({.op = op, .rd = static_cast<uint8_t>(rd), .rs1 = static_cast<uint8_t>(rs1), .imm = imm});
}
const uint32_t kOld = word_of(Op::Addi, 10, 0, 1), kNew = word_of(Op::Addi, 10, 0, 2);
const uint32_t kReturn = word_of(Op::Jalr, 0, 1, 0);

class StaleCode : public ::testing::TestWithParam<std::tuple<Mode, Timing>> {
 protected:
  explicit StaleCode(InstructionCaching icache = InstructionCaching::Coherent)
      : world(std::get<0>(GetParam()), std::get<1>(GetParam()), icache) {
    set(tile, kFunction, kOld);
    set(tile, kFunction + 4, kReturn);
  }
  /// Calls the function again and again: what it returned goes to kResult, how often to kTurns. Every turn reads the
  /// mask at kGo and, if it is not 0, invalidates with it.
  void start_caller(arch::Hart hart) {
    start(tile, hart, [](isa::Assembler& a) {
      a.li(s0, kFunction);
      a.li(s1, kResult);
      a.li(s2, arch::kIcInvalidateAll);
      const isa::Label turn = a.here();
      a.jalr(ra, s0, 0);
      a.sw(a0, s1, 0);
      a.lw(t0, s1, kTurns - kResult);
      a.addi(t0, t0, 1);
      a.sw(t0, s1, kTurns - kResult);
      a.lw(t1, s1, kGo - kResult);
      const isa::Label skip = a.label();
      a.beqz(t1, skip);
      a.sw(t1, s2, 0);
      a.bind(skip);
      a.j(turn);
    });
  }
  World world;
  Tile& tile = world.tile();
};
class UncheckedStaleCode : public StaleCode {
 protected:
  UncheckedStaleCode() : StaleCode(InstructionCaching::Exact) {}
};
class CheckedStaleCode : public StaleCode {
 protected:
  CheckedStaleCode() : StaleCode(InstructionCaching::Checked) {}
};
const auto kWays = ::testing::Combine(::testing::ValuesIn(kModes), ::testing::Values(Timing::Relaxed, Timing::Exact));
INSTANTIATE_TEST_SUITE_P(Ways, StaleCode, kWays);
INSTANTIATE_TEST_SUITE_P(Ways, UncheckedStaleCode, kWays);
INSTANTIATE_TEST_SUITE_P(Ways, CheckedStaleCode, kWays);

TEST_P(StaleCode, IsNotExecutedByDefault) {
  start_caller(arch::Hart::Trisc0);
  world.run();
  EXPECT_EQ(word(tile, kResult), 1u);
  set(tile, kFunction, kNew);
  world.run();
  EXPECT_EQ(word(tile, kResult), 2u);
}

TEST_P(UncheckedStaleCode, IsExecutedUntilTheHartsCacheIsInvalidated) {
  start_caller(arch::Hart::Trisc0);
  world.run();
  set(tile, kFunction, kNew);
  world.run();
  EXPECT_EQ(word(tile, kResult), 1u);
  set(tile, kGo, 1u << arch::kIcInvalidateBit[static_cast<size_t>(arch::Hart::Brisc)]);  // another hart's
  world.run();
  EXPECT_EQ(word(tile, kResult), 1u);
  set(tile, kGo, 1u << arch::kIcInvalidateBit[static_cast<size_t>(arch::Hart::Trisc0)]);
  world.run();
  EXPECT_EQ(word(tile, kResult), 2u);
  EXPECT_EQ(the_fault(tile), "");
}

TEST_P(UncheckedStaleCode, IsForgottenInReset) {
  start_caller(arch::Hart::Trisc0);
  world.run();
  set(tile, kFunction, kNew);
  const uint32_t bit = 1u << arch::kSoftResetBit[static_cast<size_t>(arch::Hart::Trisc0)];
  set(tile, arch::kSoftReset0, word(tile, arch::kSoftReset0) | bit);
  set(tile, arch::kSoftReset0, word(tile, arch::kSoftReset0) & ~bit);
  world.run();
  EXPECT_EQ(word(tile, kResult), 2u);
}

TEST_P(CheckedStaleCode, IsAFaultThatNamesHartAddressAndRemedy) {
  start_caller(arch::Hart::Trisc0);
  world.run();
  set(tile, kFunction, kOld);  // the same again is not stale
  world.run();
  EXPECT_EQ(word(tile, kResult), 1u);
  set(tile, kFunction, kNew);
  world.run();
  EXPECT_EQ(word(tile, kResult), 1u);
  const std::vector<Fault> faults = tile.faults().take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].agent, Agent::Trisc0);
  EXPECT_EQ(faults[0].pc, kFunction);
  EXPECT_EQ(faults[0].what,
            "Stale instruction at 0x00009000: the instruction cache holds 0x00100513, L1 by now 0x00200513.");
  EXPECT_NE(faults[0].advice.find("bit 1 to RISCV_IC_INVALIDATE_InvalidateAll (0xffef02e4)"), std::string::npos);
}

// NCRISC polls a flag: another hart writes it, replaces the loop by a way out, and later invalidates NCRISC's cache.
TEST_P(UncheckedStaleCode, KeepsAParkedHartInItsLoop) {
  start(tile, arch::Hart::Ncrisc, [](isa::Assembler& a) {
    a.li(s1, kGo);
    const isa::Label poll = a.here();
    a.lw(t0, s1, 0);
    a.beqz(t0, poll);
    a.li(t1, 7);
    a.sw(t1, s1, kResult - kGo);
  });
  world.run();
  const uint32_t loop = 0x4000 + 0x2000 * static_cast<uint32_t>(arch::Hart::Ncrisc);
  uint32_t branch = loop;
  while (isa::riscv::decode(word(tile, branch)).op != Op::Beq) branch += 4;
  set(tile, branch, word_of(Op::Addi, 0, 0, 0));
  world.run();
  EXPECT_EQ(word(tile, kResult), 0u);
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, arch::kIcInvalidateAll);
    a.li(t1, 1 << arch::kIcInvalidateBit[static_cast<size_t>(arch::Hart::Ncrisc)]);
    a.sw(t1, t0);
  });
  world.run();
  EXPECT_EQ(word(tile, kResult), 7u);
}

TEST(StaleCodeAlike, WithAndWithoutParkingAndUnderTheReferenceScheduler) {
  for (const Timing timing : {Timing::Relaxed, Timing::Exact}) {
    std::vector<uint64_t> states;
    for (const Mode mode : kModes) {
      World world(mode, timing, InstructionCaching::Exact);
      Tile& tile = world.tile();
      start(tile, arch::Hart::Ncrisc, [](isa::Assembler& a) {
        a.li(s1, kGo);
        const isa::Label poll = a.here();
        a.lw(t0, s1, 0);
        a.addi(t2, t0, 3);
        a.beqz(t0, poll);
        a.sw(t2, s1, kResult - kGo);
      });
      world.run();
      for (uint32_t at = 0x6000; at < 0x6010; at += 4) set(tile, at, word_of(Op::Addi, 0, 0, 0));
      world.run();
      set(tile, kGo, 5);
      world.run();
      EXPECT_EQ(word(tile, kResult), 8u);
      states.push_back(world.state_hash());
    }
    EXPECT_EQ(states[1], states[0]);
    EXPECT_EQ(states[2], states[0]);
  }
}

}  // namespace
}  // namespace kerr::emu

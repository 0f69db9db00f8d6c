// RISC_DBG_CNTL and RISC_DBG_STATUS, as tt-exalens uses them.   docs/hardware/tile.md 1.11
#include <gtest/gtest.h>

#include <iterator>
#include <random>
#include <utility>

#include "emu/riscv/hart_debug.hpp"
#include "tests/emu/tile/debug_unit.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using arch::Hart;
using Unit = debug_unit::Unit;
using Debug = HartDebug;

class DebugInterfaceTest : public ::testing::TestWithParam<std::pair<Mode, Timing>> {
 protected:
  World world{GetParam().first, GetParam().second};
  Tile& tile = world.tile();
  Unit unit_of(uint32_t risc) {
    return Unit([this](uint32_t address) { return word(tile, address); },
                [this](uint32_t address, uint32_t value) { ASSERT_TRUE(set(tile, address, value)); }, risc);
  }
  Unit brisc = unit_of(0);
  void pass() { world.run(512); }
};

INSTANTIATE_TEST_SUITE_P(Modes, DebugInterfaceTest,
                         ::testing::Values(std::pair(Mode::Fast, Timing::Relaxed),
                                           std::pair(Mode::NoParking, Timing::Relaxed),
                                           std::pair(Mode::Reference, Timing::Relaxed),
                                           std::pair(Mode::Fast, Timing::Exact),
                                           std::pair(Mode::Reference, Timing::Exact)));

// Where BRISC begins.
uint32_t started(Tile& tile, const Program& program) {
  start(tile, Hart::Brisc, program);
  return 0x4000;
}

// Counts t0 up for ever.
void counts(isa::Assembler& a) {
  a.li(t0, 0);
  const isa::Label loop = a.here();
  a.addi(t0, t0, 1);
  a.j(loop);
}

TEST_P(DebugInterfaceTest, AHartThatNobodyDebugsHasNoStatus) {
  start(tile, Hart::Brisc, counts);
  pass();
  EXPECT_EQ(brisc.read(Debug::kStatus), 0u);
  EXPECT_EQ(tile.hart(Hart::Brisc).debug_unit(), nullptr);
}

TEST_P(DebugInterfaceTest, HaltsReadsAndContinues) {
  start(tile, Hart::Brisc, counts);
  pass();
  EXPECT_FALSE(brisc.is_halted());
  brisc.command(Debug::kPause);
  EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused);
  const uint32_t t0_now = brisc.read_register(5);
  EXPECT_GT(t0_now, 100u);
  pass();
  EXPECT_EQ(brisc.read_register(5), t0_now);
  brisc.write_register(5, 7);
  EXPECT_EQ(brisc.read_register(5), 7u);
  brisc.command(Debug::kContinue);
  EXPECT_FALSE(brisc.is_halted());
  pass();
  brisc.command(Debug::kPause);
  EXPECT_GT(brisc.read_register(5), 100u);
  EXPECT_LT(brisc.read_register(5), t0_now + 200);
}

TEST_P(DebugInterfaceTest, APollingHartIsHaltedWhereItPolls) {
  start(tile, Hart::Brisc, [](isa::Assembler& a) {
    a.li(t1, 0x2'0000);
    const isa::Label loop = a.here();
    a.lw(t0, t1);
    a.beqz(t0, loop);
    a.li(t2, 5);
    a.j(a.here());
  });
  world.run(8192);
  brisc.command(Debug::kPause);
  EXPECT_TRUE(brisc.is_halted());
  EXPECT_EQ(brisc.read_register(6), 0x2'0000u);
  brisc.write_memory(0x2'0000, 3);
  EXPECT_EQ(brisc.read_memory(0x2'0000), 3u);
  pass();
  EXPECT_EQ(brisc.read_register(7), 0u);
  brisc.command(Debug::kContinue);
  pass();
  brisc.command(Debug::kPause);
  EXPECT_EQ(brisc.read_register(7), 5u);
}

TEST_P(DebugInterfaceTest, AStepIsTwoCommandsAndOneInstruction) {
  const uint32_t begin = started(tile, [](isa::Assembler& a) {
    a.ebreak();
    for (int n = 0; n < 8; ++n) a.addi(t0, t0, 1);
    a.j(a.here());
  });
  pass();
  EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused | Debug::kEbreak);
  EXPECT_EQ(brisc.pc(), begin + 4);
  for (uint32_t n = 1; n <= 3; ++n) {
    brisc.command(Debug::kStep);
    if (n == 2) pass();  // whether time passes between the two
    brisc.command(Debug::kStep);
    pass();
    EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused);
    EXPECT_EQ(brisc.pc(), begin + 4 + 4 * n);
    EXPECT_EQ(brisc.read_register(5), n);
  }
}

TEST_P(DebugInterfaceTest, AnEbreakPausesItsHartAlone) {
  start(tile, Hart::Brisc, [](isa::Assembler& a) { a.ebreak(); });
  start(tile, Hart::Trisc1, counts);
  pass();
  Unit trisc1 = unit_of(2);
  EXPECT_TRUE(brisc.is_halted());
  EXPECT_FALSE(trisc1.is_halted());
  trisc1.command(Debug::kPause);
  EXPECT_TRUE(trisc1.is_halted());
  EXPECT_GT(trisc1.read_register(5), 100u);
}

TEST_P(DebugInterfaceTest, PausesBehindABreakpoint) {
  const uint32_t begin = started(tile, [](isa::Assembler& a) {
    a.ebreak();
    for (int n = 0; n < 4; ++n) a.addi(t0, t0, 1);
    a.j(a.here());
  });
  pass();
  brisc.write(Debug::kAddresses + 0, begin + 8);
  brisc.write(Debug::kAddresses + 7, begin + 20);
  brisc.write(Debug::kModes, 0x8000'0008);
  brisc.command(Debug::kContinue);
  pass();
  EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused | Debug::kBreakpoint | Debug::kPoint0);
  EXPECT_EQ(brisc.pc(), begin + 12);
  brisc.command(Debug::kContinue);
  pass();
  EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused | Debug::kBreakpoint | Debug::kPoint0 << 7);
  EXPECT_EQ(brisc.pc(), begin + 20);
  brisc.write(Debug::kModes, 0);
  brisc.command(Debug::kContinue);
  pass();
  EXPECT_FALSE(brisc.is_halted());
}

TEST_P(DebugInterfaceTest, PausesAtWatchedLoadsAndStores) {
  start(tile, Hart::Brisc, [](isa::Assembler& a) {
    a.ebreak();
    a.li(t0, 0x2'0000);
    a.sw(t0, t0);     // watched: stores
    a.lw(t1, t0);     // not watched
    a.lw(t1, t0, 4);  // watched: loads
    a.sb(t1, t0, 8);  // watched: both
    a.lhu(t1, t0, 8);
    a.j(a.here());
  });
  pass();
  const uint32_t points[] = {0x2'0000, 0x2'0004, 0x2'0008};
  for (uint32_t i = 0; i < 3; ++i) brisc.write(Debug::kAddresses + i, points[i]);
  brisc.write(Debug::kModes, 10 | 9 << 4 | 11 << 8);
  for (const uint32_t hit : {0u, 1u, 2u, 2u}) {
    brisc.command(Debug::kContinue);
    pass();
    EXPECT_EQ(brisc.read(Debug::kStatus), Debug::kPaused | Debug::kWatchpoint | Debug::kPoint0 << hit);
  }
  EXPECT_EQ(word(tile, 0x2'0000), 0x2'0000u);
}

TEST_P(DebugInterfaceTest, ReadsAndWritesLocalMemoryAndPc) {
  const uint32_t begin = started(tile, counts);
  pass();
  brisc.command(Debug::kPause);
  brisc.write_memory(0xFFB0'0100, 0x1234);
  EXPECT_EQ(brisc.read_memory(0xFFB0'0100), 0x1234u);
  brisc.write(Debug::kArgument1, begin);
  brisc.command(Debug::kWritePc);
  EXPECT_EQ(brisc.read_register(32), begin);
  EXPECT_EQ(brisc.pc(), begin);
  EXPECT_TRUE(brisc.is_halted());
}

TEST_P(DebugInterfaceTest, CommandsToAHartThatRunsOrIsInResetDoNothing) {
  brisc.command(Debug::kPause);
  EXPECT_FALSE(brisc.is_halted());
  start(tile, Hart::Brisc, counts);
  pass();
  brisc.command(Debug::kContinue | Debug::kWriteRegister | Debug::kWritePc | Debug::kZeroRegisters);
  EXPECT_FALSE(brisc.is_halted());
  pass();
  brisc.command(Debug::kPause);
  EXPECT_GT(brisc.read_register(5), 100u);
}

TEST_P(DebugInterfaceTest, AResetOfTheHartClearsItsRegistersUnlessTheyAreKept) {
  start(tile, Hart::Brisc, counts);
  brisc.write(Debug::kAddresses, 0x100);
  EXPECT_EQ(brisc.read(Debug::kAddresses), 0x100u);
  const auto reset = [&] { set(tile, arch::kSoftReset0, arch::kSoftResetAllHarts); };
  set(tile, arch::kDisableReset, 1u << (arch::kDisableResetBit[0] + 1));
  reset();
  start(tile, Hart::Brisc, counts);
  EXPECT_EQ(brisc.read(Debug::kAddresses), 0x100u);
  set(tile, arch::kDisableReset, 0);
  reset();
  start(tile, Hart::Brisc, counts);
  EXPECT_EQ(brisc.read(Debug::kAddresses), 0u);
}

// BRISC sends commands to the others, and now and then to itself.
uint64_t hash_of_random_commands(unsigned seed, Mode mode) {
  std::mt19937 random(seed);
  World world(mode);
  Tile& tile = world.tile();
  for (const Hart hart : {Hart::Trisc0, Hart::Trisc1, Hart::Trisc2}) start(tile, hart, counts);
  start(tile, Hart::Brisc, [&](isa::Assembler& a) {
    a.li(t0, 0xFFB1'2080);
    for (int n = 0; n < 200; ++n) {
      constexpr uint32_t kIndices[] = {1, 1, 1, 2, 3, 5, 10, 12, 0, 4};
      const uint32_t index = kIndices[random() % std::size(kIndices)], risc = random() % 16 == 0 ? 0 : 1 + random() % 3;
      uint32_t data = random() % 4 == 0 ? static_cast<uint32_t>(random()) : 1u << random() % 9;
      if (index == 1 && (data & 0x60) != 0) data = 1;  // an address that nobody has would be a fault
      a.li(t1, data);
      a.sw(t1, t0, 4);
      a.li(t1, 0x8000'0000 | (random() % 3 != 0 ? 0x1'0000 : 0) | risc << 17 | index);
      a.sw(t1, t0);
      a.sw(zero, t0);
      for (unsigned k = random() % 40; k > 0; --k) a.nop();
    }
  });
  world.run(40'000);
  return world.state_hash();
}

TEST(DebugInterfaceHarts, ThatDebugEachOtherDoTheSameHoweverTheyAreRun) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const uint64_t fast = hash_of_random_commands(seed, Mode::Fast);
    EXPECT_EQ(hash_of_random_commands(seed, Mode::NoParking), fast) << seed;
    EXPECT_EQ(hash_of_random_commands(seed, Mode::Reference), fast) << seed;
  }
}

}  // namespace
}  // namespace kerr::emu

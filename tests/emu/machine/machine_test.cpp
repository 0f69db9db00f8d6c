#include "emu/machine/machine.hpp"
#include "arch/bytes.hpp"

#include <utility>
#include <vector>

#include "isa/tensix/instructions.hpp"
#include "tests/emu/machine/host.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
using namespace isa::reg;

constexpr NocCoord kA{1, 2};
constexpr NocCoord kB{14, 11};

class MachineTest : public ::testing::Test {
 protected:
  TestMemory memory;
  Machine machine{Options{.host_memory = &memory}};
  TestHost host{machine};
};

TEST_F(MachineTest, RunsACoreThatStoresAWord) {
  Kernel k;
  k.store_word(0x2000, 42);
  k.stop();
  host.start(kA, k);
  machine.advance(256);
  EXPECT_FALSE(machine.faulted());
  EXPECT_EQ(host.read32(kA, 0x2000), 42u);
}

TEST_F(MachineTest, ClockRunsAWindowOnlyWhenItsTargetPassesTheMachinesTime) {
  machine.advance(1);
  EXPECT_EQ(machine.now(), 256u);
  for (int i = 0; i < 255; ++i) machine.advance(1);
  EXPECT_EQ(machine.now(), 256u);
  machine.advance(1);
  EXPECT_EQ(machine.now(), 512u);
  machine.advance(1000);
  EXPECT_EQ(machine.now(), 1280u);
}

TEST_F(MachineTest, IsQuiescentWithoutProgramsAndThenJumps) {
  EXPECT_TRUE(machine.quiescent());
  machine.advance(Cycle{1} << 50);
  EXPECT_EQ(machine.now(), Cycle{1} << 50);
}

TEST_F(MachineTest, AWriteArrivesInAnotherTileAWindowLater) {
  Kernel k;
  k.noc_init(0, 0);
  k.store_word(0x2000, 7);
  k.noc_write(0, 0x2000, kB, 0x2000, 4);
  k.noc_wait(0, niu::kMstWrAckReceived, 1);
  k.store_word(0x2010, 1);
  k.stop();
  host.start(kA, k);
  machine.advance(256);
  EXPECT_EQ(host.read32(kB, 0x2000), 0u);
  machine.advance(256);
  EXPECT_EQ(host.read32(kB, 0x2000), 7u);
  EXPECT_EQ(host.read32(kA, 0x2010), 0u);
  machine.advance(512);
  EXPECT_EQ(host.read32(kA, 0x2010), 1u);
  EXPECT_TRUE(machine.quiescent());
}

TEST_F(MachineTest, ReadsAndWritesDramAndHostMemory) {
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 4, 0);
  const uint64_t in_host = arch::pcie::kNocHostBase + TestMemory::kBase + 0x100;
  memory.bytes[0x100] = 99;
  Kernel k;
  k.noc_init(0, 0);
  k.noc_init(0, 1);
  k.noc_read(0, arch::kTranslatedPcie, in_host, 0x2000, 64);
  k.noc_wait(0, niu::kMstRdRespReceived, 1);
  k.noc_write(0, 0x2000, bank, 0x1000, 64);
  k.noc_wait(0, niu::kMstWrAckReceived, 1);
  k.noc_read(0, bank, 0x1000, 0x3000, 64);
  k.noc_wait(0, niu::kMstRdRespReceived, 2);
  k.noc_write(0, 0x3000, arch::kTranslatedPcie, in_host + 0x40, 64);
  k.noc_wait(0, niu::kMstWrAckReceived, 2);
  k.stop();
  host.start(kA, k);
  machine.advance(20'000);
  ASSERT_FALSE(machine.faulted()) << machine.faults().front().text();
  EXPECT_EQ(host.read32(bank, 0x1000), 99u);
  EXPECT_EQ(memory.bytes[0x140], 99);
  EXPECT_TRUE(machine.quiescent());
}

TEST_F(MachineTest, AFaultStopsTimeAndTheSmallestComesFirst) {
  Kernel late;
  for (int i = 0; i < 20; ++i) late.nop();
  late.load_word(t1, 0x4000'0000);
  Kernel early;
  early.load_word(t1, 0x4000'0000);
  host.start(kA, late);
  host.start(kB, early);
  machine.advance(10'000);
  ASSERT_TRUE(machine.faulted());
  EXPECT_EQ(machine.now(), 256u);
  ASSERT_EQ(machine.faults().size(), 2u);
  EXPECT_LT(machine.faults()[0].cycle, machine.faults()[1].cycle);
  EXPECT_EQ(machine.faults()[0].agent, Agent::Brisc);
  machine.advance(10'000);
  EXPECT_EQ(machine.now(), 256u);
}

TEST_F(MachineTest, AFaultAtAServerNamesTheTileThatAsked) {
  const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 0);
  Kernel k;
  k.noc_init(0, 1);
  k.noc_read(0, bank, 0xFEFF'FFC0, 0x2000, 128);
  k.stop();
  host.start(kA, k);
  machine.advance(10'000);
  ASSERT_TRUE(machine.faulted());
  const Fault& fault = machine.faults().front();
  EXPECT_EQ(fault.category, FaultCategory::OutOfBounds);
  EXPECT_EQ(fault.tile, TileId::at(0, 1, 2));
  EXPECT_EQ(fault.address, 0xFEFF'FFC0u);
}

TEST_F(MachineTest, WaitsSayWhoWaitsForWhat) {
  Kernel k;
  k.wait_for_word(0x2000, 1);
  k.stop();
  host.start(kA, k);
  host.start(kB, k);
  machine.advance(2048);
  EXPECT_TRUE(machine.quiescent());
  const std::vector<TileWaits> waits = machine.waits();
  ASSERT_EQ(waits.size(), 2u);
  ASSERT_EQ(waits[0].agents.size(), 1u);
  EXPECT_EQ(waits[0].agents[0].agent, Agent::Brisc);
  const std::string report = text(waits);
  EXPECT_NE(report.find("BRISC"), std::string::npos);
  EXPECT_NE(report.find("1 more"), std::string::npos);

  host.write32(kA, 0x2000, 1);
  EXPECT_FALSE(machine.quiescent());
}

TEST_F(MachineTest, StepDoesNotStartAWindowAtItsLimit) {
  Kernel k;
  k.wait_for_word(0x2000, 1);
  k.stop();
  host.start(kA, k);
  machine.step(10);
  EXPECT_EQ(machine.now(), 256u);
  machine.step(256);
  EXPECT_EQ(machine.now(), 256u);
  machine.step(100'000);
  EXPECT_EQ(machine.now(), 100'096u);  // the core is parked: nothing happens before the limit
}

TEST_F(MachineTest, ResetGivesAFreshChip) {
  host.write32(kA, 0x2000, 5);
  host.write32({17, 12}, 0x2000, 5);
  machine.config_write(0, 0x04, 0x46);
  machine.config_write(0, 0x934, 1);
  machine.config_write(0, 0x930, 0x11);
  EXPECT_EQ(machine.config_read(0, 0x04), 0u);
  EXPECT_EQ(host.read32(kA, 0x2000), 0u);
  EXPECT_EQ(host.read32({17, 12}, 0x2000), 0u);
}

TEST_F(MachineTest, ChipsShareTimeAndNothingElse) {
  Machine two(Options{.boards = {arch::kP100a, arch::kP150}});
  EXPECT_EQ(two.config_read(1, 0x14), two.config_read(0, 0x14) + 0x10);
  TestHost first(two);
  Kernel k;
  k.store_word(0x2000, 42);
  k.stop();
  first.start(kA, k);
  const uint32_t value = 7;
  ASSERT_FALSE(two.chip(1).write_coordinate(kA.x, kA.y, 0x2000, arch::as_uint8(value)));
  two.advance(256);
  uint32_t back = 0;
  ASSERT_FALSE(two.chip(1).read_coordinate(kA.x, kA.y, 0x2000, arch::as_uint8(back)));
  EXPECT_EQ(back, 7u);
  EXPECT_EQ(first.read32(kA, 0x2000), 42u);
  two.reset(0);
  EXPECT_EQ(first.read32(kA, 0x2000), 0u);
  ASSERT_FALSE(two.chip(1).read_coordinate(kA.x, kA.y, 0x2000, arch::as_uint8(back)));
  EXPECT_EQ(back, 7u);
}

// Packs the smallest FP16 number onto its negative neighbour: what is left is too small for FP16.
uint16_t accumulated_fp16(bool with_fault) {
  using namespace isa::tensix;
  TestMemory memory;
  Machine machine(Options{.host_memory = &memory, .fp16_accumulation_fault = with_fault});
  TestHost host(machine);
  constexpr uint32_t kOut = 0x40000, kConfig = 0xFFEF'0000, kPush = 0xFFE4'0000;
  Kernel k;
  for (const auto& [word, value] : std::vector<std::pair<uint32_t, uint32_t>>{{1, 1u << 25},
                                                                              {12, 0x00200002},
                                                                              {24, 0xFFFF},
                                                                              {28, 0x1000},
                                                                              {69, kOut / 16 - 1},
                                                                              {70, 0x111},
                                                                              {71, 1u << 19}}) {
    k.store_word(kConfig + 4 * word, value);
  }
  for (const uint32_t word :
       {SFPLOADI{.imm16 = 0x0400, .instr_mod0 = 1}.encode(), SFPSTORE{.instr_mod0 = 1}.encode(),
        SETADCXX{.x_end2 = 15, .cnt_set_mask = 4}.encode(), PACR{.last = 1, .read_intf_sel = 1}.encode()}) {
    k.store_word(kPush, word);
  }
  k.stop();
  host.write32(kA, kOut, 0x8401);
  host.start(kA, k);
  machine.advance(2048);
  EXPECT_FALSE(machine.faulted());
  return static_cast<uint16_t>(host.read32(kA, kOut));
}

TEST(OptionsTest, Fp16AccumulationHasSiliconsFaultUnlessSwitchedOff) {
  EXPECT_EQ(accumulated_fp16(true), 0xFFFF);
  EXPECT_EQ(accumulated_fp16(false), 0x8000);
}

TEST_F(MachineTest, RefusesImpossibleOptions) {
  EXPECT_THROW(Machine(Options{.boards = {}}), std::invalid_argument);
  EXPECT_THROW(Machine(Options{.window_cycles = 100}), std::invalid_argument);
  arch::Board board = arch::kP100a;
  board.harvesting.dram_banks = 0;
  EXPECT_THROW(Machine(Options{.boards = {board}}), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::emu

// What a hart reads of the coprocessor's queues, and of fcsr.   docs/hardware/tile.md 1.4
#include <gtest/gtest.h>

#include "emu/tensix/coprocessor.hpp"
#include "isa/riscv/registers.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
namespace tx = isa::tensix;

using isa::csr::kQstatus, isa::csr::kBstatus;

class StatusCsrs : public ::testing::TestWithParam<Timing> {
 protected:
  /// What `hart` reads of `csr`.
  uint32_t read(arch::Hart hart, uint16_t csr) {
    start(tile, hart, [csr](isa::Assembler& a) {
      a.csrr(t0, csr);
      a.sw(t0, zero, 0x100);
    });
    world.run(1024);
    return word(tile, 0x100);
  }
  World world{Mode::Fast, GetParam()};
  Tile& tile = world.tile();
};
INSTANTIATE_TEST_SUITE_P(Timings, StatusCsrs, ::testing::Values(Timing::Relaxed, Timing::Exact));

// Thread 1 waits for a semaphore forever, with a packer and an SFPU instruction behind.
TEST_P(StatusCsrs, ShowWhatIsQueuedByClass) {
  for (const uint32_t w : {tx::SEMINIT{.sem_sel = 1, .init_value = 0, .max_value = 1}.encode(),
                           tx::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1FF}.encode(),
                           tx::SFPNOP{}.encode(), tx::PACR{}.encode()}) {
    ASSERT_TRUE(tile.coprocessor().threads[1].front.push_before_mop(w));
  }
  constexpr uint32_t kSfpu = 1u << 9, kPacker = 1u << 5 | 1u << 8;
  const uint32_t others = read(arch::Hart::Trisc0, kQstatus);
  EXPECT_EQ(others & 0x7FF, 0u);
  EXPECT_EQ(others >> 13 & 0x7FF, kSfpu | kPacker);
  EXPECT_EQ(others >> 11 & 1, 1u);  // lanes are enabled
  EXPECT_EQ(others >> 24, 1u);
  const uint32_t all = read(arch::Hart::Ncrisc, kBstatus);
  EXPECT_EQ(all & 0x7FF, kSfpu | kPacker);
  EXPECT_EQ(all >> 11 & 0x7FF, kSfpu | kPacker);
  EXPECT_EQ(all >> 22, 0u);
}

TEST_P(StatusCsrs, AreScratchOrUnknownForStreams) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, 77);
    a.csrw(0xBC9, t0);
    a.csrr(t1, 0xBC9);
    a.sw(t1, zero, 0x100);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 77u);
  read(arch::Hart::Trisc2, 0xBC9);
  EXPECT_NE(the_fault(tile).find("Unsupported"), std::string::npos);
}

TEST_P(StatusCsrs, EventCountersCountNothingAndKeepWhatIsWritten) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, 5);
    a.csrw(0x323, t0);
    a.csrw(0xB03, t0);
    a.csrr(t1, 0xB03);
    a.sw(t1, zero, 0x100);
    a.csrr(t1, 0xB84);
    a.sw(t1, zero, 0x104);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 5u);
  EXPECT_EQ(word(tile, 0x104), 0u);
}

TEST_P(StatusCsrs, FcsrIsStorageUntilAFloatInstructionMayHaveSetAFlag) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, 0x60);
    a.csrw(0x003, t0);
    a.csrr(t1, 0x003);
    a.sw(t1, zero, 0x100);
    a.fadd_s(isa::FReg{1}, isa::FReg{2}, isa::FReg{3});
    a.csrr(t1, 0x003);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 0x60u);
  EXPECT_NE(the_fault(tile).find("UnpredictableValue: fcsr"), std::string::npos);
}

// As riscv-tests' rv32uf does between its cases.
TEST_P(StatusCsrs, FcsrIsWrittenAfterAFloatInstructionWithoutBeingRead) {
  start(tile, arch::Hart::Trisc1, [](isa::Assembler& a) {
    a.fadd_s(isa::FReg{1}, isa::FReg{2}, isa::FReg{3});
    a.csrw(0x003, zero);
    a.csrr(t1, 0x003);
    a.sw(t1, zero, 0x100);
    a.li(t0, 0x1234);
    a.csrw(0x003, t0);
    a.csrr(t1, 0x003);  // eight bits of it exist
    a.sw(t1, zero, 0x104);
  });
  set(tile, 0x100, 7);
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 0u);
  EXPECT_EQ(word(tile, 0x104), 0x34u);
  EXPECT_EQ(the_fault(tile), "");
}

}  // namespace
}  // namespace kerr::emu

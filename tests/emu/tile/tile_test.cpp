// A tile as a whole: what the host can do to it, and what it says about itself.
#include <gtest/gtest.h>

#include "arch/bytes.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using isa::Assembler;

class TileTest : public ::testing::Test {
 protected:
  World world;
  Tile& tile = world.tile();
};

TEST_F(TileTest, PowersOnWithAllHartsInResetAndThenSleeps) {
  EXPECT_EQ(word(tile, arch::kSoftReset0), 0x47800u);
  world.run(256);
  EXPECT_EQ(tile.next_event(), kNever);
  ASSERT_EQ(tile.describe_waits().size(), 1u);
  EXPECT_EQ(tile.describe_waits()[0].text, "all harts are held in reset");
  tile.run(Cycle{1} << 40);  // costs nothing
  EXPECT_EQ(tile.time(), Cycle{1} << 40);
}

TEST_F(TileTest, ThousandsCostNextToNothing) {
  std::vector<std::unique_ptr<Tile>> tiles;
  for (int i = 0; i < 1000; ++i) tiles.push_back(std::make_unique<Tile>(TileId::at(0, 1, 2), world.geometry));
  EXPECT_LE(sizeof(Tile), 18u * 1024);  // 5 KiB are the harts' integer and float registers with their scoreboards
}

TEST_F(TileTest, HostAccessIsCheckedNeverTrusted) {
  std::vector<uint8_t> bytes(64);
  EXPECT_TRUE(tile.host_read(0x17FFC0, bytes));
  EXPECT_FALSE(tile.host_read(0x17FFC1, bytes));
  EXPECT_NE(the_fault(tile).find("HostError"), std::string::npos);
  EXPECT_FALSE(tile.host_write(0x200000, bytes));
  EXPECT_FALSE(tile.host_write(0xFFFFFFFC, bytes));
  EXPECT_FALSE(tile.host_write(~uint64_t{0} - 8, bytes));
  EXPECT_FALSE(tile.host_read(0xFFB12002, {bytes.data(), 4}));
  EXPECT_FALSE(tile.host_read(arch::kSoftReset0, {bytes.data(), 2}));
  EXPECT_FALSE(tile.host_write(arch::mailbox_address(0), {bytes.data(), 4})) << "harts only";
  EXPECT_FALSE(tile.host_write(arch::kLdmBase, {bytes.data(), 4}));
  EXPECT_EQ(tile.faults().take().size(), 7u);
}

TEST_F(TileTest, HostWritesARunOfRegisters) {
  const std::array<uint32_t, 3> pcs{0x100, 0x200, 0x300};
  ASSERT_TRUE(tile.host_write(arch::kTrisc0ResetPc, arch::as_uint8(pcs)));
  EXPECT_EQ(word(tile, arch::kTrisc0ResetPc + 8), 0x300u);
}

TEST_F(TileTest, FaultNamesHartPcAndInstruction) {
  start(tile, arch::Hart::Ncrisc, [](Assembler& a) {
    a.li(t0, arch::mailbox_address(1));
    a.lw(t1, t0);
  });
  world.run(256);
  const auto faults = tile.faults().take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].agent, Agent::Ncrisc);
  EXPECT_EQ(faults[0].pc, 0x6004u);
  EXPECT_EQ(faults[0].instruction, word(tile, 0x6004));
  EXPECT_EQ(faults[0].address, arch::mailbox_address(1));
  EXPECT_NE(faults[0].what.find("mailboxes"), std::string::npos) << faults[0].what;
  EXPECT_EQ(tile.hart(arch::Hart::Ncrisc).state().status, HartStatus::Halted);
}

struct BadAccess {
  arch::Hart hart;
  uint32_t address;
  bool store;
  const char* text;
};

class Hangs : public TileTest, public ::testing::WithParamInterface<BadAccess> {};

TEST_P(Hangs, WhatHangsSiliconIsAFault) {
  const BadAccess& bad = GetParam();
  start(tile, bad.hart, [&](Assembler& a) {
    a.li(t0, bad.address);
    if (bad.store) {
      a.sw(t1, t0);
    } else {
      a.lw(t1, t0);
    }
    a.sw(t0, zero, 0x100);
  });
  world.run(256);
  const std::string fault = the_fault(tile);
  EXPECT_NE(fault.find(bad.text), std::string::npos) << fault;
  EXPECT_EQ(word(tile, 0x100), 0u);
}

INSTANTIATE_TEST_SUITE_P(Tile, Hangs,
                         ::testing::Values(BadAccess{arch::Hart::Brisc, 0x180000, false, "nothing is mapped there"},
                                           BadAccess{arch::Hart::Brisc, 0xFFFFFFFC, true, "nothing is mapped there"},
                                           BadAccess{arch::Hart::Brisc, 0xFFB80000, true, "MOP configuration"},
                                           BadAccess{arch::Hart::Brisc, 0xFFE40000, false, "write only"},
                                           BadAccess{arch::Hart::Brisc, 0xFFE00300, false, "three arrays"},
                                           BadAccess{arch::Hart::Ncrisc, 0xFFEF0000, false, "backend configuration"},
                                           BadAccess{arch::Hart::Ncrisc, 0xFFB11024, true, "TdmaClkGateEn"},
                                           BadAccess{arch::Hart::Ncrisc, 0xFFE40000, true, "instruction push"},
                                           BadAccess{arch::Hart::Trisc0, 0xFFE50000, true, "only BRISC may push"},
                                           BadAccess{arch::Hart::Trisc1, 0xFFE90000, false, "PCBuf 1"},
                                           BadAccess{arch::Hart::Trisc1, 0xFFE80040, false, "eight semaphores"},
                                           BadAccess{arch::Hart::Trisc2, 0xFFB01000, false, "nothing is mapped there"},
                                           BadAccess{arch::Hart::Trisc2, 0xFFB80024, true, "nine words"},
                                           BadAccess{arch::Hart::Trisc2, 0xFFB80000, false, "write only"},
                                           BadAccess{arch::Hart::Trisc2, 0xFFB13138, true, "read only"}));

TEST_F(TileTest, SubWordLoadsTakeTheirBytesAndSubWordStoresAreRefused) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    a.li(t0, arch::stream_address(5, 10));
    a.li(t1, 0x1ABCD);
    a.sw(t1, t0);
    a.lhu(t2, t0, 0);
    a.sw(t2, zero, 0x100);
    a.lb(t2, t0, 1);
    a.sw(t2, zero, 0x104);
    a.sh(t1, t0);
  });
  world.run(256);
  EXPECT_EQ(word(tile, 0x100), 0xABCDu);
  EXPECT_EQ(word(tile, 0x104), 0xFFFFFFABu);
  EXPECT_NE(the_fault(tile).find("2-byte store to stream 5 register 10"), std::string::npos);
}

TEST_F(TileTest, WaitsNameTheRegisterThatIsPolled) {
  start(tile, arch::Hart::Ncrisc, [](Assembler& a) {
    a.li(t0, arch::stream_address(8, 10));
    const isa::Label loop = a.here();
    a.lw(t1, t0);
    a.beqz(t1, loop);
  });
  world.run(1024);
  const auto waits = tile.describe_waits();
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].agent, Agent::Ncrisc);
  EXPECT_NE(waits[0].text.find("stream 8 register 10"), std::string::npos) << waits[0].text;
  EXPECT_EQ(tile.next_event(), kNever);
  EXPECT_NE(tile.last_access(arch::Hart::Ncrisc).find("REMOTE_DEST_BUF_SIZE"), std::string::npos);
}

TEST_F(TileTest, WaitsNameWhatBlocksAHartAndNothingForAnEndlessLoop) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    a.li(t0, arch::stream_address(8, 10));
    a.lw(t1, t0);
  });
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.li(t0, arch::kPcBufOfTrisc);
    a.lw(t1, t0);
  });
  world.run(1024);
  const auto waits = tile.describe_waits();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].agent, Agent::Brisc);
  EXPECT_EQ(waits[0].address, 0u) << waits[0].text;
  EXPECT_EQ(waits[1].address, arch::kPcBufOfTrisc);
  EXPECT_NE(waits[1].text.find("access to 0xffe80000 (PCBuf, own)"), std::string::npos) << waits[1].text;
}

TEST_F(TileTest, WaitsNameAHartThatRunsAsWellAsOneThatLoopsOnNothing) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    const isa::Label loop = a.here();
    a.addi(t0, t0, 1);
    a.j(loop);
  });
  start(tile, arch::Hart::Ncrisc, [](Assembler& a) {
    const isa::Label loop = a.here();
    a.j(loop);
  });
  world.run(1024);
  const auto waits = tile.describe_waits();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_NE(waits[0].text.find("running, pc 0x"), std::string::npos) << waits[0].text;
  EXPECT_NE(waits[1].text.find("on nothing but a reset"), std::string::npos) << waits[1].text;
}

TEST_F(TileTest, AHartThatPollsItsOwnMemoryHearsOfTheSlowWindow) {
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.li(t0, arch::kLdmBase);
    const isa::Label loop = a.here();
    a.lw(t1, t0, 0x10);
    a.beqz(t1, loop);
    a.sw(t1, zero, 0x100);
  });
  world.run(1024);
  set(tile, arch::kLdmSlowBase[2] + 0x10, 3);
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 3u);
}

}  // namespace
}  // namespace kerr::emu

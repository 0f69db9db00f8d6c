// Register units, as the host and the harts see them.   docs/hardware/tile.md 1.10, 3, 5
#include <gtest/gtest.h>

#include <array>
#include <cstring>

#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using arch::stream_address;

class Registers : public ::testing::Test {
 protected:
  World world;
  Tile& tile = world.tile();
};

// --- debug page ---

// tt-umd's start-up program stores to all six on cards, and goes on.
TEST_F(Registers, StoresToWhereWormholeHasRegistersAreIgnored) {
  for (uint32_t address = 0xFFB1'2278; address <= 0xFFB1'228C; address += 4) {
    EXPECT_TRUE(set(tile, address, 0x4C)) << address;
  }
  EXPECT_FALSE(set(tile, 0xFFB1'2290, 1));
}

// --- overlay streams ---

TEST_F(Registers, Register10IsStorageAndSetsTheAccumulatorThat270AddsTo) {
  set(tile, stream_address(9, 10), 0x12345);
  EXPECT_EQ(word(tile, stream_address(9, 10)), 0x12345u);
  EXPECT_EQ(word(tile, stream_address(9, 297)), 0x12345u);
  set(tile, stream_address(9, 270), 0x40);
  EXPECT_EQ(word(tile, stream_address(9, 297)), 0x12346u);
  EXPECT_EQ(word(tile, stream_address(9, 10)), 0x12345u);
  set(tile, stream_address(9, 270), arch::stream_increment(-0x12346));
  EXPECT_EQ(word(tile, stream_address(9, 297)), 0u);
  set(tile, stream_address(9, 270), arch::stream_increment(-1));
  EXPECT_EQ(word(tile, stream_address(9, 297)), 0x1FFFFu);
}

TEST_F(Registers, StreamRegistersKeepTheirWidthOnly) {
  set(tile, stream_address(63, 8), 0xFFFFFFFF);
  EXPECT_EQ(word(tile, stream_address(63, 8)), 0x1FFFFu);
  EXPECT_EQ(word(tile, stream_address(63, 297)), 0u);
  set(tile, stream_address(4, 4), 0xFFFFFFFF);
  EXPECT_EQ(word(tile, stream_address(4, 4)), 0xFFFFFFu);
  set(tile, stream_address(0, 31), 0xFFFFFFFF);
  EXPECT_EQ(word(tile, stream_address(0, 31)), 0x1FFFFu);
}

TEST_F(Registers, StreamWritesHaveTheirSideEffects) {
  set(tile, stream_address(8, 11), 5);
  set(tile, stream_address(8, 8), 1);
  EXPECT_EQ(word(tile, stream_address(8, 11)), 0u);
  set(tile, stream_address(8, 28), 100);
  set(tile, stream_address(8, 29), 7);
  EXPECT_EQ(word(tile, stream_address(8, 29)), 7u);
  set(tile, stream_address(8, 28), 0);
  EXPECT_EQ(word(tile, stream_address(8, 29)), 107u) << "the base was added on write";
  set(tile, stream_address(2, 10), 9);
  EXPECT_EQ(word(tile, stream_address(2, 328)), 9u) << "all 32 accumulators of a multicast stream";
  set(tile, stream_address(2, 270), 31 | 1 << 6);
  EXPECT_EQ(word(tile, stream_address(2, 328)), 10u);
  EXPECT_EQ(word(tile, stream_address(2, 297)), 9u);
}

TEST_F(Registers, StartingAStreamIsRefusedByName) {
  EXPECT_FALSE(set(tile, stream_address(12, 267), 1));
  const std::string fault = the_fault(tile);
  EXPECT_NE(fault.find("stream 12 register 267 (PHASE_ADVANCE)"), std::string::npos) << fault;
}

// As tt-exalens does: NocOverlayRegistersState is made of the 512 words of a stream.
TEST_F(Registers, AWholeIdleStreamIsReadOverTheNoc) {
  for (const int stream : {0, 4, 8, 12, 63}) {
    for (int reg = 0; reg < arch::kStreamRegisters; ++reg) {
      // Waits for software, can take a message, and has room for completed reads.
      const bool is_set = reg == 257 || reg == 275 || reg == 503;
      EXPECT_EQ(word(tile, stream_address(stream, reg)), is_set ? 1u : 0u) << stream << " " << reg;
    }
  }
  EXPECT_EQ(the_fault(tile), "");
}

TEST_F(Registers, StatusOfAStreamFollowsItsConfiguration) {
  const auto reg = [&](int index) { return word(tile, stream_address(2, index)); };
  set(tile, stream_address(2, 18), 100);
  EXPECT_EQ(reg(260), 100u) << "the whole buffer is free";
  set(tile, stream_address(2, 20), 30);
  set(tile, stream_address(2, 19), 10);
  EXPECT_EQ(reg(260), 80u);
  set(tile, stream_address(2, 22), 5);
  EXPECT_EQ(reg(275), 0u) << "a message's header is still to be loaded";
  set(tile, stream_address(2, 23), 5);
  EXPECT_EQ(reg(275), 1u);
  set(tile, stream_address(2, 10), 1);
  EXPECT_EQ(reg(503), 9u) << "every destination has space";
  set(tile, stream_address(2, 270), 3u | arch::stream_increment(-1));
  EXPECT_EQ(reg(503), 1u) << "destination 3 has none";
  set(tile, stream_address(4, 256), 0x1234'5678);
  EXPECT_EQ(word(tile, stream_address(4, 256)), 0x1234'5678u) << "of streams that unpackers are fed by";
}

TEST_F(Registers, AHartThatLoadsACommandOfAStreamIsFaulted) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, stream_address(4, 277));
    a.lw(t1, t0);
    a.li(t0, stream_address(4, 267));
    a.lw(t1, t0);
  });
  world.run(256);
  EXPECT_NE(the_fault(tile).find("stream 4 register 267 (PHASE_ADVANCE)"), std::string::npos) << the_fault(tile);
}

// --- wall clock ---

TEST_F(Registers, WallClockIsTheTilesTimeAndLowLatchesHigh) {
  world.run(512);
  EXPECT_EQ(word(tile, arch::kWallClockL), 512u);
  EXPECT_EQ(word(tile, arch::kWallClockH), 0u);
  tile.run((Cycle{5} << 32) + 64);
  EXPECT_EQ(word(tile, arch::kWallClock1), 5u);
  EXPECT_EQ(word(tile, arch::kWallClockH), 0u);
  EXPECT_EQ(word(tile, arch::kWallClockL), 64u);
  EXPECT_EQ(word(tile, arch::kWallClockH), 5u);
}

TEST_F(Registers, AHartSeesItsOwnCycle) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, arch::kWallClockL);
    a.lw(t1, t0);
    a.lw(t2, t0);
    a.sub(t1, t2, t1);
    a.sw(t1, zero, 0x100);
  });
  world.run(256);
  EXPECT_EQ(word(tile, 0x100), 1u);
}

// --- reset ---

TEST_F(Registers, HartsStartAtTheFixedPcUnlessOverridden) {
  const auto pc = [&](arch::Hart hart) { return tile.hart(hart).state().pc; };
  set(tile, arch::kSoftReset0, 0);
  EXPECT_EQ(pc(arch::Hart::Brisc), 0u);
  EXPECT_EQ(pc(arch::Hart::Ncrisc), 0x12000u);
  EXPECT_EQ(pc(arch::Hart::Trisc0), 0x6000u);
  EXPECT_EQ(pc(arch::Hart::Trisc1), 0xA000u);
  EXPECT_EQ(pc(arch::Hart::Trisc2), 0xE000u);
  set(tile, arch::kSoftReset0, arch::kSoftResetAllHarts);
  set(tile, arch::kTrisc1ResetPc, 0x4440);
  set(tile, arch::kTriscResetPcOverride, 2);
  set(tile, arch::kNcriscResetPc, 0x5550);
  set(tile, arch::kNcriscResetPcOverride, 1);
  set(tile, arch::kSoftReset0, 0);
  EXPECT_EQ(pc(arch::Hart::Trisc0), 0x6000u);
  EXPECT_EQ(pc(arch::Hart::Trisc1), 0x4440u);
  EXPECT_EQ(pc(arch::Hart::Ncrisc), 0x5550u);
}

TEST_F(Registers, SoftResetReadsBackWithoutBit31) {
  set(tile, arch::kSoftReset0, 0x80047000);
  EXPECT_EQ(word(tile, arch::kSoftReset0), 0x47000u);
}

TEST_F(Registers, LocalMemoryIsZeroedOnReleaseUnlessDisabled) {
  const uint32_t ncrisc = arch::kLdmSlowBase[1] + 0x40;
  const uint32_t trisc2 = arch::kLdmSlowBase[4] + 0x40;
  set(tile, ncrisc, 11);
  set(tile, trisc2, 22);
  EXPECT_EQ(word(tile, trisc2 + 0x1000), 22u) << "a TRISC's 4 KiB appear twice";
  set(tile, arch::kDisableReset, 1u << arch::kDisableResetBit[4]);
  set(tile, arch::kSoftReset0, 0);
  EXPECT_EQ(word(tile, ncrisc), 0u);
  EXPECT_EQ(word(tile, trisc2), 22u);
}

TEST_F(Registers, BriscReleasesTheOthersAndCanHoldItself) {
  start(tile, arch::Hart::Ncrisc, [](isa::Assembler& a) {
    a.li(t0, 5);
    a.sw(t0, zero, 0x100);
  });
  set(tile, arch::kSoftReset0, arch::kSoftResetAllHarts);
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, arch::kSoftReset0);
    a.sw(zero, t0);  // everybody runs
    a.li(t1, 0x47800);
    a.sw(t1, t0);  // nobody runs: this is the last instruction
    a.sw(t1, zero, 0x104);
  });
  world.run(512);
  EXPECT_EQ(word(tile, 0x100), 0u) << "NCRISC was held again before its turn came";
  EXPECT_EQ(word(tile, 0x104), 0u);
  EXPECT_EQ(tile.hart(arch::Hart::Brisc).state().status, HartStatus::InReset);
  set(tile, arch::kSoftReset0, 0x07800);
  world.run(512);
  EXPECT_EQ(word(tile, 0x100), 5u);
}

TEST_F(Registers, PcSnapshotFollowsTheHartsInTheOrderOfTheTable) {
  start(tile, arch::Hart::Trisc1, [](isa::Assembler&) {});
  world.run(512);
  EXPECT_EQ(word(tile, arch::kPcSnapshotBase + 12), tile.hart(arch::Hart::Trisc1).state().pc);
  EXPECT_EQ(word(tile, arch::kPcSnapshotBase + 12), 0x4000u + 0x2000 * 3);
}

// --- the rest of the debug page, PIC, TDMA ---

TEST_F(Registers, StorageKeepsAndUnknownRegistersFaultWithTheNearestName) {
  set(tile, arch::kDestCgCtrl, 3);
  EXPECT_EQ(word(tile, arch::kDestCgCtrl), 3u);
  set(tile, arch::kPerfCountersBase + 0x18, 4);
  EXPECT_EQ(word(tile, arch::kPerfCountersBase + 0x18), 4u);
  EXPECT_FALSE(set(tile, 0xFFB121B4, 0));
  EXPECT_NE(the_fault(tile).find("nearest known register: SoftReset0 (0xffb121b0)"), std::string::npos);
  EXPECT_FALSE(set(tile, 0xFFB12400, 0));
  EXPECT_NE(the_fault(tile).find("CgKick"), std::string::npos);
}

TEST_F(Registers, WhatKerrDoesNotModelSaysSo) {
  EXPECT_TRUE(set(tile, arch::kDbgArrayRdEn, 0));
  EXPECT_FALSE(set(tile, arch::kTimestamp, 1));
  EXPECT_NE(the_fault(tile).find("Unsupported"), std::string::npos);
}

TEST_F(Registers, SoftwareInterruptRegistersAreOneSlotQueues) {
  set(tile, arch::kPicSwInt + 4 * 31, 77);
  EXPECT_EQ(word(tile, arch::kPicSwInt + 4 * 31), 77u);
  EXPECT_EQ(word(tile, arch::kPicSwInt + 4 * 31), 0u);
  set(tile, arch::kPicHwIntPc + 12, 0x1000);
  EXPECT_EQ(word(tile, arch::kPicHwIntPc + 12), 0x1000u);
}

TEST_F(Registers, ConfigurationWordsCanBeReadThroughTheDebugPort) {
  start(tile, arch::Hart::Trisc0, [](isa::Assembler& a) {
    a.li(t0, arch::kConfigBase + 4 * 209);  // SCRATCH_SEC0
    a.li(t1, 0x1234);
    a.sw(t1, t0);
  });
  world.run(256);
  set(tile, arch::kCfgRegRdCntl, 209);
  EXPECT_EQ(word(tile, arch::kCfgRegRdData), 0x1234u);
}

TEST_F(Registers, TdmaIsForBriscAndTriscsOnly) {
  uint8_t bytes[4];
  EXPECT_FALSE(tile.host_read(arch::kTdmaClkGateEn, bytes));
  EXPECT_NE(the_fault(tile).find("TdmaClkGateEn"), std::string::npos);
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, arch::kTdmaClkGateEn);
    a.li(t1, 0x3F);
    a.sw(t1, t0);
    a.lw(t2, t0);
    a.sw(t2, zero, 0x100);
  });
  world.run(256);
  EXPECT_EQ(word(tile, 0x100), 0x3Fu);
}

// tensix-datapath.md 13, commands of TDMA-RISC.
TEST_F(Registers, TdmaCommandsMoveAndWriteL1) {
  for (uint32_t at = 0; at < 64; at += 4) set(tile, 0x2000 + at, 0x1000 + at);
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    const auto store = [&](uint32_t address, uint32_t value) {
      a.li(t0, static_cast<int32_t>(address));
      a.li(t1, static_cast<int32_t>(value));
      a.sw(t1, t0);
    };
    store(arch::kTdmaXmovSource, 0x2000 / 16);
    store(arch::kTdmaXmovDest, 0x3000 / 16);
    store(arch::kTdmaXmovSize, 2);
    store(arch::kTdmaXmovDirection, 3);
    store(arch::kTdmaCommand, 0x40);
    store(arch::kTdmaCommand, 0x80000046);
    store(arch::kTdmaXmovL1BaseAddr, 0x1F0);
    store(arch::kTdmaCommand, 0xC0000040 | 1u << 24 | 0x40u << 16 | 0x12u << 8);  // L1 0x2020 to 0x400, 16 bytes
    store(arch::kTdmaXmovSource, 0x500);
    store(arch::kTdmaXmovSize, 0x11);
    store(arch::kTdmaXmovDirection, 0x22);
    store(arch::kTdmaCommand, 0x766);
    a.li(t0, static_cast<int32_t>(arch::kTdmaStatus));
    a.lw(t2, t0);
    a.sw(t2, zero, 0x100);
  });
  world.run(512);
  EXPECT_EQ(the_fault(tile), "");
  EXPECT_EQ(word(tile, 0x3000), 0x1000u);
  EXPECT_EQ(word(tile, 0x301C), 0x101Cu);
  EXPECT_EQ(word(tile, 0x3020), 0u);
  EXPECT_EQ(word(tile, 0x400), 0x1020u);
  EXPECT_EQ(word(tile, 0x500), 0x11u);
  EXPECT_EQ(word(tile, 0x504), 0x22u);
  EXPECT_EQ(word(tile, 0x100), 0x428u) << "idle, everything empty";
}

TEST_F(Registers, ATdmaCommandThatDoesNotExistFaults) {
  start(tile, arch::Hart::Brisc, [](isa::Assembler& a) {
    a.li(t0, static_cast<int32_t>(arch::kTdmaCommand));
    a.li(t1, 0x41);
    a.sw(t1, t0);
  });
  world.run(256);
  EXPECT_NE(the_fault(tile).find("TDMA command 0x00000041"), std::string::npos);
}

// tile.md 4.8, debug push.
TEST_F(Registers, TheDebugBusPushesInstructionsOnAnEdge) {
  uint32_t status = 0;
  const auto load_status = [&] {
    std::array<uint8_t, 4> bytes;
    EXPECT_TRUE(tile.host_read(arch::kInstrnBufStatus, bytes));
    std::memcpy(&status, bytes.data(), 4);
    return status;
  };
  EXPECT_EQ(load_status(), 0x77u);
  set(tile, arch::kInstrnBufCtrl1, isa::tensix::SEMPOST{.sem_sel = 1u << 3}.encode());
  set(tile, arch::kInstrnBufCtrl0, 0x20);  // thread 1 is not owned
  EXPECT_EQ(load_status(), 0x77u);
  set(tile, arch::kInstrnBufCtrl0, 0x02);
  set(tile, arch::kInstrnBufCtrl0, 0x22);
  EXPECT_EQ(load_status(), 0x57u);
  world.run(256);
  EXPECT_EQ(tile.coprocessor().state.semaphores[3].value, 1u);
  set(tile, arch::kInstrnBufCtrl0, 0x22);
  world.run(256);
  EXPECT_EQ(tile.coprocessor().state.semaphores[3].value, 1u) << "no edge";
}

}  // namespace
}  // namespace kerr::emu

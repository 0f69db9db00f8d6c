// Mailboxes, PCBufs, TTSync, semaphores, GPRs and pushes, as programs use them.   docs/hardware/tile.md 4
#include <gtest/gtest.h>

#include "emu/tensix/config/window.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/tile/world.hpp"

namespace kerr::emu {
namespace {

using namespace isa::reg;
using isa::Assembler;

// Every case runs in all three modes: what a program computes does not depend on them.
class Windows : public ::testing::TestWithParam<Mode> {
 protected:
  World world{GetParam()};
  Tile& tile = world.tile();
};
INSTANTIATE_TEST_SUITE_P(AllModes, Windows, ::testing::ValuesIn(kModes), [](const auto& p) {
  return p.param == Mode::Fast ? "Fast" : p.param == Mode::NoParking ? "NoParking" : "Reference";
});

void load_constant(Assembler& a, isa::Reg base, uint32_t address) { a.li(base, address); }

// --- mailboxes ---

TEST_P(Windows, AMailboxHandsWordsOverInOrderAndBlocksBothSides) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {  // ten words to TRISC1, more than the FIFO holds
    load_constant(a, t0, arch::mailbox_address(2));
    a.li(t1, 10);
    const isa::Label loop = a.here();
    a.sw(t1, t0);
    a.addi(t1, t1, -1);
    a.bnez(t1, loop);
    a.li(t2, 1);
    a.sw(t2, zero, 0x100);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 0u);
  EXPECT_EQ(tile.hart(arch::Hart::Brisc).state().status, HartStatus::Blocked);
  EXPECT_EQ(tile.hart(arch::Hart::Brisc).state().x[6], 6u) << "four were taken";
  start(tile, arch::Hart::Trisc1, [](Assembler& a) {
    load_constant(a, t0, arch::mailbox_address(0));
    a.li(t1, 10);
    a.li(t3, 0x200);
    const isa::Label loop = a.here();
    a.lw(t2, t0);
    a.sw(t2, t3);
    a.addi(t3, t3, 4);
    a.addi(t1, t1, -1);
    a.bnez(t1, loop);
    a.lw(t2, t0, 4);  // query: nothing left
    a.sw(t2, t3);
    a.lw(t2, t0);  // waits forever
  });
  world.run(4096);
  EXPECT_EQ(word(tile, 0x100), 1u);
  for (uint32_t i = 0; i < 10; ++i) EXPECT_EQ(word(tile, 0x200 + 4 * i), 10 - i);
  EXPECT_EQ(word(tile, 0x228), 0u);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc1).state().status, HartStatus::Blocked);
}

TEST_P(Windows, AWriterHoldsFourWordsInAllItsMailboxesTogether) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    for (int to = 0; to < 4; ++to) {
      load_constant(a, t0, arch::mailbox_address(to));
      a.sw(t0, t0);
    }
    a.sw(t0, t0);  // a fifth, anywhere, waits
    a.li(t2, 1);
    a.sw(t2, zero, 0x100);
  });
  world.run(512);
  EXPECT_EQ(tile.hart(arch::Hart::Brisc).state().status, HartStatus::Blocked);
  EXPECT_EQ(word(tile, 0x100), 0u);
}

TEST_P(Windows, ResetEmptiesWhatTheHartHasWritten) {
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    load_constant(a, t0, arch::mailbox_address(1));
    a.sw(t0, t0);
  });
  world.run(256);
  set(tile, arch::kSoftReset0, arch::kSoftResetAllHarts);
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    load_constant(a, t0, arch::mailbox_address(0));
    a.lw(t1, t0, 4);
    a.addi(t1, t1, 10);
    a.sw(t1, zero, 0x100);
  });
  world.run(256);
  EXPECT_EQ(word(tile, 0x100), 10u);
}

// --- PCBuf and TTSync ---

TEST_P(Windows, PcBufCarriesWordsAndTellsBriscWhenTheTriscIsDone) {
  start(tile, arch::Hart::Trisc2, [](Assembler& a) {
    a.li(t0, arch::kPcBufOfTrisc);
    const isa::Label loop = a.here();
    a.lw(t1, t0);
    a.sw(t1, zero, 0x200);
    a.j(loop);
  });
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    load_constant(a, t0, arch::pc_buf_address_of_brisc(2));
    a.li(t1, 40);
    const isa::Label loop = a.here();
    a.sw(t1, t0);
    a.addi(t1, t1, -1);
    a.bnez(t1, loop);
    a.lw(t2, t0);  // until TRISC2 has taken all and asks for more
    a.lw(t3, zero, 0x200);
    a.sw(t3, zero, 0x100);
  });
  world.run(8192);
  EXPECT_EQ(word(tile, 0x100), 1u);
}

TEST_P(Windows, TtSyncWaitsUntilTheThreadHasNothingInFlight) {
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.tensix(isa::tensix::SEMINIT{.sem_sel = 1 << 3, .init_value = 0, .max_value = 1});
    a.tensix(isa::tensix::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1 << 3, .stall_res = 0x1FF});
    a.li(t0, arch::kTtSyncThreadIdle);
    a.sw(zero, t0);
    a.lw(t1, t0);
    a.li(t2, 1);
    a.sw(t2, zero, 0x100);
  });
  world.run(2048);
  EXPECT_EQ(word(tile, 0x100), 0u);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc0).state().status, HartStatus::Blocked);
  start(tile, arch::Hart::Trisc1, [](Assembler& a) {
    a.li(t0, arch::semaphore_address(3));
    a.sw(zero, t0);  // post
  });
  world.run(2048);
  EXPECT_EQ(word(tile, 0x100), 1u);
}

// --- semaphores, GPRs ---

TEST_P(Windows, SemaphoreWindowCountsToFifteenAndNotBelowZero) {
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.li(t0, arch::semaphore_address(7));
    a.li(t1, 20);
    const isa::Label loop = a.here();
    a.sw(zero, t0);
    a.addi(t1, t1, -1);
    a.bnez(t1, loop);
    a.lw(t2, t0);
    a.sw(t2, zero, 0x100);
    a.li(t1, 1);
    a.sw(t1, t0);
    a.lw(t2, t0);
    a.sw(t2, zero, 0x104);
    a.li(t0, arch::semaphore_address(6));
    a.sw(t1, t0);
    a.lw(t2, t0);
    a.sw(t2, zero, 0x108);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 15u);
  EXPECT_EQ(word(tile, 0x104), 14u);
  EXPECT_EQ(word(tile, 0x108), 0u);
}

TEST_P(Windows, ATriscPollsASemaphoreUntilAnotherPosts) {
  start(tile, arch::Hart::Trisc1, [](Assembler& a) {
    a.li(t0, arch::semaphore_address(2));
    const isa::Label loop = a.here();
    a.lw(t1, t0);
    a.beqz(t1, loop);
    a.sw(t1, zero, 0x100);
  });
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc1).state().parked(), GetParam() == Mode::Fast);
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.li(t0, arch::semaphore_address(2));
    a.sw(zero, t0);
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0x100), 1u);
}

TEST_P(Windows, BriscSeesTheGprsOfAllThreadsATriscItsOwnRepeated) {
  start(tile, arch::Hart::Trisc1, [](Assembler& a) {
    a.li(t0, arch::kGprBase);
    a.li(t1, 0x12345678);
    a.sw(t1, t0, 0x300 + 8);
    a.lw(t2, t0, 8);
    a.sw(t2, zero, 0x100);
    a.lbu(t2, t0, 8 + 2);
    a.sw(t2, zero, 0x104);
  });
  world.run(512);
  EXPECT_EQ(word(tile, 0x100), 0x12345678u);
  EXPECT_EQ(word(tile, 0x104), 0x34u);
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    a.li(t0, arch::kGprBase);
    a.lw(t2, t0, 0x108);
    a.sw(t2, zero, 0x108);
    a.lw(t2, t0, 0x008);
    a.sw(t2, zero, 0x10C);
  });
  world.run(512);
  EXPECT_EQ(word(tile, 0x108), 0x12345678u);
  EXPECT_EQ(word(tile, 0x10C), 0u);
}

// --- pushes ---

TEST_P(Windows, PushesBlockWhenTheFifoIsFullAndNoneIsLost) {
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.tensix(isa::tensix::SEMINIT{.sem_sel = 1 << 0, .init_value = 0, .max_value = 15});
    a.tensix(isa::tensix::SEMINIT{.sem_sel = 1 << 1, .init_value = 0, .max_value = 15});
    a.tensix(isa::tensix::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1 << 1, .stall_res = 0x1FF});
    a.li(t0, arch::kInstructionPushBase);
    a.li(t1, static_cast<int64_t>(isa::tensix::SEMPOST{.sem_sel = 1 << 0}.encode()));
    a.li(t2, 100);
    const isa::Label loop = a.here();
    a.sw(t1, t0);
    a.addi(t2, t2, -1);
    a.bnez(t2, loop);
  });
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc0).state().status, HartStatus::Blocked);
  EXPECT_GT(tile.hart(arch::Hart::Trisc0).state().x[7], 50u);
  const auto waits = tile.describe_waits();
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].agent, Agent::Trisc0);
  EXPECT_EQ(waits[0].waits_for, wait::fifo(0));
  EXPECT_EQ(waits[1].agent, Agent::Thread0);
  start(tile, arch::Hart::Brisc, [](Assembler& a) {  // BRISC frees the thread of TRISC0 through thread 1
    load_constant(a, t0, arch::push_address_of_brisc(1));
    a.li(t1, static_cast<int64_t>(isa::tensix::SEMPOST{.sem_sel = 1 << 1}.encode()));
    a.sw(t1, t0);
  });
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc0).state().x[7], 0u);
  EXPECT_EQ(tile.coprocessor().state.semaphores[0].value, 15u);
  EXPECT_EQ(tile.counters().thread_instructions[0], 103u);
}

TEST_P(Windows, InlineInstructionsBlockWhenTheFifoIsFullAndNoneIsLost) {
  start(tile, arch::Hart::Trisc0, [](Assembler& a) {
    a.tensix(isa::tensix::SEMINIT{.sem_sel = 1 << 1, .init_value = 0, .max_value = 15});
    a.tensix(isa::tensix::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1 << 1, .stall_res = 0x1FF});
    a.li(t2, 25);
    const isa::Label loop = a.here();
    for (int n = 0; n < 4; ++n) a.tensix(isa::tensix::INCRWC{.rwc_d = 1});  // four neighbours may go in one cycle
    a.addi(t2, t2, -1);
    a.bnez(t2, loop);
  });
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc0).state().status, HartStatus::Blocked);
  EXPECT_GT(tile.hart(arch::Hart::Trisc0).state().x[7], 10u);
  EXPECT_EQ(tile.counters().thread_instructions[0], 2u);
  start(tile, arch::Hart::Brisc, [](Assembler& a) {
    load_constant(a, t0, arch::push_address_of_brisc(1));
    a.li(t1, static_cast<int64_t>(isa::tensix::SEMPOST{.sem_sel = 1 << 1}.encode()));
    a.sw(t1, t0);
  });
  world.run(4096);
  EXPECT_EQ(tile.hart(arch::Hart::Trisc0).state().x[7], 0u);
  EXPECT_EQ(tile.counters().thread_instructions[0], 102u);
}

TEST_P(Windows, StoreregReachesTheOverlayOnceItExecutes) {
  start(tile, arch::Hart::Trisc2, [](Assembler& a) {
    a.li(t0, arch::kGprBase);
    a.li(t1, 0x777);
    a.sw(t1, t0, 4 * 12);
    a.tensix(isa::tensix::STOREREG{.reg_addr = 0x1200A, .tdma_data_reg_index = 12});
  });
  world.run(1024);
  EXPECT_EQ(word(tile, 0xFFB48028), 0x777u);
  EXPECT_EQ(word(tile, 0xFFB484A4), 0x777u);
}

// tensix-datapath.md 5.7: with tracking on, a load of a GPR comes after the pushed instruction that writes it.
TEST_P(Windows, AutomaticTtSyncHoldsAnAccessBackForEarlierInstructions) {
  for (const bool tracked : {false, true}) {
    Tile& t = world.tile(tracked ? 2 : 1);
    start(t, arch::Hart::Trisc0, [&](Assembler& a) {
      a.tensix(isa::tensix::SETC16{.setc16_value = tracked ? 4u : 0u, .setc16_reg = 56});
      a.li(t0, arch::kTtSyncThreadIdle);
      a.lw(t1, t0);
      a.tensix(isa::tensix::SEMWAIT{.wait_sem_cond = 1, .sem_sel = 1, .stall_res = 0x1FF});
      a.tensix(isa::tensix::SETDMAREG{.reg_index_16b = 10, .payload_sig_sel = 77});
      a.li(t0, arch::kGprBase);
      a.lw(t2, t0, 4 * 5);
      a.sw(t2, zero, 0x100);
      a.li(t1, 1);
      a.sw(t1, zero, 0x104);
    });
    world.run(2048);
    EXPECT_EQ(word(t, 0x104), tracked ? 0u : 1u);
    start(t, arch::Hart::Trisc1, [&](Assembler& a) {
      a.li(t0, arch::kSemaphoreBase);
      a.sw(zero, t0);
    });
    world.run(2048);
    EXPECT_EQ(word(t, 0x104), 1u);
    EXPECT_EQ(word(t, 0x100), tracked ? 77u : 0u);
  }
}

TEST_P(Windows, AFaultOfAWindowNamesTheHartAndItsPc) {
  constexpr uint32_t kBehind = arch::kConfigBase + 4 * tensix::config_window::kEnd;
  start(tile, arch::Hart::Trisc1, [](Assembler& a) {
    load_constant(a, t0, kBehind);
    a.sw(zero, t0);
  });
  world.run(1024);
  const std::vector<Fault> faults = tile.faults().take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].agent, Agent::Trisc1);
  EXPECT_EQ(faults[0].address, kBehind);
  EXPECT_EQ(faults[0].pc, tile.hart(arch::Hart::Trisc1).state().pc);
  EXPECT_NE(faults[0].pc, 0u);
}

}  // namespace
}  // namespace kerr::emu

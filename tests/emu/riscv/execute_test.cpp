#include <gtest/gtest.h>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {
namespace {

struct Case {
  Op op;
  uint32_t a, b, expected;
};

uint32_t run_register_form(const Case& c) {
  LoneHart lone;
  // a and b come from L1, so that no other instruction under test is needed to make them
  lone.l1.store<uint32_t>(0x100, c.a);
  lone.l1.store<uint32_t>(0x104, c.b);
  lone.start({imm(Op::Lw, a0, 0, 0x100), imm(Op::Lw, a1, 0, 0x104), reg(c.op, a2, a0, a1)});
  lone.hart.run(0, 3);
  EXPECT_FALSE(lone.faults.any());
  return lone.hart.state().x[a2];
}

// tile.md 1.9
TEST(Execute, EcallAndEbreakPauseTheHartAndAreNoFault) {
  for (const Op op : {Op::Ecall, Op::Ebreak}) {
    LoneHart lone;
    lone.start({{.op = op}, imm(Op::Addi, a0, 0, 1)});
    lone.hart.run(0, 10);
    EXPECT_EQ(lone.hart.state().status, HartStatus::Paused);
    EXPECT_FALSE(lone.faults.any());
    EXPECT_EQ(lone.hart.state().pc, 0x1000u);
    EXPECT_EQ(lone.hart.alarm(), kNever);
    lone.hart.run(10, 20);
    EXPECT_EQ(lone.hart.state().x[a0], 0u) << "nothing lets it go on";
    EXPECT_NE(lone.hart.describe().find(op == Op::Ecall ? "paused at ecall, pc 0x1000" : "paused at ebreak, pc 0x1000"),
              std::string::npos)
        << lone.hart.describe();
    lone.hart.hold_reset();
    lone.hart.release_reset(0x1004, 20, false);
    lone.hart.run(20, 21);
    EXPECT_EQ(lone.hart.state().x[a0], 1u) << "but a reset";
  }
}

// Expected values worked out by hand from the RISC-V unprivileged manual (M, Zba, Zbb, Zbkb chapters).
TEST(Execute, RegisterInstructionsGiveTheManualsResults) {
  constexpr uint32_t kMin = 0x80000000;
  const Case cases[] = {
      {Op::Add, 0xFFFFFFFF, 2, 1},
      {Op::Sub, 1, 2, 0xFFFFFFFF},
      {Op::Sll, 1, 33, 2},
      {Op::Srl, kMin, 31, 1},
      {Op::Sra, kMin, 31, 0xFFFFFFFF},
      {Op::Slt, 0xFFFFFFFF, 0, 1},
      {Op::Sltu, 0xFFFFFFFF, 0, 0},
      {Op::Xor, 0xF0F0, 0xFF00, 0x0FF0},
      {Op::Or, 0xF0, 0x0F, 0xFF},
      {Op::And, 0xF0, 0x3C, 0x30},
      {Op::Mul, 0x10001, 0x10001, 0x00020001},
      {Op::Mulh, kMin, kMin, 0x40000000},
      {Op::Mulh, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {Op::Mulhsu, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF},
      {Op::Mulhu, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFE},
      {Op::Div, static_cast<uint32_t>(-7), 2, static_cast<uint32_t>(-3)},
      {Op::Div, 7, 0, 0xFFFFFFFF},
      {Op::Div, kMin, 0xFFFFFFFF, kMin},
      {Op::Divu, 7, 0, 0xFFFFFFFF},
      {Op::Divu, 0xFFFFFFFF, 16, 0x0FFFFFFF},
      {Op::Rem, static_cast<uint32_t>(-7), 2, static_cast<uint32_t>(-1)},
      {Op::Rem, 7, 0, 7},
      {Op::Rem, kMin, 0xFFFFFFFF, 0},
      {Op::Remu, 7, 0, 7},
      {Op::Remu, 100, 7, 2},
      {Op::Sh1add, 3, 100, 106},
      {Op::Sh2add, 3, 100, 112},
      {Op::Sh3add, 3, 100, 124},
      {Op::Andn, 0xFF, 0x0F, 0xF0},
      {Op::Orn, 0x0F, 0xFFFFFF00, 0xFF},
      {Op::Xnor, 0xFF00FF00, 0xFF00FF00, 0xFFFFFFFF},
      {Op::Max, 0xFFFFFFFF, 1, 1},
      {Op::Maxu, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {Op::Min, 0xFFFFFFFF, 1, 0xFFFFFFFF},
      {Op::Minu, 0xFFFFFFFF, 1, 1},
      {Op::Rol, 0x80000001, 1, 3},
      {Op::Ror, 0x80000001, 1, 0xC0000000},
      {Op::Rol, 0x12345678, 32, 0x12345678},
      {Op::Pack, 0xAAAA1234, 0xBBBB5678, 0x56781234},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(run_register_form(c), c.expected) << isa::riscv::row(c.op).text << " " << std::hex << c.a << ", " << c.b;
  }
}

TEST(Execute, UnaryInstructionsGiveTheManualsResults) {
  struct Unary {
    Op op;
    uint32_t a, expected;
  };
  // clang-format off
  const Unary cases[] = {
      {Op::Clz, 0, 32},           {Op::Clz, 1, 31},
      {Op::Ctz, 0, 32},           {Op::Ctz, 0x80000000, 31},
      {Op::Cpop, 0xF0F0F0F0, 16}, {Op::SextB, 0x180, 0xFFFFFF80},
      {Op::SextH, 0x18000, 0xFFFF8000}, {Op::OrcB, 0x00120400, 0x00FFFF00},
      {Op::Rev8, 0x12345678, 0x78563412}, {Op::Brev8, 0x01800F10, 0x8001F008},
  };
  // clang-format on
  for (const Unary& c : cases) {
    LoneHart lone;
    lone.l1.store<uint32_t>(0x100, c.a);
    lone.start({imm(Op::Lw, a0, 0, 0x100), imm(c.op, a2, a0, 0)});
    lone.hart.run(0, 2);
    EXPECT_EQ(lone.hart.state().x[a2], c.expected) << isa::riscv::row(c.op).text;
  }
}

TEST(Execute, LoadsExtendAndStoresTruncate) {
  LoneHart lone;
  lone.l1.store<uint32_t>(0x100, 0x8180FF7F);
  lone.start({imm(Op::Lb, 5, 0, 0x101), imm(Op::Lbu, 6, 0, 0x101), imm(Op::Lh, 7, 0, 0x102), imm(Op::Lhu, 8, 0, 0x102),
              store(Op::Sb, 8, 0, 0x110), store(Op::Sh, 5, 0, 0x114)});
  lone.hart.run(0, 6);
  EXPECT_EQ(lone.hart.state().x[5], 0xFFFFFFFFu);
  EXPECT_EQ(lone.hart.state().x[6], 0xFFu);
  EXPECT_EQ(lone.hart.state().x[7], 0xFFFF8180u);
  EXPECT_EQ(lone.hart.state().x[8], 0x8180u);
  EXPECT_EQ(lone.l1.load<uint32_t>(0x110), 0x80u);
  EXPECT_EQ(lone.l1.load<uint32_t>(0x114), 0xFFFFu);
}

// The vector of docs/hardware/tile.md 9.
TEST(Execute, AtomicsReturnTheOldValueAndUpdateMemory) {
  LoneHart lone;
  lone.l1.store<uint32_t>(0x200, 5);
  lone.start({imm(Op::Addi, a0, 0, 0x200), imm(Op::Addi, a1, 0, -7), reg(Op::AmoaddW, 5, a0, a1),
              reg(Op::AmominuW, 6, a0, a1), reg(Op::AmomaxW, 7, a0, 0), reg(Op::AmoswapW, 8, a0, a1)});
  lone.hart.run(0, 6);
  EXPECT_EQ(lone.hart.state().x[5], 5u);
  EXPECT_EQ(lone.hart.state().x[6], 0xFFFFFFFEu);
  EXPECT_EQ(lone.hart.state().x[7], 0xFFFFFFF9u);
  EXPECT_EQ(lone.hart.state().x[8], 0u);
  EXPECT_EQ(lone.l1.load<uint32_t>(0x200), 0xFFFFFFF9u);
}

TEST(Execute, RegisterZeroStaysZeroAndJalrClearsBitZero) {
  LoneHart lone;
  lone.start({imm(Op::Addi, 0, 0, 5), imm(Op::Addi, a0, 0, 0x101), imm(Op::Jalr, 1, a0, 0)});
  lone.hart.run(0, 3);
  EXPECT_EQ(lone.hart.state().x[0], 0u);
  EXPECT_EQ(lone.hart.state().x[1], 0x100Cu);
  EXPECT_EQ(lone.hart.state().pc, 0x100u);
}

TEST(Execute, TtinsnPushesTheRotatedWordAndWaitsWhenTheFifoIsFull) {
  LoneHart lone;
  lone.fifo_room = 1;
  lone.start({{.op = Op::Ttinsn, .imm = 0x02000000}, {.op = Op::Ttinsn, .imm = 0x37000001}});
  lone.hart.run(0, 10);
  EXPECT_EQ(lone.pushed, std::vector<uint32_t>{0x02000000});
  EXPECT_EQ(lone.hart.state().status, HartStatus::Blocked);
  EXPECT_EQ(lone.hart.state().waits_for, wait::fifo(0));
  lone.fifo_room = 2;
  lone.hart.wake(64);
  lone.hart.run(64, 65);
  EXPECT_EQ(lone.pushed.back(), 0x37000001u);
  EXPECT_EQ(lone.hart.state().instructions, 2u);
}

TEST(Execute, CodeThatAStoreHasChangedIsSeen) {
  LoneHart lone;
  // The third instruction is overwritten by the second, in the line that runs.
  lone.l1.store<uint32_t>(0x100, isa::riscv::encode(imm(Op::Addi, a1, 0, 42)));
  lone.start({imm(Op::Lw, a0, 0, 0x100), store(Op::Sw, a0, 0, 0x208), imm(Op::Addi, a1, 0, 1)}, 0x200);
  lone.hart.run(0, 3);
  EXPECT_EQ(lone.hart.state().x[a1], 42u);
}

TEST(Execute, BadAccessesAreFaultsThatNameTheAddress) {
  struct Bad {
    Instruction instruction;
    FaultCategory category;
    uint64_t address;
  };
  const Bad cases[] = {
      {imm(Op::Lw, a0, 0, 0x102), FaultCategory::Misaligned, 0x102},
      {store(Op::Sh, 0, 0, 0x101), FaultCategory::Misaligned, 0x101},
      {reg(Op::AmoaddW, a0, 31, 0), FaultCategory::UndefinedBehavior, 0xFFB00000},
      {{.op = Op::Illegal, .imm = 0x7F}, FaultCategory::UndefinedBehavior, 0x1004},
      {imm(Op::Jalr, 0, 31, 0), FaultCategory::UndefinedBehavior, 0xFFB00000},
      {imm(Op::Jalr, 0, 0, 2), FaultCategory::UndefinedBehavior, 2},
      {{.op = Op::Csrrs, .rd = a0, .csr = 0x123}, FaultCategory::Unsupported, 0x123},
  };
  for (const Bad& c : cases) {
    LoneHart lone;
    lone.start({upper(31, 0xFFB00000), c.instruction});
    lone.hart.run(0, 10);
    EXPECT_EQ(lone.hart.state().status, HartStatus::Halted);
    const std::vector<Fault> faults = lone.faults.take();
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].category, c.category);
    EXPECT_EQ(faults[0].address, c.address);
    EXPECT_FALSE(faults[0].what.empty());
  }
}

TEST(Execute, AJumpIntoTheMiddleOfAnInstructionIsAFaultAtOnce) {
  for (int turns = 1; turns <= 40; ++turns) {
    LoneHart lone;
    lone.start({
        imm(Op::Addi, a1, 0, turns),
        imm(Op::Addi, a0, a0, 1),
        {.op = Op::Beq, .rs1 = a0, .rs2 = a1, .imm = 6},  // 0x1008: to 0x100E, which is in the same line
        {.op = Op::Jal, .rd = 0, .imm = -8},
    });
    lone.hart.run(0, 1000);
    const std::vector<Fault> faults = lone.faults.take();
    ASSERT_EQ(faults.size(), 1u) << turns;
    EXPECT_EQ(faults[0].address, 0x100Eu);
    EXPECT_EQ(faults[0].cycle, 3u * static_cast<unsigned>(turns)) << turns;
  }
}

TEST(Execute, AJumpIntoZeroedMemoryIsAFaultOfTheHartThatWentThere) {
  LoneHart lone;
  lone.start({jump(0, 0x800)});
  lone.hart.run(0, 100);
  const std::vector<Fault> faults = lone.faults.take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].agent, Agent::Brisc);
  EXPECT_EQ(faults[0].pc, 0x1800u);
  EXPECT_EQ(faults[0].instruction, 0u);
  EXPECT_NE(faults[0].advice.find("zeroed memory"), std::string::npos);
  EXPECT_TRUE(lone.pushed.empty());
}

TEST(Execute, AFaultWhereNothingCanBeFetchedShowsNoInstruction) {
  LoneHart lone;
  lone.start({upper(a0, 0x200000), imm(Op::Jalr, 0, a0, 0)});
  lone.hart.run(0, 100);
  const std::vector<Fault> faults = lone.faults.take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].text().find("ttinsn"), std::string::npos) << faults[0].text();
}

TEST(Execute, CfgZeroResetsToTheStoreMergeTimer) {
  LoneHart lone;
  lone.start({{.op = Op::Csrrsi, .rd = a0, .csr = 0x7C0, .imm = 8}, {.op = Op::Csrrs, .rd = a1, .csr = 0x7C0}});
  lone.hart.run(0, 2);
  EXPECT_EQ(lone.hart.state().x[a0], 0x00020000u);
  EXPECT_EQ(lone.hart.state().x[a1], 0x00020008u);
}

TEST(Execute, TriscsHaveHalfTheLocalMemory) {
  LoneHart brisc;
  brisc.start({upper(a0, 0xFFB01000), store(Op::Sw, a0, a0, 0), imm(Op::Lw, a1, a0, 0)});
  brisc.hart.run(0, 3);
  EXPECT_EQ(brisc.hart.state().x[a1], 0xFFB01000u);

  LoneHart trisc(arch::Hart::Trisc0);
  trisc.start({upper(a0, 0xFFB01000), store(Op::Sw, a0, a0, 0)});
  trisc.hart.run(0, 3);
  EXPECT_EQ(trisc.hart.state().local.size(), 4096u);
}

}  // namespace
}  // namespace kerr::emu

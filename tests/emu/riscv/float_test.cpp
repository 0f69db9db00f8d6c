// Scalar float instructions against recorded vectors, and their place in the loops.
#include <gtest/gtest.h>

#include "tests/emu/riscv/lone_hart.hpp"

namespace kerr::emu {
namespace {

struct Vector {
  Op op;
  uint32_t a, b, c, expected;
};

constexpr Vector kVectors[] = {
#define FLOAT(op, a, b, c, result) {Op::op, a, b, c, result},
#include "tests/emu/riscv/float_vectors.def"
};

Instruction floating(Op op, uint8_t rd, uint8_t rs1, uint8_t rs2 = 0, uint8_t rs3 = 0) {
  const bool rounds = isa::riscv::decode(isa::riscv::encode({.op = op, .rm = 7})).rm == 7;
  return {.op = op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .rs3 = rs3, .rm = static_cast<uint8_t>(rounds ? 7 : 0)};
}

// Operands and result pass through whichever file the instruction uses.
uint32_t run(const Vector& v, bool exact) {
  constexpr uint8_t kF1 = 1, kF2 = 2, kF3 = 3, kF4 = 4;
  const isa::riscv::FloatOperands files = isa::riscv::float_operands(isa::riscv::row(v.op).format);
  LoneHart lone(arch::Hart::Brisc, {.timing = exact ? Timing::Exact : Timing::Relaxed});
  lone.l1.store<uint32_t>(0x100, v.a);
  lone.l1.store<uint32_t>(0x104, v.b);
  lone.l1.store<uint32_t>(0x108, v.c);
  lone.start({imm(Op::Flw, kF1, 0, 0x100), imm(Op::Lw, a1, 0, 0x100), imm(Op::Flw, kF2, 0, 0x104),
              imm(Op::Flw, kF3, 0, 0x108), floating(v.op, files.rd ? kF4 : a2, files.rs1 ? kF1 : a1, kF2, kF3),
              files.rd ? store(Op::Fsw, kF4, 0, 0x10C) : store(Op::Sw, a2, 0, 0x10C), jump(0, 0)});
  const Cycle no_limit = kNever;
  if (exact)
    lone.hart.run_exact(0, 200, no_limit);
  else
    lone.hart.run(0, 200);
  EXPECT_FALSE(lone.faults.any()) << isa::riscv::row(v.op).text;
  return lone.l1.load<uint32_t>(0x10C);
}

TEST(FloatInstruction, GivesTheRecordedResultInBothTimings) {
  for (const Vector& v : kVectors) {
    for (const bool exact : {false, true}) {
      ASSERT_EQ(run(v, exact), v.expected)
          << isa::riscv::row(v.op).text << std::hex << " of " << v.a << ", " << v.b << ", " << v.c;
    }
  }
}

TEST(FloatInstruction, WithAStaticRoundingModeThatNobodyHasMeasuredFaults) {
  LoneHart lone;
  lone.start({{.op = Op::FcvtWS, .rd = a0, .rs1 = 1, .rm = 1}});
  lone.hart.run(0, 10);
  const std::vector<Fault> faults = lone.faults.take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].category, FaultCategory::Unsupported);
  EXPECT_NE(faults[0].what.find("rounding mode 1 of fcvt.w.s"), std::string::npos);
}

TEST(FloatInstruction, MakesFcsrUnreadableUntilItIsWritten) {
  constexpr uint16_t kFcsr = 3;
  const Instruction read{.op = Op::Csrrs, .rd = a0, .csr = kFcsr}, write{.op = Op::Csrrw, .csr = kFcsr};
  const Instruction add = floating(Op::FaddS, 1, 1, 1), class_to_x0 = floating(Op::FclassS, 0, 1);
  for (const Scheduler scheduler : {Scheduler::Fast, Scheduler::Reference}) {
    const auto faults = [&](std::initializer_list<Instruction> program) {
      LoneHart lone(arch::Hart::Brisc, {.scheduler = scheduler});
      lone.start(program);
      lone.hart.run(0, 20);
      return lone.faults.any();
    };
    EXPECT_FALSE(faults({imm(Op::Flw, 1, 0, 0x100), store(Op::Fsw, 1, 0, 0x104), read, jump(0, 0)}));
    EXPECT_TRUE(faults({add, read, jump(0, 0)}));
    EXPECT_TRUE(faults({class_to_x0, read, jump(0, 0)}));
    EXPECT_FALSE(faults({add, write, read, jump(0, 0)}));
    EXPECT_TRUE(faults({add, write, read, add, read, jump(0, 0)}));
  }
}

// What a float store overwrites is executed as it is then.
TEST(FloatStore, ChangesCodeThatFollows) {
  LoneHart lone;
  lone.l1.store(0x100, isa::riscv::encode(imm(Op::Addi, a0, 0, 2)));
  lone.start({imm(Op::Flw, 1, 0, 0x100), upper(t0, 0x1000), store(Op::Fsw, 1, t0, 12), imm(Op::Addi, a0, 0, 1), jump(0, 0)});
  lone.hart.run(0, 10);
  EXPECT_EQ(lone.hart.state().x[a0], 2u);
}

TEST(FloatLoad, OfAMisalignedAddressFaultsAndChangesNothing) {
  LoneHart lone;
  lone.l1.store<uint32_t>(0x104, 1);
  lone.start({imm(Op::Flw, 1, 0, 0x102), jump(0, 0)});
  lone.hart.run(0, 10);
  const std::vector<Fault> faults = lone.faults.take();
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].category, FaultCategory::Misaligned);
  EXPECT_EQ(faults[0].pc, 0x1000u);
  EXPECT_EQ(lone.hart.state().f[1], 0u);
}

TEST(FloatInstruction, NeverWritesX0) {
  LoneHart lone;
  lone.l1.store<uint32_t>(0x100, 0x3F800000);
  lone.start({imm(Op::Flw, 1, 0, 0x100), floating(Op::FmvXW, 0, 1), jump(0, 0)});
  lone.hart.run(0, 10);
  EXPECT_FALSE(lone.faults.any());
  EXPECT_EQ(lone.hart.state().x[0], 0u);
}

TEST(FloatRegisters, AreClearedByResetAndAreNotIntegerRegisters) {
  LoneHart lone;
  lone.l1.store<uint32_t>(0x100, 0x12345678);
  lone.start({imm(Op::Flw, a0, 0, 0x100), jump(0, 0)});
  lone.hart.run(0, 10);
  EXPECT_EQ(lone.hart.state().f[a0], 0x12345678u);
  EXPECT_EQ(lone.hart.state().x[a0], 0u);
  lone.hart.hold_reset();
  lone.hart.release_reset(0x1004, 20, true);
  EXPECT_EQ(lone.hart.state().f[a0], 0u);
}

// A loop that polls an L1 word and counts its turns in a float register is no polling loop: the count goes on.
TEST(FloatRegisters, ThatALoopChangesKeepItFromParking) {
  for (const bool parks : {false, true}) {
    LoneHart lone(arch::Hart::Brisc, {.parking = parks});
    lone.l1.store<uint32_t>(0x100, 0x3F800000);
    lone.start({imm(Op::Flw, 1, 0, 0x100), imm(Op::Lw, a0, 0, 0x200), floating(Op::FaddS, 2, 2, 1),
                branch(Op::Beq, a0, 0, -8)});
    lone.run(1 + 3 * 1000);
    EXPECT_EQ(lone.hart.state().status, HartStatus::Running);
    EXPECT_EQ(lone.hart.state().f[2], 0x447A0000u) << "1000.0";
  }
}

// The turn's loaded value lands in a register that turns are not compared by.
TEST(FloatRegisters, LoadedInALoopKeepItFromParking) {
  LoneHart lone;
  lone.start({imm(Op::Flw, 1, 0, 0x100), jump(0, -4)});
  lone.run(5000);
  EXPECT_EQ(lone.hart.state().status, HartStatus::Running);
}

// fadd of a value that has just been loaded waits for it; of another one it does not.
TEST(FloatRegisters, AreOnTheScoreboardOfExactTiming) {
  const auto cycles = [](uint8_t operand) {
    LoneHart lone(arch::Hart::Brisc, {.timing = Timing::Exact});
    lone.start({imm(Op::Flw, 1, 0, 0x100), floating(Op::FaddS, 3, operand, operand), jump(0, 0)});
    const Cycle no_limit = kNever;
    Cycle end = 0;
    while (lone.hart.state().instructions < 2 && end < 100) lone.hart.run_exact(0, ++end, no_limit);
    return end;
  };
  EXPECT_GT(cycles(1), cycles(2));
}

}  // namespace
}  // namespace kerr::emu

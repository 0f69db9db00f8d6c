// What a kernel begins and ends with, and what a stream knows of its registers while it is written.
#include "kernels/blocks/frame.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "isa/disassembler.hpp"
#include "kernels/elementwise/streams.hpp"
#include "kernels/matmul/streams.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;
using Lines = std::vector<std::string>;

Lines text_of(const isa::Code& code) {
  Lines lines;
  for (uint32_t at = code.base; at < code.end(); at += 4) lines.push_back(isa::disassemble(code.word_at(at)));
  return lines;
}

TEST(Frame, SavesOnlyWhatIsWrittenBeforeItsEnd) {
  Stream a;
  enter(a);
  const isa::Label top = a.here();
  a.addi(s3, s3, 1);
  a.lw(s11, s5);
  a.bnez(s7, top);
  leave(a);
  EXPECT_EQ(text_of(a.finish()),
            (Lines{"addi sp, sp, -48", "sw s3, 12(sp)", "sw s11, 44(sp)", "addi s3, s3, 1", "lw s11, 0(s5)",
                   "bnez s7, .-8", "lw s3, 12(sp)", "lw s11, 44(sp)", "addi sp, sp, 48", "ret"}));
}

TEST(Frame, IsNothingForOneThatWritesNoneAndHasNoLocals) {
  Stream a;
  enter(a);
  a.li(a0, 1);
  leave(a);
  EXPECT_EQ(text_of(a.finish()), (Lines{"li a0, 1", "ret"}));
}

TEST(Frame, HasItsLocalsBelowWhatItSaves) {
  Stream a;
  enter(a, 16);
  a.sw(zero, sp, 12);
  a.li(s0, 1);
  leave(a);
  EXPECT_EQ(text_of(a.finish()), (Lines{"addi sp, sp, -64", "sw s0, 16(sp)", "sw zero, 12(sp)", "li s0, 1",
                                        "lw s0, 16(sp)", "addi sp, sp, 64", "ret"}));
}

TEST(Frame, EndsNoneThatNeverBegan) {
  Stream a;
  EXPECT_THROW(leave(a), std::logic_error);
}

TEST(Frame, ThatIsNotLeftIsNoKernel) {
  Stream a;
  enter(a);
  EXPECT_THROW(Kernel::from(a), std::logic_error);
  leave(a);
  EXPECT_NO_THROW(Kernel::from(a));
}

// Whatever a kernel writes of s0..s11 it has stored to its frame before, and loads from there at its end.
void expect_restored(const Kernel& kernel) {
  const auto is_saved = [](uint32_t reg) { return reg == 8 || reg == 9 || (reg >= 18 && reg <= 27); };
  const isa::Code& code = kernel.code;
  constexpr int kNowhere = -1;
  std::array<int, 32> place, restored;
  place.fill(kNowhere);
  restored.fill(kNowhere);
  std::array<bool, 32> written{};
  for (uint32_t at = code.base; at < code.end(); at += 4) {
    const uint32_t word = code.word_at(at);
    if (isa::riscv::is_ttinsn(word)) continue;
    const isa::riscv::Instruction i = isa::riscv::decode(word);
    const bool of_frame = i.rs1 == 2;
    if (i.op == isa::riscv::Op::Sw && of_frame && is_saved(i.rs2) && !written[i.rs2]) place[i.rs2] = i.imm;
    if (!is_saved(i.rd)) continue;
    EXPECT_NE(place[i.rd], kNowhere) << "x" << int{i.rd} << " is written at " << at << " and was not saved";
    written[i.rd] = true;
    restored[i.rd] = i.op == isa::riscv::Op::Lw && of_frame ? i.imm : kNowhere;
  }
  for (uint32_t reg = 0; reg < 32; ++reg) {
    EXPECT_EQ(written[reg], place[reg] != kNowhere) << "x" << reg << " is saved for nothing";
    EXPECT_EQ(restored[reg], place[reg]) << "x" << reg << " is not what it was";
  }
}

TEST(Frame, GivesAllKernelsOfAMatmulBackWhatTheyWrite) {
  for (const uint32_t batch : {1u, 3u}) {
    for (const bool fp32 : {false, true}) {
      const MatmulOptions options{.fp32_accumulate = fp32, .batch = batch};
      MatmulPlan plan = plan_matmul_direct({512, 512, 512}, 16, options);
      for (const Kernel& kernel : {matmul::unpack(plan), matmul::math(plan), matmul::pack(plan),
                                   matmul::reader(plan, arch::kFwB), matmul::writer(plan, arch::kFwB)})
        expect_restored(kernel);
    }
  }
}

TEST(Stream, LoadsAConstantOnlyIntoARegisterThatDoesNotHaveIt) {
  Stream a;
  a.li(t0, 0x12345000);
  a.li(t0, 0x12345000);
  a.sw(t0, a0);
  a.li(t0, 0x12345678);  // not far from there
  a.addi(t0, t0, 1);
  a.li(t0, 0x12345678);
  EXPECT_EQ(text_of(a.finish()), (Lines{"lui t0, 0x12345", "sw t0, 0(a0)", "addi t0, t0, 1656", "addi t0, t0, 1",
                                        "lui t0, 0x12345", "addi t0, t0, 1656"}));
}

TEST(Stream, KnowsNoConstantWhereCodeFromElsewhereArrives) {
  Stream a;
  a.li(t0, 1);
  const isa::Label top = a.here();
  a.li(t0, 1);
  a.bnez(a0, top);
  a.li(t0, 1);
  a.call(top);
  a.li(t0, 1);
  EXPECT_EQ(text_of(a.finish()), (Lines{"li t0, 1", "li t0, 1", "bnez a0, .-4", "jal ra, .-8", "li t0, 1"}));
}

TEST(Stream, KnowsBehindALoopWhatTheLoopDoesNotWrite) {
  Stream a;
  a.li(t0, 1);
  a.li(t1, 2);
  a.repeat(s0, 3, [&] { a.addi(t1, t1, 1); });
  a.li(t0, 1);
  a.li(t1, 2);
  EXPECT_EQ(text_of(a.finish()), (Lines{"li t0, 1", "li t1, 2", "li s0, 3", "addi t1, t1, 1", "addi s0, s0, -1",
                                        "bnez s0, .-8", "li t1, 2"}));
}

TEST(Stream, KnowsNothingBehindALoopThatCalls) {
  Stream a;
  const isa::Label callee = a.here();
  a.li(t0, 1);
  a.repeat(s0, 3, [&] { a.jal(t6, callee); });
  a.li(t0, 1);
  EXPECT_EQ(text_of(a.finish()).back(), "li t0, 1");
}

TEST(Stream, TurnsOnceWithoutALoop) {
  Stream a;
  a.repeat(s0, 1, [&] { a.fence(); });
  EXPECT_EQ(text_of(a.finish()), (Lines{"fence"}));
}

}  // namespace
}  // namespace kerr::kernels

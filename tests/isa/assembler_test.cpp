#include "isa/assembler.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "isa/disassembler.hpp"
#include "isa/errors.hpp"

namespace kerr::isa {
namespace {

using namespace reg;

// The instructions of the code, one per line, targets relative.
std::vector<std::string> text_of(const Code& code) {
  std::vector<std::string> lines;
  for (uint32_t at = code.base; at < code.end(); at += 4) lines.push_back(disassemble(code.word_at(at)));
  return lines;
}

using Lines = std::vector<std::string>;

TEST(Assembler, OneMethodPerInstruction) {
  Assembler a;
  a.addi(a0, a0, 4);
  a.lw(t0, a1, 8);
  a.sw(t0, a1, -8);
  a.and_(t1, t0, a0);
  a.jalr(ra, t0, 12);
  a.lui(t0, 0xFFB12);
  a.csrrs(t0, csr::kCfg0, zero);
  a.amoadd_w(t0, t1, a0);
  a.sh2add(t0, t1, t2);
  a.flw(fa0, sp, 4);
  a.fmadd_s(fa0, fa1, fa2, fa3);
  a.fence();
  EXPECT_EQ(text_of(a.finish()), (Lines{"addi a0, a0, 4", "lw t0, 8(a1)", "sw t0, -8(a1)", "and t1, t0, a0",
                                        "jalr ra, 12(t0)", "lui t0, 0xffb12", "csrr t0, cfg0", "amoadd.w t0, t1, (a0)",
                                        "sh2add t0, t1, t2", "flw fa0, 4(sp)", "fmadd.s fa0, fa1, fa2, fa3", "fence"}));
}

TEST(Assembler, AnInstructionCanBeTakenBack) {
  Assembler a;
  const Label end = a.label("end");
  const Assembler::Position first = a.position();
  a.sw(s0, sp, 4);
  const Label second = a.here("second");
  const Assembler::Position third = a.position();
  a.sw(s1, sp, 8);
  a.j(end);
  a.bnez(t0, second);
  a.bind(end);
  a.erase(first);
  a.erase(third);
  EXPECT_EQ(a.size_bytes(), 8u);
  const Code code = a.finish(0x1000);
  EXPECT_EQ(text_of(code), (Lines{"j .+8", "bnez t0, .-4"}));
  EXPECT_EQ(code.address_of("second"), 0x1000u);
  EXPECT_EQ(code.lines.size(), 2u);
  EXPECT_THROW(a.erase(a.position()), AssemblerError);
}

TEST(Assembler, KnowsWhichRegistersItsCodeWrites) {
  Assembler a;
  const Label top = a.here();
  a.lw(s1, a0);
  a.sw(a1, a0);
  a.tensix(tensix::NOP{});
  a.beq(a2, a3, top);
  a.la(t1, top);
  a.call(top);
  EXPECT_EQ(a.written() & ~1u, 1u << s1.number | 1u << t1.number | 1u << ra.number);
}

TEST(Assembler, LabelsReachForwardAndBackward) {
  Assembler a;
  const Label done = a.label("done");
  const Label loop = a.here("loop");
  a.beqz(t0, done);
  a.addi(t0, t0, -1);
  a.j(loop);
  a.bind(done);
  a.ret();
  const Code code = a.finish(0x1000);
  EXPECT_EQ(text_of(code), (Lines{"beqz t0, .+12", "addi t0, t0, -1", "j .-8", "ret"}));
  EXPECT_EQ(code.address_of("loop"), 0x1000u);
  EXPECT_EQ(code.address_of("done"), 0x100Cu);
}

TEST(Assembler, ABranchThatDoesNotReachBecomesAnInvertedBranchOverAJump) {
  Assembler a;
  const Label far = a.label("far");
  const Label start = a.here();
  a.blt(a0, a1, far);
  for (int i = 0; i < 1100; ++i) a.nop();
  a.bind(far);
  a.bgeu(a0, a1, start);
  const Code code = a.finish();
  EXPECT_EQ(disassemble(code.word_at(0)), "bge a0, a1, .+8");
  EXPECT_EQ(disassemble(code.word_at(4)), "j .+4404");
  EXPECT_EQ(code.address_of("far"), 8u + 4400u);
  EXPECT_EQ(disassemble(code.word_at(4408)), "bltu a0, a1, .+8");
  EXPECT_EQ(disassemble(code.word_at(4412)), "j .-4412");
}

TEST(Assembler, LengtheningOneBranchMayPushAnotherOutOfReach) {
  Assembler a;
  const Label near = a.label(), far = a.label();
  a.beq(a0, a1, near);  // reaches exactly as long as the next branch is short
  a.beq(a0, a1, far);
  for (int i = 0; i < 1021; ++i) a.nop();
  a.bind(near);
  for (int i = 0; i < 8; ++i) a.nop();
  a.bind(far);
  a.nop();
  const Code code = a.finish();
  EXPECT_EQ(disassemble(code.word_at(0)), "bne a0, a1, .+8");
  EXPECT_EQ(disassemble(code.word_at(4)), "j .+4096");
  EXPECT_EQ(disassemble(code.word_at(8)), "bne a0, a1, .+8");
}

TEST(Assembler, TensixInstructionsAreEmittedInline) {
  Assembler a;
  a.tensix(tensix::MVMUL{.dst = 8, .addr_mode = 1});
  a.ttinsn(0x60000000);
  const Code code = a.finish();
  EXPECT_EQ(text_of(code), (Lines{"MVMUL dst=8, addr_mode=1", "DMANOP"}));
  EXPECT_EQ(code.word_at(4), 0x80000001u);
  EXPECT_THROW(a.tensix(tensix::MVMUL{.dst = 1024}), RangeError);
  EXPECT_THROW(a.ttinsn(0xC0000000), RangeError);
}

// What a hart would have in the register after running the code of a li or la.
uint32_t value_of(const Code& code, uint32_t pc) {
  uint32_t x = 0;
  for (; pc < code.end(); pc += 4) {
    const riscv::Instruction i = riscv::decode(code.word_at(pc));
    const auto imm = static_cast<uint32_t>(i.imm);
    if (i.op == riscv::Op::Lui) x = imm;
    if (i.op == riscv::Op::Auipc) x = pc + imm;
    if (i.op == riscv::Op::Addi) x = (i.rs1 == 0 ? 0 : x) + imm;
  }
  return x;
}

RC_GTEST_PROP(Assembler, LiLoadsAnyValueInAtMostTwoInstructions, (uint32_t value)) {
  for (const uint32_t v :
       {value, value & 0xFFF, value & 0xFFFFF000, ~(value & 0x7FF), 0x7FFFFFFFu, 0x80000000u, 0xFFFFF800u}) {
    Assembler a;
    a.li(t0, v);
    const Code code = a.finish();
    RC_ASSERT(code.bytes.size() <= 8u);
    RC_ASSERT(value_of(code, 0) == v);
    Assembler b;
    b.li(t0, static_cast<int32_t>(v));
    RC_ASSERT(b.finish().bytes == code.bytes);
  }
}

TEST(Assembler, LiIsOneInstructionWhereOneDoes) {
  Assembler a;
  a.li(t0, -2048);
  a.li(t0, 2047);
  a.li(t0, 0x12345000);
  a.li(t0, 0x12345FFF);
  EXPECT_EQ(text_of(a.finish()),
            (Lines{"li t0, -2048", "li t0, 2047", "lui t0, 0x12345", "lui t0, 0x12346", "addi t0, t0, -1"}));
  EXPECT_THROW(a.li(t0, 1ll << 32), RangeError);
  EXPECT_THROW(a.li(t0, -(1ll << 31) - 1), RangeError);
}

TEST(Assembler, LaIsPositionIndependent) {
  Assembler a;
  const Label table = a.label("table");
  a.la(t0, table);
  a.align(16);
  a.bind(table);
  a.word(0x12345678);
  a.word(table);
  for (const uint32_t base : {0u, 0x1000u, 0xFFF0u, 0x17F7FCu & ~3u}) {
    const Code code = a.finish(base);
    Code first_two = code;
    first_two.bytes.resize(8);
    EXPECT_EQ(value_of(first_two, base), code.address_of("table"));
    EXPECT_EQ(code.address_of("table") % 16, 0u);
    EXPECT_EQ(code.word_at(code.address_of("table") + 4), code.address_of("table"))
        << "a word holds the absolute address";
  }
}

TEST(Assembler, MistakesWithLabelsNameTheLabelAndTheLine) {
  Assembler a;
  const Label lost = a.label("lost");
  a.beqz(t0, lost);
  try {
    a.finish();
    FAIL();
  } catch (const AssemblerError& e) {
    EXPECT_NE(std::string(e.what()).find("label 'lost' is used but never bound"), std::string::npos) << e.what();
    EXPECT_EQ(std::string(e.what()).find("tests/isa/assembler_test.cpp:"), 0u) << e.what();
  }
  a.bind(lost);
  EXPECT_THROW(a.bind(lost), AssemblerError);
  EXPECT_THROW(a.label("lost"), AssemblerError);
  EXPECT_THROW(a.beqz(t0, Label{}), AssemblerError);
  EXPECT_THROW(a.emit({.op = riscv::Op::Add}, lost), AssemblerError);
  EXPECT_THROW(a.finish(2), AssemblerError);
}

TEST(Assembler, AJumpBeyondAMebibyteIsRefused) {
  Assembler a;
  const Label far = a.label("far");
  a.j(far);
  const std::vector<uint8_t> gap(1 << 20);
  a.bytes(gap);
  a.bind(far);
  EXPECT_THROW(a.finish(), AssemblerError);
}

TEST(Assembler, CodeMustBeAligned) {
  Assembler a;
  const uint8_t bytes[] = {1, 2, 3};
  a.bytes(bytes);
  a.nop();
  EXPECT_THROW(a.finish(), AssemblerError);
  Assembler b;
  b.bytes(bytes);
  b.align(8);
  b.nop();
  const Code code = b.finish();
  EXPECT_EQ(code.bytes, (std::vector<uint8_t>{1, 2, 3, 0, 0x13, 0, 0, 0, 0x13, 0, 0, 0}));
  EXPECT_THROW(b.align(3), AssemblerError);
}

TEST(Assembler, FunctionsLinesAndCommentsComeOutWithTheCode) {
  Assembler a;
  a.function("first");
  a.comment("wait for the tile");
  a.comment("twice");
  a.nop();
  a.ret();
  a.function("second");
  const auto line = static_cast<uint32_t>(__LINE__) + 1;
  a.ret();
  const Code code = a.finish(0x100);
  EXPECT_EQ(code.symbols, (std::vector<Symbol>{{"first", 0x100, 8, Symbol::Kind::Function},
                                               {"second", 0x108, 4, Symbol::Kind::Function}}));
  EXPECT_EQ(code.comments, (std::vector<Comment>{{0x100, "wait for the tile; twice"}}));
  ASSERT_EQ(code.lines.size(), 3u);
  EXPECT_EQ(code.lines.back().address, 0x108u);
  EXPECT_EQ(code.lines.back().file, "tests/isa/assembler_test.cpp");
  EXPECT_EQ(code.lines.back().line, line);
  EXPECT_NE(code.listing().find("first:\n  00000100  00000013  nop"), std::string::npos) << code.listing();
  EXPECT_NE(code.listing().find("# wait for the tile; twice"), std::string::npos);
}

TEST(Assembler, NamesTheLineOfTheOutermostCallAndTheOneThatEmits) {
  Assembler a;
  const auto outer = Assembler::Where::current(), inner = Assembler::Where::current();
  a.begin_call(outer);
  a.begin_call(inner);
  a.nop();
  a.end_call();
  a.nop();
  a.end_call();
  a.nop();
  const Code code = a.finish();
  ASSERT_EQ(code.lines.size(), 3u);
  EXPECT_EQ(code.lines[0].line, outer.line());
  EXPECT_EQ(code.lines[0].inner_line, outer.line() + 3);
  EXPECT_NE(code.lines[0].inner_file, "");
  EXPECT_EQ(code.lines[1].inner_line, outer.line() + 5);
  EXPECT_EQ(code.lines[2].line, outer.line() + 7);
  EXPECT_EQ(code.lines[2].inner_file, "");
}

}  // namespace
}  // namespace kerr::isa

#include "isa/text/assemble.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "isa/disassembler.hpp"
#include "isa/tensix/names.hpp"
#include "isa/text/parts.hpp"
#include "isa/text/whole_number.hpp"
#include "tests/isa/golden_rv32.hpp"

namespace kerr::isa {
namespace {

uint32_t one_word(std::string_view text) {
  const Code code = assemble(text);
  EXPECT_EQ(code.bytes.size(), 4u) << text;
  return code.word_at(0);
}

TEST(Text, AgreesWithGnuAssembler) {
  for (const riscv::Golden& g : riscv::kGolden) {
    EXPECT_EQ(one_word(g.text), g.word) << g.text;
    EXPECT_EQ(one_word(disassemble(g.word)), g.word) << disassemble(g.word);
  }
}

TEST(Text, PrintsWhatAReaderExpects) {
  const std::pair<uint32_t, const char*> cases[] = {
      {0x00000013, "nop"},           {0x00500513, "li a0, 5"},
      {0x00058513, "mv a0, a1"},     {0x00008067, "ret"},
      {0x00058067, "jr a1"},         {0xFF9FF06F, "j .-8"},
      {0x00050463, "beqz a0, .+8"},  {0x7C002573, "csrr a0, cfg0"},
      {0x08054533, "zext.h a0, a0"}, {0x02F42423, "sw a5, 40(s0)"},
      {0x0FF0000F, "fence"},         {0x0310000F, "fence rw, w"},
      {0x8330000F, "fence.tso"},     {0xC8140012, "SETC16 setc16_value=4, setc16_reg=5"},
      {0x98000000, "MVMUL"},
  };
  for (const auto& [word, text] : cases) {
    EXPECT_EQ(disassemble(word), text);
    EXPECT_EQ(one_word(text), word);
  }
  EXPECT_EQ(disassemble(0xFF9FF06F, 0x1008), "j 0x1000");
  EXPECT_EQ(disassemble_tensix(0x26000008), "MVMUL dst=8");
  EXPECT_EQ(disassemble(0xFFFFFFFF), ".word 0xffffffff  # no instruction");
  EXPECT_EQ(disassemble(0x00000000), ".ttinsn 0x00000000  # no Tensix instruction has opcode 0x00");
  EXPECT_EQ(disassemble_tensix(0x26040000), "MVMUL ; stray 0x40000");
  EXPECT_EQ(disassemble_tensix(0x38220000), "INCRWC rwc_d=8 ; stray 0x200000");
}

RC_GTEST_PROP(Text, EveryRiscvInstructionSurvivesWithRandomOperands, (uint32_t operands)) {
  for (const riscv::Row& r : riscv::rows().subspan(2)) {
    const uint32_t word = r.match | (operands & ~r.mask);
    RC_ASSERT(one_word(disassemble(word)) == word);
  }
}

RC_GTEST_PROP(Text, EveryTensixInstructionSurvivesWithRandomOperandsAndStrayBits, (uint32_t operands)) {
  for (const tensix::Row& row : tensix::rows()) {
    const uint32_t word = (static_cast<uint32_t>(row.opcode) << 24) | (operands & 0x00FFFFFF);
    RC_ASSERT(assemble_tensix(disassemble_tensix(word)) == word);
    RC_ASSERT(one_word(disassemble(riscv::ttinsn(word))) == riscv::ttinsn(word));
  }
}

RC_GTEST_PROP(Text, AnyWordSurvives, (uint32_t word)) {
  RC_ASSERT(one_word(disassemble(word)) == word);
  RC_ASSERT(assemble_tensix(disassemble_tensix(word)) == word);
}

RC_GTEST_PROP(Text, ABranchPrintedWithItsAddressComesBack, (uint32_t word, uint16_t pc)) {
  const uint32_t base = 0x100000u + pc * 4u;
  for (const auto op : {riscv::Op::Beq, riscv::Op::Bgeu, riscv::Op::Jal}) {
    const uint32_t branch = riscv::row(op).match | (word & ~riscv::row(op).mask);
    const Code code = assemble(disassemble(branch, base), {.base = base});
    RC_ASSERT(code.bytes.size() == 4u);
    RC_ASSERT(code.word_at(base) == branch);
  }
}

TEST(Text, AProgramWithLabelsConstantsAndData) {
  const Code code = assemble(R"(
    # Sums a table.
    .equ COUNT, 4
    .globl sum
sum:    li    a0, 0
        li    t0, COUNT
        la    t1, table
loop:   lw    t2, 0(t1)         // one at a time
        add   a0, a0, t2
        addi  t1, t1, COUNT
        addi  t0, t0, -COUNT+3
        bnez  t0, loop
        MVMUL dst=8, clear_dvalid=COUNT-1
        .ttinsn SEMPOST sem_sel=1
        .ttinsn 0x60000000
        ret
        .balign 16
table:  .word 1, 0x20, sum, -1
        .byte 1, 2
        .half 0x304
)",
                             {.file = "sum.s", .base = 0x1000});
  EXPECT_EQ(code.address_of("sum"), 0x1000u);
  EXPECT_EQ(code.symbols[0].kind, Symbol::Kind::Function);
  EXPECT_EQ(code.address_of("loop"), 0x1010u);
  const uint32_t table = code.address_of("table");
  EXPECT_EQ(table % 16, 0u);
  EXPECT_EQ(code.word_at(table + 4), 0x20u);
  EXPECT_EQ(code.word_at(table + 8), 0x1000u);
  EXPECT_EQ(code.word_at(table + 12), 0xFFFFFFFFu);
  EXPECT_EQ(code.word_at(table + 16), 0x03040201u);
  EXPECT_EQ(disassemble(code.word_at(0x1020)), "bnez t0, .-16");
  EXPECT_EQ(disassemble(code.word_at(0x1024)), "MVMUL dst=8, clear_dvalid=3");
  EXPECT_EQ(disassemble(code.word_at(0x1028)), "SEMPOST sem_sel=1");
  EXPECT_EQ(code.lines.front(), (LineEntry{0x1000, "sum.s", 5, ""}));
}

TEST(Text, AListingAssemblesToTheSameBytes) {
  const Code code = assemble("start: li t0, 0x12345678\nloop: addi t0, t0, -1\n bnez t0, loop\n call start\n SFPNOP\n");
  std::string text;
  for (uint32_t at = 0; at < code.end(); at += 4) text += disassemble(code.word_at(at), at) + "\n";
  EXPECT_EQ(assemble(text).bytes, code.bytes);
}

TEST(Text, NamesOfWaitsAndNegativeOperands) {
  EXPECT_EQ(assemble_tensix("STALLWAIT stall_res=MATH|SFPU, wait_res=SRCA_VLD|SRCB_VLD"),
            (tensix::STALLWAIT{.wait_res = tensix::wait::kSrcAValid | tensix::wait::kSrcBValid,
                               .stall_res = tensix::stall::kMath | tensix::stall::kSfpu}
                 .encode()));
  EXPECT_EQ(assemble_tensix("SFPIADD imm12=-5, lreg_c=2, instr_mod1=5"),
            (tensix::SFPIADD{.instr_mod1 = 5, .lreg_c = 2, .imm12 = tensix::signed_operand(-5, 12)}.encode()));
  EXPECT_EQ(
      assemble_tensix_program("SEMINIT max_value=2, init_value=2, sem_sel=8\n\n# then\nSEMPOST sem_sel=8\n").size(),
      2u);
}

// Each bit of each opcode alone, and all of them at once.
TEST(Text, EveryBitOfEveryTensixInstructionSurvives) {
  for (const tensix::Row& row : tensix::rows()) {
    const uint32_t bare = static_cast<uint32_t>(row.opcode) << 24;
    for (uint32_t bit = 0; bit < 24; ++bit) {
      EXPECT_EQ(assemble_tensix(disassemble_tensix(bare | 1u << bit)), bare | 1u << bit);
    }
    EXPECT_EQ(assemble_tensix(disassemble_tensix(bare | 0xFFFFFF)), bare | 0xFFFFFF);
    EXPECT_EQ(one_word(disassemble(riscv::ttinsn(bare | 0xFFFFFF))), riscv::ttinsn(bare | 0xFFFFFF));
  }
}

TEST(Text, StrayBitsStandBehindASemicolon) {
  EXPECT_EQ(assemble_tensix("INCRWC rwc_d=8 ; stray 0x200000"), 0x38220000u);
  EXPECT_EQ(assemble_tensix("SFPNOP;stray 0x4|1"), 0x8F000005u);
  EXPECT_EQ(one_word("SFPNOP ; stray 1  # odd"), riscv::ttinsn(0x8F000001));
}

TEST(Text, BranchesReachRoundAddressZero) {
  EXPECT_EQ(assemble("j 0xfffffff0").word_at(0), 0xff1ff06fu);
  EXPECT_EQ(disassemble(0xff1ff06f, 0), "j 0xfffffff0");
  EXPECT_EQ(disassemble(assemble("beq a0, a1, 0xfffff000").word_at(0), 0), "beq a0, a1, 0xfffff000");
  const Code high = assemble("j 0x10\nbeqz a0, 0x8", {.base = 0xfffffff0});
  EXPECT_EQ(disassemble(high.word_at(0xfffffff0), 0xfffffff0), "j 0x10");
  EXPECT_EQ(disassemble(high.word_at(0xfffffff4), 0xfffffff4), "beqz a0, 0x8");
  EXPECT_THROW((void)assemble("j 0xffe00000"), AssemblerError) << "still too far";
}

TEST(Text, NumbersAreDecimalOrHexadecimalWithoutSignBlankOrOverflow) {
  using text::whole_number;
  EXPECT_EQ(whole_number("010"), 10u);
  EXPECT_EQ(whole_number("0x10"), 16u);
  EXPECT_EQ(whole_number("18446744073709551615"), ~uint64_t{0});
  for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "1e3", "0x", "18446744073709551616", "0x10000000000000000"})
    EXPECT_EQ(whole_number(wrong), std::nullopt) << wrong;
  EXPECT_EQ(text::problem_with_number("256", 1, 256), std::nullopt);
  EXPECT_EQ(text::problem_with_number("257", 1, 256), " must be from 1 to 256, not 257");
  EXPECT_EQ(text::problem_with_number("-1", 0, ~uint64_t{0}), " must be from 0 to 2^64 - 1, not -1");
  EXPECT_EQ(text::problem_with_number("many", 0, 9),
            " = many is no whole number (decimal, or hexadecimal behind 0x) from 0 to 9");
}

TEST(Text, HasAPartMoreThanMarks) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(text::parts("1,2,,3", ','), (Parts{"1", "2", "", "3"}));
  EXPECT_EQ(text::parts("ab,", ','), (Parts{"ab", ""}));
  EXPECT_EQ(text::parts("", ','), Parts{""});
}

TEST(Text, SuggestsByLettersWhateverTheirCase) {
  const auto message = [](const char* source) -> std::string {
    try {
      (void)assemble(source);
    } catch (const AssemblerError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(message("mvmul dst=1").find("did you mean 'MVMUL'?"), std::string::npos);
  EXPECT_NE(message("ADDI a0, a0, 1").find("did you mean 'addi'?"), std::string::npos);
  EXPECT_EQ(message("foo").find("did you mean"), std::string::npos) << message("foo");
}

struct Mistake {
  const char* text;
  size_t line, column;
  const char* message;  // a part of it
};

TEST(Text, MistakesAreShownWhereTheyAreWithWhatIsAllowed) {
  const Mistake mistakes[] = {
      {"nop\n  addy a0, a0, 1", 2, 3, "unknown instruction 'addy'; did you mean 'addi'?"},
      {"MVMULL dst=1", 1, 1, "did you mean 'MVMUL'?"},
      {"MVMUL dts=1", 1, 7, "no operand 'dts'; did you mean 'dst'? MVMUL takes dst (0 to 1023), addr_mode (0 to 7)"},
      {"MVMUL dst=1024", 1, 11, "MVMUL: dst=1024 is out of range; allowed: 0 to 1023"},
      {"MVMUL dst=1, dst=2", 1, 14, "given twice"},
      {"MVMUL dst", 1, 10, "expected '='"},
      {"MVMUL dst=1,", 1, 13, "expected name=value"},
      {"MVMUL 1", 1, 7, "expected name=value"},
      {"DMANOP x=1", 1, 8, "DMANOP takes no operands"},
      {"STALLWAIT stall_res=MATHS", 1, 21, "known: TDMA, SYNC"},
      {"addi a0, a1, 2048", 1, 14, "allowed: -2048 to 2047"},
      {"addi a0, a1", 1, 6, "addi takes rd, rs1, imm, but 2 operands are given"},
      {"addi a0, b1, 4", 1, 10, "'b1' is no register"},
      {"addi a0, fa1, 4", 1, 10, "is a float register"},
      {"fadd.s fa0, a1, fa2", 1, 13, "no float register"},
      {"lw a0, 4[a1]", 1, 9, "expected '('"},
      {"lw a0, 40000(a1)", 1, 8, "imm=40000 is out of range"},
      {"lui a0, 0x100000", 1, 9, "allowed: 0 to 0xfffff"},
      {"li a0, 0x1ffffffff", 1, 8, "not a number of at most 32 bits"},
      {"li a0, -0xffffffff", 1, 8, "li: imm=-4294967295 is out of range"},
      {"beq a0, a1, .+4096", 1, 13, "out of range"},
      {"beq a0, a1, .+3", 1, 13, "must be even"},
      {"beqz a0, nowhere", 1, 10, "label 'nowhere' is not defined"},
      {"lop: nop\nj loop", 2, 3, "label 'loop' is not defined; did you mean 'lop'?"},
      {"x: nop\nx: nop", 2, 1, "label 'x' is already defined"},
      {"a0: nop", 1, 1, "is a register"},
      {"nop nop", 1, 5, "nop takes no operands"},
      {"add a0, a1, a2 a3", 1, 16, "unexpected 'a3'"},
      {"csrr a0, 0x1000", 1, 10, "allowed: 0 to 0xfff"},
      {"csrr a0, mycycle", 1, 10, "CSR names such as"},
      {"fence xy, rw", 1, 7, "letters of iorw"},
      {"fadd.s fa0, fa1, fa2, abc", 1, 23, "rne, rtz"},
      {"INCRWC rwc_d=8 ; stray 0x20000", 1, 24, "bits without one: 0xe0003f"},
      {"INCRWC rwc_d=8 ; stray -1", 1, 24, "bits without one"},
      {"INCRWC ; stry 1", 1, 10, "expected 'stray'"},
      {".ttinsn 0xC0000000", 1, 9, "below 0xc0000000"},
      {".align 4", 1, 1, "known: .word"},
      {".balign 3", 1, 9, "power of two"},
      {".zero 99999999", 1, 7, ".zero takes"},
      {".half 65536", 1, 7, "does not fit 16 bits"},
      {".equ N, 1\n.equ N, 2", 2, 6, "already has a meaning"},
      {"addi a0, a0, 12abc", 1, 14, "'12abc' is not a number"},
      {"?", 1, 1, "expected a label, an instruction or a directive"},
  };
  for (const Mistake& m : mistakes) {
    try {
      assemble(m.text);
      ADD_FAILURE() << "accepted: " << m.text;
    } catch (const TextError& e) {
      EXPECT_EQ(e.line, m.line) << m.text << "\n" << e.what();
      EXPECT_EQ(e.column, m.column) << m.text << "\n" << e.what();
      EXPECT_NE(e.message.find(m.message), std::string::npos) << m.text << "\n" << e.what();
    }
  }
}

TEST(Text, AnErrorShowsTheLineWithACaret) {
  try {
    assemble("nop\n  lw a0, 4(q1)\n", {.file = "k.s"});
    FAIL();
  } catch (const TextError& e) {
    EXPECT_STREQ(e.what(),
                 "k.s:2:12: 'q1' is no register; expected an integer register: zero, ra, sp, gp, tp, t0-t6, s0-s11, "
                 "a0-a7 or x0-x31\n    lw a0, 4(q1)\n             ^");
  }
}

// Garbage of the assembler's own alphabet: an error or code, never anything else.
RC_GTEST_PROP(Text, AnyTextIsCodeOrAnError, ()) {
  static const std::vector<std::string> kPieces = {
      "addi", "a0", ",",    " ",       "(",   ")",      "MVMUL", "dst",  "=",           "-",   "+",     "|",
      "0x",   "9",  ".",    ".word",   ":",   "\n",     "loop",  "beqz", "li",          "la",  "fence", "#",
      "//",   "\t", ".equ", ".balign", "fa0", "fadd.s", "csrr",  "\x80", "amoadd.w.aq", "4096"};
  std::string text;
  for (const std::string& piece : *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(kPieces)))
    text += piece;
  try {
    assemble(text);
  } catch (const AssemblerError&) {
  }
}

}  // namespace
}  // namespace kerr::isa

// The vectors of docs/hardware/tensix-math.md 15.4 to 15.8, on whole instructions.
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

// VD is LReg 0 with the old value b, VC is LReg 1, a third source LReg 2. `f`: the flag afterwards, -1: as it was
// (set).
struct Vector {
  const char* line;
  uint32_t b, c, result;
  int f = -1;
  uint32_t third = 0;
};

constexpr const char* kRegisters = ", lreg_dest=0, lreg_c=1";

const Vector kInteger[] = {
    {"SFPIADD instr_mod1=1, imm12=1", 0, 0x7FFFFFFF, 0x80000000, 1},
    {"SFPIADD instr_mod1=9, imm12=-1", 0, 0, 0xFFFFFFFF, 0},
    {"SFPIADD instr_mod1=2", 5, 3, 0xFFFFFFFE, 1},
    {"SFPIADD instr_mod1=10", 3, 5, 2, 1},
    {"SFPIADD instr_mod1=5, imm12=-2048", 0, 0, 0xFFFFF800},
    {"SFPIADD instr_mod1=12", 0, 0, 0, 0},
    {"SFPSHFT instr_mod1=0", 0x80000001, 0xFFFFFFFF, 0x40000000},
    {"SFPSHFT instr_mod1=2", 0x80000001, 0xFFFFFFFF, 0xC0000000},
    {"SFPSHFT instr_mod1=0", 0x80000001, 0x20, 0x80000001},
    {"SFPSHFT instr_mod1=0", 0x80000001, 0xFFFFFFE0, 0x80000001},
    {"SFPSHFT instr_mod1=0", 0x80000001, 0x80000000, 0x80000001},
    {"SFPSHFT instr_mod1=1, imm12=-33", 0x80000001, 0, 0x40000000},
    {"SFPSHFT instr_mod1=7, imm12=-4", 0x80000001, 0x80000010, 0xF8000001},
    {"SFPSHFT instr_mod1=5, imm12=33", 0x80000001, 0x80000010, 0x00000020},
    {"SFPSHFT instr_mod1=4", 0x80000001, 1, 2},
    {"SFPSHFT instr_mod1=10", 0x80000001, 0xFFFFFFFF, 0xC0000000},
    {"SFPDIVP2 instr_mod1=1, imm12=1", 0, 0x7F000000, 0x7F800000},
    {"SFPDIVP2 instr_mod1=1, imm12=1", 0, 0x80000000, 0x80800000},
    {"SFPDIVP2 instr_mod1=1, imm12=1", 0, 0x7FC00000, 0x7FC00000},
    {"SFPDIVP2 instr_mod1=1, imm12=-1", 0, 0x00400000, 0x7FC00000},
    {"SFPDIVP2 instr_mod1=0, imm12=-1", 0, 0xBF812345, 0xFF812345},
    {"SFPEXEXP instr_mod1=0", 0, 0, 0xFFFFFF81},
    {"SFPEXEXP instr_mod1=1", 0, 0xFF800000, 0xFF},
    {"SFPEXEXP instr_mod1=2", 0, 0x3F7FFFFF, 0xFFFFFFFF, 1},
    {"SFPEXEXP instr_mod1=10", 0, 0x3F800000, 0, 1},
    {"SFPEXEXP instr_mod1=8", 0, 0x3F800000, 0, 0},
    {"SFPEXMAN instr_mod1=0", 0, 0xBFC00000, 0x00C00000},
    {"SFPEXMAN instr_mod1=0", 0, 0, 0x00800000},
    {"SFPEXMAN instr_mod1=1", 0, 0xBFC00000, 0x00400000},
    {"SFPSETEXP instr_mod1=0", 0x000001FF, 0xBFC00000, 0xFFC00000},
    {"SFPSETEXP instr_mod1=2", 0x40490FDB, 0xBFC00000, 0xC0400000},
    {"SFPSETEXP instr_mod1=1, imm12=0x80", 0, 0xBFC00000, 0xC0400000},
    {"SFPSETMAN instr_mod1=0", 0xFFFFFFFF, 0xBF800000, 0xBFFFFFFF},
    {"SFPSETMAN instr_mod1=1, imm12=-2048", 0, 0xBF800000, 0xBFC00000},
    {"SFPSETSGN instr_mod1=0", 0x80000000, 0x3F800000, 0xBF800000},
    {"SFPSETSGN instr_mod1=1, imm12=1", 0, 0x7FC00000, 0xFFC00000},
    {"SFPLZ instr_mod1=0", 0, 0, 32},
    {"SFPLZ instr_mod1=0", 0, 0x80000001, 0},
    {"SFPLZ instr_mod1=4", 0, 0x80000001, 31},
    {"SFPLZ instr_mod1=2", 0, 0, 32, 0},
    {"SFPLZ instr_mod1=6", 0, 0x80000000, 32, 0},
    {"SFPLZ instr_mod1=10", 0, 5, 29, 0},
    {"SFPABS instr_mod1=0", 0, 0x80000000, 0x80000000},
    {"SFPABS instr_mod1=0", 0, 0xFFFFFFFF, 1},
    {"SFPABS instr_mod1=1", 0, 0x80000000, 0},
    {"SFPABS instr_mod1=1", 0, 0xFF800000, 0x7F800000},
    {"SFPABS instr_mod1=1", 0, 0xFF800001, 0xFF800001},
    {"SFPSETCC instr_mod1=0", 7, 0x80000000, 7, 1},
    {"SFPSETCC instr_mod1=2", 7, 0x80000000, 7, 1},
    {"SFPSETCC instr_mod1=4", 7, 0x80000000, 7, 0},
    {"SFPSETCC instr_mod1=6", 7, 0x80000000, 7, 0},
    {"SFPSETCC instr_mod1=1, imm12=0", 7, 0x80000000, 7, 0},
    {"SFPSETCC instr_mod1=3, imm12=1", 7, 0, 7, 1},
    {"SFPSETCC instr_mod1=8", 7, 0x80000000, 7, 0},
    {"SFPLE instr_mod1=1", 0x80000000, 0, 0x80000000, 1},
    {"SFPLE instr_mod1=1", 0, 0x80000000, 0, 0},
    {"SFPGT instr_mod1=8", 0x7FC00000, 0x7F800000, 0xFFFFFFFF},
    {"SFPGT instr_mod1=8", 0xFFC00000, 0xFF800000, 0},
    {"SFPLE instr_mod1=8", 0x7FC00000, 0x7FC00000, 0xFFFFFFFF},
    {"SFPLE instr_mod1=9", 5, 4, 0, 0},
    {"SFPMOV instr_mod1=0", 0, 0x12345678, 0x12345678},
    {"SFPMOV instr_mod1=1", 0, 0x7FC00000, 0xFFC00000},
    {"SFPNOT", 0, 0x0F0F0000, 0xF0F0FFFF},
    {"SFPXOR", 0x0000FFFF, 0x0F0F0000, 0x0F0FFFFF},
    {"SFPAND instr_mod1=0", 0xFF, 0x1F0, 0xF0},
    {"SFPAND instr_mod1=1, imm12=2", 0, 0x1F0, 0x100, -1, 0x700},
    {"SFPOR instr_mod1=0", 0xFF, 0x100, 0x1FF},
    {"SFPOR instr_mod1=1, imm12=2", 0, 0x1F0, 0x7F0, -1, 0x700},
};
const Vector kArecip[] = {
    {"SFPARECIP instr_mod1=0", 0, 0x3F800000, 0x3F7F0000},
    {"SFPARECIP instr_mod1=0", 0, 0x3FFFFFFF, 0x3F000000},
    {"SFPARECIP instr_mod1=0", 0, 0x40000000, 0x3EFF0000},
    {"SFPARECIP instr_mod1=0", 0, 0x40400000, 0x3EAA0000},
    {"SFPARECIP instr_mod1=0", 0, 0xBF000000, 0xBFFF0000},
    {"SFPARECIP instr_mod1=0", 0, 0x3F8FFFFF, 0x3F640000},
    {"SFPARECIP instr_mod1=0", 0, 0x00000000, 0x7F800000},
    {"SFPARECIP instr_mod1=0", 0, 0x80000000, 0xFF800000},
    {"SFPARECIP instr_mod1=0", 0, 0x007FFFFF, 0x7F800000},
    {"SFPARECIP instr_mod1=0", 0, 0x00800000, 0x7E7F0000},
    {"SFPARECIP instr_mod1=0", 0, 0x7E7FFFFF, 0x00800000},
    {"SFPARECIP instr_mod1=0", 0, 0x7E800000, 0x00000000},
    {"SFPARECIP instr_mod1=0", 0, 0x7F800000, 0x00000000},
    {"SFPARECIP instr_mod1=0", 0, 0xFFC00000, 0x80000000},
    {"SFPARECIP instr_mod1=1, imm12=2", 0, 0xBF000000, 0x3FFF0000, -1, 0x80000000},
    {"SFPARECIP instr_mod1=1, imm12=2", 0, 0xBF000000, 0xBF000000, -1, 0},
    {"SFPARECIP instr_mod1=2", 0, 0x00000000, 0x3F800000},
    {"SFPARECIP instr_mod1=2", 0, 0x80000000, 0xBF800000},
    {"SFPARECIP instr_mod1=2", 0, 0x3C7FFFFF, 0x3F81FFFF},
    {"SFPARECIP instr_mod1=2", 0, 0x3F000000, 0x3FD30000},
    {"SFPARECIP instr_mod1=2", 0, 0x3F31FFFF, 0x3FFFFFFF},
    {"SFPARECIP instr_mod1=2", 0, 0x3F320000, 0x40000000},
    {"SFPARECIP instr_mod1=2", 0, 0x3F800000, 0x402D0000},
    {"SFPARECIP instr_mod1=3", 0, 0xBF800000, 0xC02D0000},
    {"SFPARECIP instr_mod1=2", 0, 0x3FB20000, 0x40800000},
    {"SFPARECIP instr_mod1=2", 0, 0x3FFFFFFF, 0x40EAFFFF},
    {"SFPARECIP instr_mod1=2", 0, 0x40000000, 0x40800000},
};
// Operands are named differently in these.
const Vector kConversions[] = {
    {"SFPCAST instr_mod1=0", 0, 0x00000000, 0x00000000},
    {"SFPCAST instr_mod1=0", 0, 0x80000000, 0x80000000},
    {"SFPCAST instr_mod1=0", 0, 0x00000001, 0x3F800000},
    {"SFPCAST instr_mod1=0", 0, 0x80000001, 0xBF800000},
    {"SFPCAST instr_mod1=0", 0, 0x00FFFFFF, 0x4B7FFFFF},
    {"SFPCAST instr_mod1=0", 0, 0x01000001, 0x4B800000},
    {"SFPCAST instr_mod1=0", 0, 0x01000003, 0x4B800002},
    {"SFPCAST instr_mod1=0", 0, 0x81000003, 0xCB800002},
    {"SFPCAST instr_mod1=0", 0, 0x40000040, 0x4E800000},
    {"SFPCAST instr_mod1=0", 0, 0x400000C0, 0x4E800002},
    {"SFPCAST instr_mod1=0", 0, 0x7FFFFFFF, 0x4F000000},
    {"SFPCAST instr_mod1=2", 0, 0xFFFFFFFF, 0x00000001},
    {"SFPCAST instr_mod1=2", 0, 0x80000000, 0x80000000},
    {"SFPCAST instr_mod1=2", 0, 0x7FFFFFFF, 0x7FFFFFFF},
    {"SFPCAST instr_mod1=3", 0, 0x00000000, 0x00000000},
    {"SFPCAST instr_mod1=3", 0, 0x80000000, 0x80000000},
    {"SFPCAST instr_mod1=3", 0, 0x00000001, 0x00000001},
    {"SFPCAST instr_mod1=3", 0, 0xFFFFFFFF, 0x80000001},
    {"SFPCAST instr_mod1=3", 0, 0x80000001, 0xFFFFFFFF},
    {"SFPCAST instr_mod1=7", 0, 0x7FFFFFFF, 0x7FFFFFFF},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x3F808000, 0x3F810000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x3F807FFF, 0x3F800000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0xBF818000, 0xBF820000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x7F7F8000, 0x7F800000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x80000000, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x007FFFFF, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x807FFFFF, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0x7FC00001, 0x7F800000},
    {"SFP_STOCH_RND instr_mod1=1", 0, 0xFFFFFFFF, 0xFF800000},
    {"SFP_STOCH_RND instr_mod1=1, rnd_mode=2", 0, 0x3F80FFFF, 0x3F810000},
    {"SFP_STOCH_RND instr_mod1=1, rnd_mode=2", 0, 0x3F80FFFE, 0x3F800000},
    {"SFP_STOCH_RND instr_mod1=0", 0, 0x3F801000, 0x3F802000},
    {"SFP_STOCH_RND instr_mod1=0", 0, 0x3F800FFF, 0x3F800000},
    {"SFP_STOCH_RND instr_mod1=0, rnd_mode=2", 0, 0x3F801FFF, 0x3F802000},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0x3F000000, 0x00000001},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0xBF000000, 0x80000001},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0x3EFFFFFF, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0x40200000, 0x00000003},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0xC0200000, 0x80000003},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0x42FF0000, 0x0000007F},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0xC3000000, 0x8000007F},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0x7FC00000, 0x0000007F},
    {"SFP_STOCH_RND instr_mod1=3", 0, 0xFFC00000, 0x8000007F},
    {"SFP_STOCH_RND instr_mod1=2", 0, 0xC0400000, 0x00000003},
    {"SFP_STOCH_RND instr_mod1=2", 0, 0x437F8000, 0x000000FF},
    {"SFP_STOCH_RND instr_mod1=2", 0, 0x43800000, 0x000000FF},
    {"SFP_STOCH_RND instr_mod1=6", 0, 0x477FFF80, 0x0000FFFF},
    {"SFP_STOCH_RND instr_mod1=6", 0, 0xC77FFF00, 0x0000FFFF},
    {"SFP_STOCH_RND instr_mod1=7", 0, 0xC7000000, 0x80007FFF},
    {"SFP_STOCH_RND instr_mod1=7", 0, 0x46FFFE00, 0x00007FFF},
    {"SFP_STOCH_RND instr_mod1=7", 0, 0x46FFFF00, 0x00007FFF},
    {"SFP_STOCH_RND instr_mod1=7, rnd_mode=2", 0, 0x3F7FFFFF, 0x00000001},
    {"SFP_STOCH_RND instr_mod1=7, rnd_mode=2", 0, 0x3F7FFFFD, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=7, rnd_mode=2", 0, 0x3FFFFFFF, 0x00000002},
    {"SFP_STOCH_RND instr_mod1=7, rnd_mode=2", 0, 0x40400000, 0x00000003},
    {"SFP_STOCH_RND instr_mod1=13, imm8_math=4", 0, 0x00000018, 0x00000002},
    {"SFP_STOCH_RND instr_mod1=13, imm8_math=4", 0, 0x80000008, 0x80000001},
    {"SFP_STOCH_RND instr_mod1=13, imm8_math=4", 0, 0x80000007, 0x00000000},
    {"SFP_STOCH_RND instr_mod1=13, imm8_math=4", 0, 0x80000FFF, 0x8000007F},
    {"SFP_STOCH_RND instr_mod1=12, imm8_math=4", 0, 0x00000FFF, 0x000000FF},
    {"SFP_STOCH_RND instr_mod1=5, lreg_src_b=2", 0, 0x00000018, 0x00000002, -1, 0x24},
};

class Vectors : public VectorUnit {
 protected:
  void check(const Vector& v, std::string registers) {
    set(0, v.b);
    set(1, v.c);
    set(2, v.third);
    set_flags(kAllLanes);
    run(v.line +
        (std::string_view(v.line).find('=') == std::string_view::npos ? " " + registers.substr(2) : registers));
    EXPECT_EQ(lane0(0), v.result) << v.line << std::hex << " of " << v.c << " and " << v.b;
    EXPECT_EQ(sfpu.flags(), v.f == 0 ? 0 : kAllLanes) << v.line << std::hex << " of " << v.c << " and " << v.b;
    for (unsigned l = 1; l < kLanes; ++l) ASSERT_EQ(get(0)[l], get(0)[0]) << v.line;
  }
};

TEST_F(Vectors, OfIntegerAndFieldInstructions) {
  for (const Vector& v : kInteger) {
    std::string registers = kRegisters;
    check(v, registers);
  }
}
TEST_F(Vectors, OfReciprocalAndExponential) {
  for (const Vector& v : kArecip) check(v, kRegisters);
}
TEST_F(Vectors, OfConversions) {
  for (const Vector& v : kConversions) check(v, ", lreg_dest=0, lreg_src_c=1");
}

TEST_F(Vectors, OfMultiplyingIntegers) {
  const struct {
    u32 a, b, low, high;
  } vectors[] = {{0x007FFFFF, 0x007FFFFF, 0x00000001, 0x007FFFFE},
                 {0xFF800003, 0x00000005, 0x0000000F, 0x00000000},
                 {0x00400000, 0x00000004, 0x00000000, 0x00000002}};
  for (const auto& v : vectors) {
    set(1, v.a);
    set(2, v.b);
    run("SFPMUL24 lreg_src_a=1, lreg_src_b=2, lreg_src_c=9, lreg_dest=0");
    EXPECT_EQ(lane0(0), v.low);
    run("SFPMUL24 lreg_src_a=1, lreg_src_b=2, lreg_src_c=9, lreg_dest=0, instr_mod1=1");
    EXPECT_EQ(lane0(0), v.high);
  }
}

TEST_F(Vectors, OfMultiplyAdd) {
  set(1, 0x3FBB9643);
  set(2, 0x3FECD0D3);
  set(3, 0xC02D878A);
  run("SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=0");
  EXPECT_EQ(lane0(0), 0x33C00000u) << "F23: the product keeps 26 fraction bits";
  run("SFPMAD lreg_src_a=1, lreg_src_b=2, lreg_src_c=3, lreg_dest=0, instr_mod1=3");
  EXPECT_EQ(lane0(0), 0xB3C00000u);
  set(0, 0x80000000);
  run("SFPMULI lreg_dest=0, imm16_math=0x3F80");
  EXPECT_EQ(lane0(0), 0u) << "F27: -0 becomes +0";
  set(0, 0x40000000);
  run("SFPADDI lreg_dest=0, imm16_math=0x3F80, instr_mod1=2");
  EXPECT_EQ(lane0(0), 0xBF800000u) << "1 - 2";
  set(0, 0x40000000);
  run("SFPMULI lreg_dest=0, imm16_math=0x3F80, instr_mod1=2");
  EXPECT_EQ(lane0(0), 0xC0000000u);
  set(1, 0x80000000);
  run("SFPMUL lreg_src_a=1, lreg_src_b=10, lreg_src_c=9, lreg_dest=0, instr_mod1=2");
  EXPECT_EQ(lane0(0), 0x80000000u) << "an addend of -0 keeps the sign";
}

TEST_F(Vectors, OfSfplut) {
  const struct {
    u32 x, plain, with_sign;
  } vectors[] = {{0x3F000000, 0x3F000000, 0x3F000000}, {0xBF000000, 0x3F000000, 0xBF000000},
                 {0x3F7FFFFF, 0x3F400000, 0x3F400000}, {0x3F800000, 0x3F680000, 0x3F680000},
                 {0xBFC00000, 0x3F8E0000, 0xBF8E0000}, {0x40000000, 0x3F800000, 0x3F800000},
                 {0xC1200000, 0x3F800000, 0xBF800000}, {0x7FC00000, 0x7FC00000, 0x7FC00000},
                 {0xFFC00000, 0x7FC00000, 0xFFC00000}, {0x00400000, 0x3E800000, 0x3E800000}};
  set(0, 0x00001020);
  set(1, 0x00002A10);
  set(2, 0x0000FF00);
  for (const auto& v : vectors) {
    set(3, v.x);
    run("SFPLUT lreg_ind=4, instr_mod0=0\nSFPLUT lreg_ind=5, instr_mod0=4");
    EXPECT_EQ(lane0(4), v.plain) << std::hex << v.x;
    EXPECT_EQ(lane0(5), v.with_sign) << std::hex << v.x;
  }
}

TEST_F(Vectors, OfSfplutfp32) {
  const struct {
    u32 x, mod_2, mod_3, negated_mod_6;
  } vectors[] = {{0x3E800000, 0x3E800000, 0x3E800000, 0xBE800000}, {0x3F400000, 0x3E800000, 0x3E800000, 0xBE800000},
                 {0x3FA00000, 0xBF300000, 0xBF300000, 0xBF300000}, {0x3FE00000, 0x40140000, 0x40140000, 0xC0140000},
                 {0x40200000, 0x3F800280, 0x3F800280, 0xBF800280}, {0x40600000, 0x3F800000, 0x3F800380, 0xBF800000},
                 {0x40A00000, 0x3F800000, 0x3F800000, 0xBF800000}};
  const u32 tables[] = {0x3C003800, 0x3A003400, 0x7C000000, 0, 0xB8003000, 0x3C00BC00, 0x3C003C00};
  for (unsigned r = 0; r < 7; ++r) set(r, tables[r]);
  for (const auto& v : vectors) {
    set(3, v.x);
    run("SFPLUTFP32 lreg_dest=7, instr_mod1=2");
    EXPECT_EQ(lane0(7), v.mod_2) << std::hex << v.x;
    run("SFPLUTFP32 lreg_dest=7, instr_mod1=3");
    EXPECT_EQ(lane0(7), v.mod_3) << std::hex << v.x;
    set(3, v.x ^ 0x80000000);
    run("SFPLUTFP32 lreg_dest=7, instr_mod1=6");
    EXPECT_EQ(lane0(7), v.negated_mod_6) << std::hex << v.x;
  }
}

}  // namespace
}  // namespace kerr::emu::tensix

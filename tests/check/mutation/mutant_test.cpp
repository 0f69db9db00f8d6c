// Where an image may be changed, and to what.
#include "tests/check/mutation/mutant.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "isa/assembler.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::mutation {
namespace {

using namespace isa::reg;

std::vector<Mutant> mutants(isa::Assembler& a) { return mutants_of(image::Image::from(a.finish(), "test")); }

const Mutant* of_kind(const std::vector<Mutant>& all, Kind kind) {
  const auto found = std::ranges::find(all, kind, &Mutant::kind);
  return found == all.end() ? nullptr : &*found;
}

TEST(Mutants, OfALoopThatWaitsForACounter) {
  isa::Assembler code;
  code.lui(t1, 0xFFB20);
  const isa::Label top = code.here();
  code.lw(t0, t1, 0x208);
  code.bne(t0, s0, top);
  code.fence();
  code.ret();
  const std::vector<Mutant> all = mutants(code);
  ASSERT_EQ(all.size(), 3u);
  const Mutant* const loop = of_kind(all, Kind::Loop);
  ASSERT_NE(loop, nullptr);
  EXPECT_EQ(loop->words, (std::vector<std::pair<uint32_t, uint32_t>>{{8, 0x13}}));
  const Mutant* const noc = of_kind(all, Kind::Noc);
  ASSERT_NE(noc, nullptr);
  EXPECT_EQ(noc->words, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 0xFFB3'0337}}));
  const Mutant* const bound = of_kind(all, Kind::Bound);
  ASSERT_NE(bound, nullptr);
  ASSERT_EQ(bound->words.size(), 2u);  // addi t0, t0, 1 and the branch where the fence was
  EXPECT_EQ(bound->words[0], (std::pair<uint32_t, uint32_t>{8, 0x0012'8293}));
  EXPECT_EQ(isa::riscv::decode(bound->words[1].second).imm, -8);
}

TEST(Mutants, OfALoopThatWaitsForPages) {
  isa::Assembler a;
  a.lui(t3, 0xFFB48);
  a.li(t2, 3);
  const isa::Label top = a.here();
  a.fence();
  a.lw(t0, t3, 0x28);
  a.lw(t1, t3, 0x20);
  a.sub(t0, t0, t1);
  a.bltu(t0, t2, top);
  a.ret();
  const std::vector<Mutant> all = mutants(a);
  const Mutant* const bound = of_kind(all, Kind::Bound);
  ASSERT_NE(bound, nullptr);
  EXPECT_EQ(bound->words, (std::vector<std::pair<uint32_t, uint32_t>>{{4, 0x0020'0393}}));  // li t2, 2
}

TEST(Mutants, OfTensixWaits) {
  isa::Assembler a;
  a.word(isa::riscv::ttinsn(0xA200'0000u | 1u << 15 | 0b1010));  // STALLWAIT on C1 and C3
  a.word(isa::riscv::ttinsn(0xA400'0008u));                      // SEMPOST
  a.ret();
  const std::vector<Mutant> all = mutants(a);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].kind, Kind::Stallwait);
  EXPECT_EQ(all[0].words[0].second, isa::riscv::ttinsn(0x0200'0000));
  EXPECT_EQ(all[1].kind, Kind::Condition);
  EXPECT_EQ(isa::riscv::tensix_of(all[1].words[0].second) & 0x1FFF, 0b1000u);
  EXPECT_EQ(all[2].kind, Kind::Condition);
  EXPECT_EQ(all[3].kind, Kind::Sempost);
}

TEST(Mutants, AreNotMadeOfLoopsThatStoreOrOfTheClock) {
  isa::Assembler a;
  const isa::Label top = a.here();
  a.lw(t0, s0);
  a.sw(t0, s1);
  a.addi(s0, s0, 4);
  a.bne(s0, s2, top);
  a.lui(t1, 0xFFB12);
  const isa::Label delay = a.here();
  a.lw(t0, t1, 0x1F0);
  a.bne(t0, s0, delay);
  a.ret();
  EXPECT_TRUE(mutants(a).empty());
}

}  // namespace
}  // namespace kerr::mutation

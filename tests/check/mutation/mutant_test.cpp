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
  ASSERT_EQ(all.size(), 4u);  // and one of the fence
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
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].kind, Kind::Stallwait);
  EXPECT_EQ(all[0].words[0].second, isa::riscv::ttinsn(0x0200'0000));
  EXPECT_EQ(all[1].kind, Kind::Condition);
  EXPECT_EQ(isa::riscv::tensix_of(all[1].words[0].second) & 0x1FFF, 0b1000u);
  EXPECT_EQ(all[2].kind, Kind::Condition);
  EXPECT_EQ(all[3].kind, Kind::Sempost);
  EXPECT_EQ(all[4].kind, Kind::Id);
}

TEST(Mutants, OfAFence) {
  isa::Assembler a;
  a.fence();
  a.ret();
  const std::vector<Mutant> all = mutants(a);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Kind::Fence);
  EXPECT_EQ(all[0].words, (std::vector<std::pair<uint32_t, uint32_t>>{{0, 0x13}}));
}

TEST(Mutants, AStoreBehindALoopComesBeforeIt) {
  isa::Assembler a;
  a.lui(t1, 0xFFB20);
  const isa::Label top = a.here();
  a.lw(t0, t1, 0x208);
  a.bne(t0, s0, top);
  a.addi(t2, t2, 1);
  a.sw(s1, s2);
  a.ret();
  const std::vector<Mutant> all = mutants(a);
  const Mutant* const swap = of_kind(all, Kind::Swap);
  ASSERT_NE(swap, nullptr);
  ASSERT_EQ(swap->words.size(), 4u);  // the store, then what stood before it
  EXPECT_EQ(isa::riscv::decode(swap->words[0].second).op, isa::riscv::Op::Sw);
  EXPECT_EQ(swap->words[0].first, 4u);
  EXPECT_EQ(isa::riscv::decode(swap->words[2].second).imm, -4) << "the loop is as long as it was";
}

TEST(Mutants, AStoreStaysThatNeedsWhatTheLoopHasLoaded) {
  isa::Assembler a;
  a.lui(t1, 0xFFB20);
  const isa::Label top = a.here();
  a.lw(t0, t1, 0x208);
  a.bne(t0, s0, top);
  a.sw(t0, s2);
  a.ret();
  EXPECT_EQ(of_kind(mutants(a), Kind::Swap), nullptr);
}

TEST(Mutants, WhatAWaitHoldsBackComesBeforeIt) {
  constexpr uint32_t kPost = 0xA400'0008u;
  for (const uint32_t block : {1u << 1, 1u << 3}) {  // the sync unit, which posts; the unpackers
    isa::Assembler a;
    const uint32_t wait = 0xA200'0000u | block << 15 | 0b1000;
    a.word(isa::riscv::ttinsn(wait));
    a.word(isa::riscv::ttinsn(kPost));
    a.ret();
    const std::vector<Mutant> all = mutants(a);
    const Mutant* const swap = of_kind(all, Kind::Swap);
    ASSERT_EQ(swap != nullptr, block == 1u << 1);
    if (swap == nullptr) continue;
    EXPECT_EQ(swap->words, (std::vector<std::pair<uint32_t, uint32_t>>{{0, isa::riscv::ttinsn(kPost)},
                                                                       {4, isa::riscv::ttinsn(wait)}}));
  }
}

TEST(Mutants, OfIdsOfSemaphoresAndBuffersAndTransactions) {
  isa::Assembler a;
  a.word(isa::riscv::ttinsn(0xA400'0000u | 0x80 << 2));  // SEMPOST of the last one
  a.lui(t3, 0xFFB48);
  const isa::Label pages = a.here();
  a.lw(t0, t3, 0x28);
  a.beqz(t0, pages);
  a.lui(t1, 0xFFB20);
  const isa::Label requests = a.here();
  a.lw(t0, t1, 0x200 + 4 * 0x13);  // REQS_OUTSTANDING_ID(3)
  a.bnez(t0, requests);
  a.ret();
  std::vector<uint32_t> words;
  for (const Mutant& m : mutants(a))
    if (m.kind == Kind::Id) words.push_back(m.words[0].second);
  ASSERT_EQ(words.size(), 3u);
  EXPECT_EQ(isa::riscv::tensix_of(words[0]), 0xA400'0000u | 0x01 << 2);
  EXPECT_EQ(words[1], 0xFFB4'9E37u) << "lui t3: the next stream";
  EXPECT_EQ(isa::riscv::decode(words[2]).imm, 0x200 + 4 * 0x12);
}

TEST(Mutants, OfWordsOfTheMopExpanderThatGiveABank) {
  isa::Assembler a;
  a.lui(t1, 0xFFB80);
  a.lui(t0, 0x37C00);  // SETRWC that gives both back
  a.addi(t0, t0, 3);
  a.sw(t0, t1, 12);
  a.lui(t0, 0x1200A);  // MOVA2D
  a.sw(t0, t1, 20);
  a.ret();
  const std::vector<Mutant> all = mutants(a);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].kind, Kind::Word);
  EXPECT_EQ(all[0].address, 12u);
  ASSERT_EQ(all[0].words.size(), 2u);
  EXPECT_EQ(static_cast<uint32_t>(isa::riscv::decode(all[0].words[0].second).imm), 0x0200'0000u);
  EXPECT_EQ(isa::riscv::decode(all[0].words[1].second).imm, 0);
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

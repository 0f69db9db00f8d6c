#include "hang/change.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>

#include "emu/riscv/evaluate.hpp"
#include "isa/disassembler.hpp"

namespace kerr::hang {
namespace {

using isa::riscv::Instruction;
using isa::riscv::Op;

constexpr uint64_t kForEver = std::numeric_limits<uint64_t>::max();

// Values and steps of all sizes, and the borders of the numbers.
struct Draw {
  std::mt19937 random;
  uint32_t below(uint64_t n) { return static_cast<uint32_t>(random() % n); }
  uint32_t number() {
    switch (below(5)) {
      case 0: return below(16);
      case 1: return 0 - below(16);
      case 2: return 0x7FFF'FFF8 + below(16);
      case 3: return 1u << below(32);
      default: return static_cast<uint32_t>(random());
    }
  }
  Changing changing() {
    switch (below(4)) {
      case 0: return {number(), Change::none()};
      case 1: {
        const uint32_t least = number(), most = least + below(uint64_t{1} + ~least);
        return {least + below(uint64_t{1} + (most - least)), Change::within(least, most)};
      }
      default: return {number(), Change::every(number())};
    }
  }
  // What it is in round n.
  uint32_t in_round(const Changing& v, uint32_t n) {
    if (n == 0 || v.change.is_none()) return v.now;
    if (v.change.even) return v.now + n * v.change.by;
    return v.change.least + below(uint64_t{1} + (v.change.most - v.change.least));
  }
};

constexpr std::array kBranches{Op::Beq, Op::Bne, Op::Blt, Op::Bge, Op::Bltu, Op::Bgeu};

TEST(Change, ABranchGoesTheSameWayForAsLongAsItIsSaid) {
  Draw draw{std::mt19937(1)};
  int always = 0, until = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Changing a = draw.changing(), b = draw.changing();
    const Instruction branch{.op = kBranches[draw.below(kBranches.size())], .rs1 = 5, .rs2 = 6};
    const Comparison found = compare(branch, a, b);
    if (found.kind == Comparison::Kind::Unknown) continue;
    (found.kind == Comparison::Kind::Always ? always : until) += 1;
    const auto taken = [&](uint32_t n) {
      std::array<uint32_t, 32> x{};
      x[5] = draw.in_round(a, n);
      x[6] = draw.in_round(b, n);
      return *emu::taken(branch, x);
    };
    const bool now = taken(0);
    const uint64_t rounds = found.kind == Comparison::Kind::Always ? kForEver : found.rounds;
    for (uint32_t n = 1; n < std::min<uint64_t>(rounds, 200); ++n)
      ASSERT_EQ(taken(n), now) << "case " << i << ", round " << n << " of " << rounds;
    if (rounds == kForEver) continue;
    ASSERT_GT(rounds, 0u);
    for (uint32_t back = 1; back < 50 && back < rounds; ++back)
      ASSERT_EQ(taken(static_cast<uint32_t>(rounds - back)), now) << "case " << i;
    ASSERT_NE(taken(static_cast<uint32_t>(rounds)), now) << "case " << i << ", round " << rounds;
  }
  EXPECT_GT(always, 2000);
  EXPECT_GT(until, 2000);
}

TEST(Change, WhatAnInstructionComputesChangesAsItIsSaid) {
  constexpr std::array kOps{Op::Addi, Op::Add,  Op::Sub,  Op::Sh1add, Op::Sh2add, Op::Sh3add, Op::Slli,  Op::Srli,
                            Op::Mul,  Op::Xori, Op::Andi, Op::And,    Op::Pack,   Op::Remu,   Op::Slti,  Op::Sltiu,
                            Op::Slt,  Op::Sltu, Op::Xor,  Op::Or,     Op::Srai,   Op::Lui,    Op::Max,   Op::Rori,
                            Op::Sll,  Op::Srl,  Op::Divu, Op::Mulhu,  Op::Andn,   Op::Ori,    Op::SextB, Op::Auipc};
  Draw draw{std::mt19937(2)};
  int even = 0, within = 0;
  for (int i = 0; i < 40'000; ++i) {
    const Changing a = draw.changing(), b = draw.below(4) == 0 ? Changing{} : draw.changing();
    Instruction op{.op = kOps[draw.below(kOps.size())], .rd = 7, .rs1 = 5, .rs2 = 6};
    const bool has_register = isa::riscv::row(op.op).format == isa::riscv::Format::Register;
    if (!has_register) {
      op.rs2 = 0;
      const bool is_shift = isa::riscv::row(op.op).format == isa::riscv::Format::Shift;
      op.imm = static_cast<int32_t>(draw.number()) % (is_shift ? 32 : 2048);
      if (is_shift) op.imm = std::abs(op.imm);
    }
    uint64_t rounds = kForEver;
    const Change found = change_of(op, a, has_register ? b : Changing{}, rounds);
    (found.even ? even : within) += 1;
    const auto result = [&](uint32_t n) {
      std::array<uint32_t, 32> x{};
      x[5] = draw.in_round(a, n);
      if (has_register) x[6] = draw.in_round(b, n);
      return *emu::computed(op, 0x100, x);
    };
    const uint32_t now = result(0);
    for (uint32_t n = 0; n < std::min<uint64_t>(rounds, 100); ++n) {
      const uint32_t is = result(n);
      if (found.even)
        ASSERT_EQ(is, now + n * found.by) << isa::disassemble(isa::riscv::encode(op)) << ", case " << i;
      else
        ASSERT_TRUE(is >= found.least && is <= found.most)
            << isa::disassemble(isa::riscv::encode(op)) << ", case " << i;
    }
  }
  EXPECT_GT(even, 5000);
  EXPECT_GT(within, 5000);
}

TEST(Change, ACounterThatStepsOverItsBoundMeetsItAfterManyRoundsOrNever) {
  const Instruction bne{.op = Op::Bne, .rs1 = 5, .rs2 = 6};
  const Changing odd{1, Change::every(2)}, three{0, Change::every(3)};
  EXPECT_EQ(compare(bne, odd, {100, {}}).kind, Comparison::Kind::Always) << "odd numbers are never 100";
  EXPECT_EQ(compare(bne, three, {1, {}}).rounds, 0xAAAA'AAABu) << "3 * 0xAAAAAAAB = 1 modulo 2^32";
  EXPECT_EQ(compare(bne, {1 << 24, Change::every(~0u)}, {0, {}}).rounds, 1u << 24);
}

}  // namespace
}  // namespace kerr::hang

// What ClockFollowers promise of random instructions: later by as many cycles as they hold, every value is what they
// say.
#include "emu/riscv/parking/clock_followers.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <random>
#include <vector>

#include "emu/riscv/arithmetic.hpp"

namespace kerr::emu {
namespace {

using isa::riscv::Instruction;
using isa::riscv::Op;
using namespace arithmetic;

using Registers = std::array<uint32_t, 8>;

// A branch gives whether it is taken.
uint32_t result_of(const Instruction& i, const Registers& x) {
  const uint32_t a = x[i.rs1], b = x[i.rs2], imm = u(i.imm);
  switch (i.op) {
#define ALU(op, value) \
  case Op::op: return value;
#define BRANCH(op, condition) \
  case Op::op: return condition;
#define LOAD(op, type)
#define STORE(op, type)
#define FLOAT(op, value)
#include "emu/riscv/semantics.def"
    default: return 0;
  }
}

std::vector<Instruction> random_program(std::minstd_rand& random) {
  const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  std::vector<Op> ops;
  for (const isa::riscv::Row& row : isa::riscv::rows()) {
    using isa::riscv::Kind;
    if (row.op == Op::Auipc) continue;
    if (row.kind == Kind::Alu || row.kind == Kind::Mul || row.kind == Kind::Branch) ops.push_back(row.op);
  }
  constexpr Op kFavourites[] = {Op::Add, Op::Sub, Op::Addi, Op::Sltu, Op::Slt, Op::Bltu, Op::Blt, Op::Bgeu, Op::Sltiu, Op::Addi};
  std::vector<Instruction> program(1 + pick(8));
  for (Instruction& i : program) {
    i.op = pick(3) == 0 ? ops[pick(static_cast<unsigned>(ops.size()))] : kFavourites[pick(10)];
    const isa::riscv::Row& row = isa::riscv::row(i.op);
    if (row.kind != isa::riscv::Kind::Branch) i.rd = static_cast<uint8_t>(pick(8));
    i.rs1 = static_cast<uint8_t>(pick(8));
    using isa::riscv::Format;
    if (row.format == Format::Register || row.format == Format::Branch) i.rs2 = static_cast<uint8_t>(pick(8));
    if (row.format == Format::Immediate) i.imm = pick(2) ? -static_cast<int>(1u << pick(12)) : static_cast<int>(pick(2048));
    if (row.format == Format::Shift) i.imm = static_cast<int>(pick(32));
    if (row.format == Format::Upper) i.imm = static_cast<int>(pick(1 << 20) << 12), i.rs1 = 0;
  }
  return program;
}

RC_GTEST_PROP(ClockFollowers, OnlyTheyDifferAndEveryBranchIsTheSameAsLongAsTheyHold, ()) {
  std::minstd_rand random(*rc::gen::arbitrary<uint32_t>());
  const std::vector<Instruction> program = random_program(random);
  Registers x{};
  for (uint32_t& value : x) value = random() % 2 ? random() % 4096 : static_cast<uint32_t>(random()) << (random() % 8);
  x[0] = 0;

  // Registers 1 and 2 hold the clock, 3 the time since some moment.
  ClockFollowers clock;
  clock.clear();
  Registers begin = x;
  clock.load();
  clock.follow({.op = Op::Lw, .rd = 1}, 0, 0);
  clock.follow({.op = Op::Addi, .rd = 2, .rs1 = 1}, 0, 0);
  clock.follow({.op = Op::Sub, .rd = 3, .rs1 = 1, .rs2 = 4}, 0, 0);
  std::vector<uint32_t> results;
  for (const Instruction& i : program) {
    results.push_back(result_of(i, x));
    clock.follow(i, x[i.rs1], x[i.rs2]);
    if (i.rd != 0) x[i.rd] = results.back();
  }

  const auto check = [&](uint32_t later) {
    Registers y = begin;
    y[1] += later, y[2] += later, y[3] += later;
    for (size_t n = 0; n < program.size(); ++n) {
      const uint32_t result = result_of(program[n], y);
      if (program[n].rd != 0) y[program[n].rd] = result;
      if (isa::riscv::row(program[n].op).kind == isa::riscv::Kind::Branch) RC_ASSERT(result == results[n]);
    }
    for (unsigned r = 0; r < 8; ++r) RC_ASSERT(y[r] == x[r] + (clock.follows(r) ? later : 0));
  };
  const auto most = static_cast<uint32_t>(std::min<Cycle>(clock.holds(), 0xFFFFFFFF));
  for (const uint32_t later : {0u, 1u, 2u, 3u, 100u, most / 2, most - 1, most}) {
    if (later <= most) check(later);
  }
  RC_TAG(most == 0 ? "lost at once" : most < 1000 ? "for a while" : "for long");
}

TEST(ClockFollowers, ABoundHoldsUntilTheClockReachesIt) {
  ClockFollowers clock;
  clock.load();
  clock.follow({.op = Op::Lw, .rd = 5}, 0, 0);                    // 100 now
  clock.follow({.op = Op::Bltu, .rs1 = 5, .rs2 = 6}, 100, 1000);  // while (now < 1000)
  EXPECT_EQ(clock.holds(), 899u);
}

TEST(ClockFollowers, AHighWordHoldsUntilTheLowOneWraps) {
  ClockFollowers clock;
  clock.load_high(0x7'FFFF'FFF0);
  EXPECT_EQ(clock.holds(), 15u);
}

}  // namespace
}  // namespace kerr::emu

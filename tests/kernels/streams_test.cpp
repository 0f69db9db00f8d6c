// The words that a matmul pushes, against the golden program of docs/hardware/kernels.md 3.12 (HiFi4, bf16), which was
// run on an independent simulator.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "isa/riscv/instructions.hpp"
#include "kernels/matmul/streams.hpp"
#include "tests/kernels/tensix_words.hpp"

namespace kerr::kernels::matmul {
namespace {

MatmulPlan one_tile() { return plan_matmul_direct({32, 32, 32}, 1, {.fidelity = Fidelity::HiFi4}); }

TEST(MatmulStreams, UnpackConfiguresAndRecordsAsTheGoldenProgram) {
  const std::vector<uint32_t> expected{
      0x5160000B, 0x5460000F, 0xA0000000, 0xB3FF0000, 0xB47F0000, 0xB3070001, 0xB4800001, 0xB5010001, 0xB3010002,
      0xB5400047, 0xB5400077, 0xA1000000, 0x5E2FFC00, 0x5E4FFC00, 0xB2050004, 0xB2290000, 0x45008048, 0x4500804A,
      0x040000C1, 0x420000C1, 0xB10C004C, 0x5800C324, 0xA2400001, 0xB00C004C, 0x02000000, 0x420000C1, 0xB10C004D,
      0x5800C324, 0xA2400001, 0xB00C004D, 0x02000000, 0x5460000F, 0xA2040400, 0x428000C1, 0xA5000080};
  std::vector<uint32_t> words = tensix_words(unpack(one_tile()));
  ASSERT_GE(words.size(), expected.size());
  words.resize(expected.size());  // what follows moves the circular buffers' counters
  EXPECT_EQ(words, expected);
}

// But for two waits that order nothing (docs/hardware/kernels.md 3.4): STALLWAIT before Fp32_enabled is set, and before
// the other half of Dst is selected.
TEST(MatmulStreams, MathIsTheGoldenProgram) {
  const std::vector<uint32_t> expected{
      0xB20C0800, 0xB21C0008, 0xB22F0000, 0xB20D4010, 0xB21D0008, 0xB2300000, 0xB20E6040, 0xB21E0008, 0xB2310000,
      0xB2107060, 0xB2200400, 0xB2330000, 0xB211C0C0, 0xB2212C00, 0xB2340000, 0x04040101, 0x26000000, 0x26004000,
      0x26000000, 0x26008000, 0x26000000, 0x26004000, 0x26000000, 0x26010000, 0x26000000, 0x26004000, 0x26000000,
      0x26008000, 0x26000000, 0x26004000, 0x26000000, 0x26014000, 0xB2070000, 0x3700000F, 0xA3200008, 0xB2010000,
      0xB30800DC, 0xB6E00001, 0xA6A1000A, 0x01800000, 0x3780000F, 0xA2010810, 0xA4000008};
  EXPECT_EQ(tensix_words(math(one_tile())), expected);
}

TEST(MatmulStreams, PackConfiguresAsTheGoldenProgram) {
  const std::vector<uint32_t> expected{0x45000038, 0x45002039, 0x4502003A, 0x4508003B, 0xA2400001, 0xB01C000C,
                                       0xB01D000D, 0x02000000, 0x02000000, 0xA0000000, 0xB61E0A01, 0xB3FC0002,
                                       0xB4FF0002, 0xB53F0002, 0xA1000000, 0xB5900047, 0xB6FF0047};
  std::vector<uint32_t> words = tensix_words(pack(one_tile()));
  ASSERT_GE(words.size(), expected.size());
  words.resize(expected.size());
  EXPECT_EQ(words, expected);
}

// The K loop of the math stream: what the hart executes from one tile of K to the next, in words.
struct InnerLoop {
  size_t mops = 0, tensix = 0, hart = 0;  // tensix: pushed inline, besides MOPs
  size_t longest_gap = 0;                 // words between two MOPs
};
InnerLoop inner_loop(const Kernel& kernel) {
  const isa::Code& code = kernel.code;
  const auto is_mop = [&](uint32_t at) {
    const uint32_t word = code.word_at(at);
    return isa::riscv::is_ttinsn(word) && isa::riscv::tensix_of(word) == 0x01800000;
  };
  // The loop is closed by the first backward branch behind the last MOP of the code for a tile of K.
  uint32_t first = code.base;
  while (!is_mop(first)) first += 4;
  uint32_t branch = first, target = 0;
  for (;; branch += 4) {
    const isa::riscv::Instruction decoded = isa::riscv::decode(code.word_at(branch));
    if (decoded.op == isa::riscv::Op::Bne && decoded.imm < 0) {
      target = branch + static_cast<uint32_t>(decoded.imm);
      break;
    }
  }
  InnerLoop loop;
  size_t gap = 0;
  for (uint32_t at = target; at <= branch; at += 4) {
    if (is_mop(at)) {
      if (loop.mops++ != 0) loop.longest_gap = std::max(loop.longest_gap, gap);
      gap = 0;
      continue;
    }
    ++gap;
    ++(isa::riscv::is_ttinsn(code.word_at(at)) ? loop.tensix : loop.hart);
  }
  return loop;
}

// docs/performance/matrix-unit.md has these numbers beside those of the stock kernel.
TEST(MatmulStreams, BetweenTwoProductsTheMathHartOnlySaysWhereTheNextOneGoes) {
  for (const Fidelity fidelity : {Fidelity::LoFi, Fidelity::HiFi2, Fidelity::HiFi4}) {
    MatmulPlan plan = plan_matmul_direct({2048, 2048, 2048}, 1, {.fidelity = fidelity});
    ASSERT_EQ(plan.sub_rows, 2u);
    ASSERT_EQ(plan.sub_columns, 4u);
    const InnerLoop loop = inner_loop(math(plan));
    EXPECT_EQ(loop.mops, 8u);
    EXPECT_EQ(loop.hart, 8u * 2 + 2);  // address and push for each product, counter and branch for a tile of K
    EXPECT_EQ(loop.tensix, 2u);        // the held tile is given back
    EXPECT_EQ(loop.longest_gap, 3u);
  }
}

// Whatever its shape: a product costs the hart two instructions besides its MOP, and a held tile one word of the
// coprocessor's.
TEST(MatmulStreams, SubBlocksOfAllShapesCostTheMathHartTheSame) {
  for (uint32_t rows = 1; rows <= 8; ++rows) {
    for (uint32_t columns = 1; rows * columns <= 8; ++columns) {
      MatmulPlan plan = plan_matmul_direct({2048, 2048, 2048}, 1);
      plan.core_rows = plan.sub_rows = rows;
      plan.core_columns = plan.sub_columns = columns;
      const InnerLoop loop = inner_loop(math(plan));
      EXPECT_EQ(loop.mops, rows * columns) << rows << " x " << columns;
      EXPECT_EQ(loop.hart, 2 * rows * columns + 2) << rows << " x " << columns;
      EXPECT_EQ(loop.tensix, std::min(rows, columns)) << rows << " x " << columns;
    }
  }
}

TEST(MatmulStreams, EachFitsWhereItHasToRun) {
  const MatmulPlan plan = plan_matmul_direct({4096, 4096, 4096}, 118);
  for (const Kernel& kernel :
       {unpack(plan), math(plan), pack(plan), reader(plan, arch::kFwB), writer(plan, arch::kFwB)}) {
    EXPECT_LT(kernel.code.bytes.size(), 8192u);
  }
}

}  // namespace
}  // namespace kerr::kernels::matmul

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <stdexcept>

#include "kernels/matmul/plan.hpp"

namespace kerr::kernels {
namespace {

TEST(MatmulPlan, AShapeOf118TilesFillsAll118Cores) {
  const MatmulPlan plan = plan_matmul(32, 118 * 32, 64, 118);
  EXPECT_EQ(plan.cores(), 118u);
  EXPECT_EQ(plan.executed_n(), 118u * 32);
}

TEST(MatmulPlan, SizesAreRoundedUpToTiles) {
  const MatmulPlan plan = plan_matmul(33, 65, 1, 118);
  EXPECT_EQ(plan.executed_m(), 64u);
  EXPECT_EQ(plan.executed_n(), 96u);
  EXPECT_EQ(plan.executed_k(), 32u);
}

TEST(MatmulPlan, ZeroAndHugeSizesAreRefusedByName) {
  EXPECT_THROW(plan_matmul(0, 1, 1, 1), std::invalid_argument);
  EXPECT_THROW(plan_matmul(1, 1, 1 << 21, 1), std::invalid_argument);
  try {
    plan_matmul(1, 0, 1, 1);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "N must be at least 1");
  }
}

TEST(MatmulPlan, Fp32AccumulationHalvesTheSubBlock) {
  EXPECT_LE(plan_matmul(4096, 4096, 64, 4, {.fp32_accumulate = true}).sub_tiles(), 4u);
  EXPECT_LE(plan_matmul(4096, 4096, 64, 4, {.fp32_accumulate = false}).sub_tiles(), 8u);
}

RC_GTEST_PROP(MatmulPlan, EveryTileIsComputedOnceAndNoCoreIsIdle, ()) {
  const auto m = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto n = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto k = *rc::gen::inRange<std::uint64_t>(1, 3000);
  const auto cores = *rc::gen::inRange<std::uint32_t>(1, 139);
  const MatmulPlan p = plan_matmul(m, n, k, cores);
  RC_ASSERT(p.cores() >= 1 && p.cores() <= cores);
  RC_ASSERT(p.m_tiles == p.grid_rows * p.core_rows && p.n_tiles == p.grid_columns * p.core_columns);
  RC_ASSERT(p.executed_m() >= m && p.executed_n() >= n && p.executed_k() >= k && p.executed_k() < k + 32);
  RC_ASSERT(p.core_rows % p.sub_rows == 0 && p.core_columns % p.sub_columns == 0 && p.k_tiles % p.k_block == 0);
  RC_ASSERT(p.sub_columns >= p.sub_rows);
  // the first tile of the last core lies inside the matrix
  RC_ASSERT((p.grid_rows - 1) * p.core_rows * 32 < m + 31 && (p.grid_columns - 1) * p.core_columns * 32 < n + 31);
}

}  // namespace
}  // namespace kerr::kernels

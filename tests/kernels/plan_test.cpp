#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels/matmul/cost.hpp"
#include "kernels/matmul/plan.hpp"

namespace kerr::kernels {
namespace {

TEST(MatmulPlan, AShapeOf118TilesFillsAll118Cores) {
  const MatmulPlan plan = plan_matmul_direct({32, 118 * 32, 64}, 118);
  EXPECT_EQ(plan.cores(), 118u);
  EXPECT_EQ(plan.executed_n(), 118u * 32);
}

TEST(MatmulPlan, SizesAreRoundedUpToTiles) {
  const MatmulPlan plan = plan_matmul_direct({33, 65, 1}, 118);
  EXPECT_EQ(plan.executed_m(), 64u);
  EXPECT_EQ(plan.executed_n(), 96u);
  EXPECT_EQ(plan.executed_k(), 32u);
}

TEST(MatmulPlan, ZeroAndHugeSizesAreRefusedByName) {
  EXPECT_THROW(plan_matmul_direct({0, 1, 1}, 1), std::invalid_argument);
  EXPECT_THROW(plan_matmul_direct({1, 1, 1 << 21}, 1), std::invalid_argument);
  try {
    plan_matmul_direct({1, 0, 1}, 1);
    FAIL();
  } catch (const std::invalid_argument& e) {
    EXPECT_STREQ(e.what(), "N must be at least 1");
  }
}

TEST(MatmulPlan, Fp32AccumulationHalvesTheSubBlock) {
  EXPECT_LE(plan_matmul_direct({4096, 4096, 64}, 4, {.fp32_accumulate = true}).sub_tiles(), 4u);
  EXPECT_LE(plan_matmul_direct({4096, 4096, 64}, 4, {.fp32_accumulate = false}).sub_tiles(), 8u);
}

RC_GTEST_PROP(MatmulPlan, EveryTileIsComputedOnceAndNoCoreIsIdle, ()) {
  const auto m = *rc::gen::inRange<uint64_t>(1, 3000);
  const auto n = *rc::gen::inRange<uint64_t>(1, 3000);
  const auto k = *rc::gen::inRange<uint64_t>(1, 3000);
  const auto cores = *rc::gen::inRange<uint32_t>(1, 139);
  const MatmulPlan p = plan_matmul_direct({m, n, k}, cores);
  RC_ASSERT(p.cores() >= 1 && p.cores() <= cores);
  RC_ASSERT(p.m_tiles == p.grid_rows * p.core_rows && p.n_tiles == p.grid_columns * p.core_columns);
  RC_ASSERT(p.executed_m() >= m && p.executed_n() >= n && p.executed_k() >= k && p.executed_k() < k + 32);
  RC_ASSERT(p.core_rows % p.sub_rows == 0 && p.core_columns % p.sub_columns == 0 && p.k_tiles % p.k_block == 0);
  RC_ASSERT(p.sub_columns >= p.sub_rows);
  // the first tile of the last core lies inside the matrix
  RC_ASSERT((p.grid_rows - 1) * p.core_rows * 32 < m + 31 && (p.grid_columns - 1) * p.core_columns * 32 < n + 31);
}

// What fast dispatch leaves of a P100A.
std::vector<arch::NocCoord> p100a_workers() {
  std::vector<arch::NocCoord> workers;
  for (uint8_t y = 2; y < 12; ++y) {
    for (const uint8_t x : {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14}) {
      if (x != 14 || y > 3) workers.push_back({x, y});
    }
  }
  return workers;
}

TEST(MatmulPlanMulticast, ComputesEveryTileOnceWithinL1) {
  std::vector<arch::NocCoord> workers = p100a_workers();
  constexpr uint32_t kL1 = 1347584;
  EXPECT_TRUE(rc::check([&] {
    // Larger ones of fp32 do not fit.
    const auto m = *rc::gen::inRange<uint64_t>(1, 4000), n = *rc::gen::inRange<uint64_t>(1, 4000);
    const auto k = *rc::gen::inRange<uint64_t>(1, 6000);
    const auto format = *rc::gen::element(Format::Bf16, Format::Bfp8, Format::Fp32);
    const MatmulOptions options{.fp32_accumulate = *rc::gen::arbitrary<bool>(), .in = format};
    const MatmulPlan p = plan_matmul_multicast({m, n, k}, {workers, kL1}, options);
    RC_ASSERT(p.placement.size() == p.cores());
    for (const arch::NocCoord c : p.placement) RC_ASSERT(std::find(workers.begin(), workers.end(), c) != workers.end());
    RC_ASSERT(p.m_tiles == p.grid_rows * p.core_rows && p.n_tiles == p.grid_columns * p.core_columns);
    RC_ASSERT(p.executed_m() >= m && p.executed_n() >= n && p.executed_k() >= k && p.executed_k() < k + 32);
    RC_ASSERT(p.core_rows % p.sub_rows == 0 && p.core_columns % p.sub_columns == 0 && p.k_tiles % p.k_block == 0);
    RC_ASSERT(p.sub_tiles() <= (options.dst32() ? 4u : 8u));
    RC_ASSERT(l1_of(p) <= kL1);
    // the last row and the last column of cores compute more than padding
    RC_ASSERT((p.grid_rows - 1) * p.core_rows * 32 < m && (p.grid_columns - 1) * p.core_columns * 32 < n);
  }));
}

TEST(MatmulPlan, TakesTheDataflowThatIsEstimatedFaster) {
  const std::vector<arch::NocCoord> workers = p100a_workers();
  const MatmulCores cores{workers, 1347584};
  for (const uint32_t size : {256u, 512u, 1024u, 2048u, 4096u}) {
    const MatmulPlan p = plan_matmul({size, size, size}, cores);
    EXPECT_TRUE(p.multicast()) << size;
    const MatmulPlan direct = plan_matmul_direct({size, size, size}, 118);
    EXPECT_LT(estimate(p).cycles(), estimate(direct).cycles());
    EXPECT_LT(cost_of(p).dram_read, cost_of(direct).dram_read);
  }
  EXPECT_FALSE(plan_matmul({32, 32, 32}, cores).multicast());  // nobody to share with
}

TEST(MatmulPlan, TakesTallSubBlocksWhereWideOnesTakeAsLong) {
  const std::vector<arch::NocCoord> workers = p100a_workers();
  const MatmulPlan p = plan_matmul_multicast({5120, 5632, 4096}, {workers, 1347584});
  EXPECT_EQ(p.sub_rows, 8u);
  EXPECT_EQ(p.sub_columns, 1u);
  MatmulPlan wide = p;
  std::swap(wide.sub_rows, wide.sub_columns);
  EXPECT_EQ(estimate(p).cycles(), estimate(wide).cycles());
}

TEST(MatmulPlan, SumsThatCannotWaitInL1StayInDst) {
  const std::vector<arch::NocCoord> workers = p100a_workers();
  const MatmulPlan p = plan_matmul({2048, 2048, 8192}, {workers, 1347584}, {.in = Format::Fp16, .out = Format::Fp16});
  EXPECT_FALSE(p.has_partials());
  EXPECT_TRUE(plan_matmul({2048, 2048, 8192}, {workers, 1347584}, {.fp32_accumulate = true, .in = Format::Fp16})
                  .has_partials());
}

TEST(MatmulPlan, AnEpilogueTakesItsOperandsTilesFromTheSubBlock) {
  const std::vector<arch::NocCoord> workers = p100a_workers();
  const auto sum_of = [](uint32_t operands) {
    auto made = std::make_shared<MatmulEpilogue>();
    Expression::Node sum = made->expression.input(0);
    for (uint32_t i = 1; i <= operands; ++i) {
      const Expression::Node both[] = {sum, made->expression.input(i)};
      sum = made->expression.apply(Operation::Add, both);
      made->operands_have_rows.push_back(true);
    }
    made->expression.set_result(sum);
    return made;
  };
  for (uint32_t operands = 0; operands <= 7; ++operands) {
    const MatmulPlan p = plan_matmul({1024, 1024, 256}, {workers, 1347584}, {.epilogue = sum_of(operands)});
    EXPECT_LE(p.sub_tiles(), 8 - operands);
  }
  EXPECT_THROW(plan_matmul({1024, 1024, 256}, {workers, 1347584}, {.epilogue = sum_of(8)}), std::invalid_argument);
  EXPECT_THROW(plan_matmul({1024, 1024, 256}, {workers, 1347584}, {.fp32_accumulate = true, .epilogue = sum_of(4)}),
               std::invalid_argument);
  EXPECT_THROW(
      plan_matmul({64, 64, 64}, {workers, 1347584}, {.in = Format::Fp16, .out = Format::Fp16, .epilogue = sum_of(1)}),
      std::invalid_argument);
}

TEST(MatmulPlanCompat, ExecutesTheShapesThatWereTimedOnSilicon) {
  struct Row {
    uint32_t m, k, n, executed_m, executed_k, executed_n, cores;
  };
  for (const Row& r : {Row{256, 256, 256, 256, 256, 448, 7}, Row{512, 512, 512, 640, 512, 640, 25},
                       Row{1024, 1024, 1024, 1280, 1024, 1280, 100}, Row{2048, 2048, 2048, 2240, 2048, 2112, 110},
                       Row{4096, 4096, 4096, 4160, 4096, 4224, 110}, Row{5120, 4096, 5632, 5120, 4096, 5632, 110}}) {
    const MatmulPlan p = plan_matmul_compat({r.m, r.n, r.k}, {p100a_workers(), 1347584});
    EXPECT_EQ(p.executed_m(), r.executed_m) << r.m;
    EXPECT_EQ(p.executed_k(), r.executed_k) << r.m;
    EXPECT_EQ(p.executed_n(), r.executed_n) << r.m;
    EXPECT_EQ(p.cores(), r.cores) << r.m;
  }
}

TEST(MatmulPlanCompat, UsesOnlyCoresThatAreThere) {
  std::vector<arch::NocCoord> workers = p100a_workers();
  std::erase_if(workers, [](arch::NocCoord c) { return (c.x * 5 + c.y * 3) % 7 == 0; });
  const MatmulPlan p = plan_matmul_compat({2048, 2048, 2048}, {workers, 1347584});
  ASSERT_EQ(p.placement.size(), p.cores());
  for (const arch::NocCoord c : p.placement) EXPECT_NE(std::find(workers.begin(), workers.end(), c), workers.end());
}

TEST(MatmulPlanCompat, SaysSoWhenNothingFits) {
  EXPECT_THROW(plan_matmul_compat({1 << 20, 1 << 20, 1 << 20}, {p100a_workers(), 1347584}), std::invalid_argument);
  EXPECT_THROW(plan_matmul_compat({32, 32, 32}, {{}, 1347584}), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::kernels

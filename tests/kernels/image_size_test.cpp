// What a launch writes to a core of each role: it goes out in pieces of 1 KiB where each costs
// (docs/performance/timing.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "arch/grid.hpp"
#include "host/runtime/program/launch_plan.hpp"
#include "kernels/matmul/matmul.hpp"

namespace kerr::kernels {
namespace {

constexpr size_t kKiB = 1024;

// Smallest first: of the cores that only receive, where there are some.
std::vector<size_t> image_bytes(uint32_t size) {
  std::vector<arch::NocCoord> workers;  // what fast dispatch leaves of a P100A
  for (uint8_t y = 2; y < 12; ++y) {
    for (const uint8_t x : {1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14})
      if (x != 14 || y > 3) workers.push_back({x, y});
  }
  const MatmulPlan plan = plan_matmul_compat({size, size, size}, {workers, 1347584});
  const host::Program program = matmul_program(plan, arch::kFwB, workers, {.a = 0x1000, .b = 0x2000, .c = 0x3000});
  std::vector<size_t> bytes;
  for (const host::KernelGroup& group : host::plan_launch(program).groups) bytes.push_back(group.image.size());
  std::ranges::sort(bytes);
  return bytes;
}

TEST(ImageSize, WithOneBlockOfKIsThreePiecesForSendersAndTwoForOthers) {
  for (const uint32_t size : {512u, 1024u}) {
    const std::vector<size_t> bytes = image_bytes(size);
    ASSERT_EQ(bytes.size(), 4u) << size;
    EXPECT_LE(bytes.front(), 2 * kKiB) << size;
    EXPECT_LE(bytes.back(), 3 * kKiB) << size;
  }
}

TEST(ImageSize, WithSumsInL1IsFourPiecesForSendersAndThreeForOthers) {
  const std::vector<size_t> bytes = image_bytes(2048);
  ASSERT_EQ(bytes.size(), 4u);
  EXPECT_LE(bytes.front(), 3 * kKiB);
  EXPECT_LE(bytes.back(), 4 * kKiB);
}

}  // namespace
}  // namespace kerr::kernels

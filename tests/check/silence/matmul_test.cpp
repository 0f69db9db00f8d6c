#include "jobs/matmul.hpp"
#include "tests/check/silence/checked.hpp"

namespace kerr::check {
namespace {

std::string checked(uint32_t m, uint32_t k, uint32_t n, kernels::Format format, uint32_t cores = 0,
                    bool slow_dispatch = false, jobs::Planner planner = jobs::Planner::Default) {
  return report_on([&](const jobs::DeviceSpec& device) {
    jobs::MatmulJob job{.shape = {m, k, n}, .device = device};
    job.options.in = job.options.out = format;
    job.cores = cores;
    job.slow_dispatch = slow_dispatch;
    job.planner = planner;
    const jobs::MatmulOutcome outcome = jobs::run(job);
    EXPECT_GT(outcome.agreement.pcc, 0.99);
  });
}

TEST(SilenceOfMatmul, OneCore) { EXPECT_EQ(checked(64, 64, 64, kernels::Format::Bf16, 1), ""); }
TEST(SilenceOfMatmul, SlowDispatch) { EXPECT_EQ(checked(64, 64, 64, kernels::Format::Bf16, 4, true), ""); }
TEST(SilenceOfMatmul, Direct) {
  EXPECT_EQ(checked(256, 128, 256, kernels::Format::Bf16, 0, false, jobs::Planner::Direct), "");
}
TEST(SilenceOfMatmul, Multicast) {
  EXPECT_EQ(checked(512, 512, 512, kernels::Format::Bf16, 0, false, jobs::Planner::Multicast), "");
}
// Which are added up in L1, in pages that nobody has pushed.
TEST(SilenceOfMatmul, PartialSums) {
  EXPECT_EQ(checked(1024, 1024, 1024, kernels::Format::Bf16, 0, false, jobs::Planner::Multicast), "");
}

}  // namespace
}  // namespace kerr::check

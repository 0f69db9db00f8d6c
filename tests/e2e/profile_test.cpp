// kerr matmul --profile: times of cores and zones that fit together, and the same product.
#include <gtest/gtest.h>

#include <map>

#include "jobs/matmul.hpp"
#include "kernels/blocks/zone.hpp"

namespace kerr::jobs {
namespace {

MatmulJob request(Planner planner) {
  MatmulJob r{.shape = {256, 256, 256}};
  r.device.emulator.shards = 1;
  r.device.emulator.boards = {arch::kP150};
  r.planner = planner;
  r.profile = true;
  return r;
}

TEST(Profile, HoldsTheTimeOfEveryCoreAndTheZonesOfEveryHart) {
  for (const Planner planner : {Planner::Direct, Planner::Compat}) {
    const MatmulOutcome outcome = run(request(planner));
    EXPECT_TRUE(outcome.agreement.good());
    MatmulJob plain = request(planner);
    plain.profile = false;
    EXPECT_EQ(outcome.hash, run(plain).hash) << "the marks change no result";
    ASSERT_TRUE(outcome.profile);
    const Profile& profile = *outcome.profile;
    EXPECT_EQ(profile.time.name, "matmul");
    ASSERT_EQ(profile.time.cores.size(), outcome.plan.cores());
    EXPECT_TRUE(profile.zones.complete);
    std::map<arch::NocCoord, std::pair<uint64_t, uint64_t>> time_of;
    for (const auto& core : profile.time.cores) {
      EXPECT_LT(core.start_cycles, core.end_cycles);
      time_of[core.core] = {core.start_cycles, core.end_cycles};
    }
    std::map<std::pair<arch::NocCoord, arch::Hart>, int> of_hart;
    std::map<uint32_t, size_t> zones;
    for (const host::Zone& z : profile.zones.all) {
      const auto [start, end] = time_of.at(z.core);
      EXPECT_LE(static_cast<uint32_t>(start), z.begin_cycles);
      EXPECT_LE(z.begin_cycles, z.end_cycles);
      EXPECT_LE(z.end_cycles, static_cast<uint32_t>(end));
      if (z.id == static_cast<uint32_t>(kernels::Zone::Kernel)) ++of_hart[{z.core, z.hart}];
      ++zones[z.id];
    }
    EXPECT_EQ(of_hart.size(), 5u * outcome.plan.cores());
    for (const auto& [hart, times] : of_hart) EXPECT_EQ(times, 1);
    const auto count = [&](kernels::Zone zone) { return zones[static_cast<uint32_t>(zone)]; };
    EXPECT_EQ(count(kernels::Zone::Write), size_t{outcome.plan.cores()} * outcome.plan.sub_blocks());
    EXPECT_GE(count(kernels::Zone::Multiply), count(kernels::Zone::Write));
    EXPECT_EQ(count(kernels::Zone::Multiply), count(kernels::Zone::Pack));
    if (planner == Planner::Direct) {
      EXPECT_GT(count(kernels::Zone::Read), 0u);
    } else {  // both dataflow harts of a core either read and send each block of their operand, or receive it
      EXPECT_EQ(count(kernels::Zone::Read) + count(kernels::Zone::Receive),
                size_t{2} * outcome.plan.cores() * outcome.plan.k_blocks());
      EXPECT_LE(count(kernels::Zone::Send), count(kernels::Zone::Read));
      EXPECT_GT(count(kernels::Zone::Send), 0u);
    }
  }
}

}  // namespace
}  // namespace kerr::jobs

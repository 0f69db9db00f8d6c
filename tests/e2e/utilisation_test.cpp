// kerr matmul --timing exact --utilisation: shares that add up to the time, and the same product in the same time.
#include <gtest/gtest.h>

#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "isa/assembler.hpp"
#include "isa/tensix/resources.hpp"
#include "jobs/matmul.hpp"

namespace kerr::jobs {
namespace {

MatmulJob request(int threads) {
  MatmulJob r{.shape = {128, 192, 256}};
  r.device.emulator.shards = threads;
  r.device.emulator.timing = emu::Timing::Exact;
  r.observing.watch = Watch::Timeline;
  return r;
}

TEST(Utilisation, ChangesNeitherProductNorTimeAndIgnoresThreads) {
  const MatmulOutcome one = run(request(1));
  const MatmulOutcome two = run(request(2));
  MatmulJob plain = request(1);
  plain.observing.watch = Watch::Nothing;
  const MatmulOutcome unseen = run(plain);
  EXPECT_TRUE(one.agreement.good());
  EXPECT_EQ(one.hash, unseen.hash);
  EXPECT_EQ(one.device_cycles, unseen.device_cycles);
  EXPECT_FALSE(unseen.timeline);
  ASSERT_TRUE(one.timeline && two.timeline);
  EXPECT_EQ(json(one.timeline->utilisation).dump(1), json(two.timeline->utilisation).dump(1));
  EXPECT_EQ(json(one.timeline->path).dump(1), json(two.timeline->path).dump(1));
}

TEST(Utilisation, SharesAddUpToTheTimeAndEveryMvmulIsBusy) {
  const MatmulOutcome outcome = run(request(1));
  ASSERT_TRUE(outcome.timeline);
  const report::Utilisation& u = outcome.timeline->utilisation;
  EXPECT_EQ(u.end - u.begin, outcome.device_cycles);
  ASSERT_EQ(u.cores.size(), outcome.plan.cores());
  double mvmuls = 0;
  for (const auto& core : u.cores) {
    for (const emu::Agent agent : {emu::Agent::Brisc, emu::Agent::Ncrisc, emu::Agent::Trisc1, emu::Agent::Thread1}) {
      double all = core.busy[static_cast<size_t>(agent)];
      for (const double share : core.waiting[static_cast<size_t>(agent)]) all += share;
      EXPECT_NEAR(all, 1, 1e-9) << name(agent);
    }
    mvmuls += core.units[static_cast<size_t>(isa::tensix::Unit::Fpu)] * static_cast<double>(u.end - u.begin);
  }
  EXPECT_GE(mvmuls, static_cast<double>(outcome.plan.mvmuls()));
  EXPECT_LT(mvmuls, 1.5 * static_cast<double>(outcome.plan.mvmuls()));
  uint64_t read = 0;
  for (const auto& bank : u.banks) read += bank.bytes;
  EXPECT_GE(read, uint64_t{2} * (128 * 256 + 256 * 192 + 128 * 192)) << "every operand and result crosses DRAM";
}

TEST(Utilisation, TheCriticalPathCoversTheTimeWithoutGaps) {
  const MatmulOutcome outcome = run(request(1));
  ASSERT_TRUE(outcome.timeline);
  const auto& path = outcome.timeline->path;
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.front().begin, outcome.timeline->utilisation.begin);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end);
  const double covered = static_cast<double>(path.back().end - path.front().begin);
  EXPECT_GT(covered, 0.9 * static_cast<double>(outcome.device_cycles));
}

// A program that only moves data, or counts, has no core that computes.
TEST(Utilisation, OfHartsAloneIsOfThoseThatWorked) {
  using namespace isa::reg;
  report::Timeline timeline;
  host::EmulatedDevice device({.chip = {.timing = emu::Timing::Exact, .observer = &timeline}});
  host::Chip chip(device);
  isa::Assembler a;
  a.li(t0, 1000);
  const auto top = a.here();
  a.addi(t0, t0, -1);
  a.bnez(t0, top);
  a.ret();
  host::Program program("count");
  const arch::NocCoord cores[] = {{1, 2}, {2, 2}};
  program.add_kernel(arch::Hart::Brisc, image::Image::from(a.finish(), "count"), cores);
  const uint64_t begin = device.cycles();
  chip.run(program);
  const report::Utilisation u = report::utilisation(timeline, begin, device.cycles());
  ASSERT_EQ(u.cores.size(), 2u) << text(u, "");
  EXPECT_GT(u.of_agent(emu::Agent::Brisc).least, 0.2);
  EXPECT_EQ(text(u, "").find("2 cores whose harts worked"), 0u) << text(u, "");
}

TEST(Utilisation, OfRelaxedTimingIsRefused) {
  MatmulJob r = request(1);
  r.device.emulator.timing = emu::Timing::Relaxed;
  EXPECT_THROW(run(r), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::jobs

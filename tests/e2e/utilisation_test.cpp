// kerr matmul --timing exact --utilisation: shares that add up to the time, and the same product in the same time.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/matmul.hpp"
#include "isa/tensix/resources.hpp"

namespace kerr::cli {
namespace {

MatmulRequest request(unsigned threads) {
  MatmulRequest r;
  r.m = 128, r.n = 192, r.k = 256;
  r.device.threads = threads;
  r.device.exact_timing = true;
  r.timeline.utilisation = true;
  return r;
}

TEST(Utilisation, ComesWithTheSameProductInTheSameTimeAndIsTheSameForAnyNumberOfThreads) {
  const MatmulOutcome one = run_matmul(request(1), true);
  const MatmulOutcome two = run_matmul(request(2), true);
  MatmulRequest plain = request(1);
  plain.timeline = {};
  const MatmulOutcome unseen = run_matmul(plain, true);
  EXPECT_TRUE(one.agreement.good());
  EXPECT_EQ(one.hash, unseen.hash);
  EXPECT_EQ(one.device_cycles, unseen.device_cycles);
  EXPECT_FALSE(unseen.timeline);
  ASSERT_TRUE(one.timeline && two.timeline);
  EXPECT_EQ(json(*one.timeline).dump(1), json(*two.timeline).dump(1));
}

TEST(Utilisation, SharesOfEveryAgentAddUpToTheTimeAndTheMatrixUnitIsBusyForEveryMvmul) {
  const MatmulOutcome outcome = run_matmul(request(1), true);
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
  const MatmulOutcome outcome = run_matmul(request(1), true);
  ASSERT_TRUE(outcome.timeline);
  const auto& path = outcome.timeline->path;
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.front().begin, outcome.timeline->utilisation.begin);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end);
  const double covered = static_cast<double>(path.back().end - path.front().begin);
  EXPECT_GT(covered, 0.9 * static_cast<double>(outcome.device_cycles));
}

TEST(Utilisation, WritesATraceAndAPicture) {
  MatmulRequest r = request(1);
  const auto folder = std::filesystem::temp_directory_path();
  r.timeline.trace = (folder / "kerr_utilisation_trace.json").string();
  r.timeline.heat_map = (folder / "kerr_utilisation_links.svg").string();
  run_matmul(r, true);
  std::ifstream trace(r.timeline.trace), picture(r.timeline.heat_map);
  EXPECT_GT(nlohmann::json::parse(trace).at("traceEvents").size(), 1000u);
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_NE(svg.find("NoC 0 ("), std::string::npos);
  std::filesystem::remove(r.timeline.trace);
  std::filesystem::remove(r.timeline.heat_map);
}

TEST(Utilisation, OfRelaxedTimingIsRefused) {
  MatmulRequest r = request(1);
  r.device.exact_timing = false;
  EXPECT_THROW(run_matmul(r, true), std::invalid_argument);
}

}  // namespace
}  // namespace kerr::cli

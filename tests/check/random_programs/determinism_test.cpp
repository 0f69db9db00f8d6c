// The report and the run are the same, however the emulator works.
#include <gtest/gtest.h>

#include "check/report/places.hpp"
#include "check/report/report.hpp"
#include "check/report/text.hpp"
#include "emu/machine/machine.hpp"
#include "tests/check/random_programs/run.hpp"

namespace kerr::random_programs {
namespace {

constexpr uint32_t kSteps = 24;

struct Account {
  std::string report;
  uint64_t hash = 0, cycles = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

/// A few programs without an edge, one after the other.
Account account(bool checked, const emu::Options& options) {
  Bench bench(checked, options);
  for (const unsigned seed : {3u, 5u, 8u, 9u, 14u, 21u}) {
    const RandomProgram random(seed, kSteps);
    bench.run(random, random.build(removed_of(random, seed)));
  }
  const check::Report report = check::report_of(bench.findings());
  return {check::text(report, check::Places(options.boards), 1000), bench.device().state_hash(),
          bench.device().cycles()};
}

TEST(Determinism, OfReportsForAnyNumberOfThreads) {
  const Account one = account(true, {});
  EXPECT_NE(one.report.find("race"), std::string::npos) << one.report;
  for (const int shards : {2, 4, 16}) {
    EXPECT_EQ(account(true, {.shards = shards, .always_in_parallel = true}).report, one.report) << shards;
  }
}

TEST(Determinism, OfTheRunWithAndWithoutAChecker) {
  const Account checked = account(true, {}), plain = account(false, {});
  EXPECT_EQ(checked.hash, plain.hash);
  EXPECT_EQ(checked.cycles, plain.cycles);
}

// But for the number of accesses, which grows if nobody is parked.
TEST(Determinism, OfReportsWithAndWithoutParking) {
  const auto without_summary = [](const emu::Options& options) {
    const std::string report = account(true, options).report;
    return report.substr(0, report.find("kerr: check: "));
  };
  EXPECT_EQ(without_summary({.parking = false}), without_summary({}));
}

TEST(Determinism, OfReportsFromRunToRun) { EXPECT_EQ(account(true, {}), account(true, {})); }

}  // namespace
}  // namespace kerr::random_programs

// The report and the run are the same, however the emulator works.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "check/report/places.hpp"
#include "check/report/report.hpp"
#include "check/report/text.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/machine.hpp"
#include "emu/machine/snapshot.hpp"
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
void run_programs(Bench& bench) {
  for (const unsigned seed : {3u, 5u, 8u, 9u, 14u, 21u}) {
    const RandomProgram random(seed, kSteps);
    bench.run(random, random.build(removed_of(random, seed)));
  }
}
std::string text_of(const check::Findings& findings, const std::vector<arch::Board>& boards) {
  return check::text(check::report_of(findings), check::Places(boards), 1000);
}
Account account(bool checked, const emu::Options& options) {
  Bench bench(checked, options);
  run_programs(bench);
  return {text_of(bench.findings(), options.boards), bench.device().state_hash(), bench.device().cycles()};
}

/// What the host told a booted device in the course of those programs: files, for as long as this lives.
class RecordedPrograms {
 public:
  RecordedPrograms() {
    Bench bench(false);
    emu::save_snapshot(bench.device().machine(), booted());
    emu::InputRecorder recorder(bench.device().machine(), log());
    const emu::Cycle begin = bench.device().cycles();
    run_programs(bench);
    recorder.finish();
    middle = (begin + bench.device().cycles()) / 2;
  }
  ~RecordedPrograms() {
    for (const std::string& file : {log(), booted(), half()}) std::filesystem::remove(file);
  }
  RecordedPrograms(const RecordedPrograms&) = delete;
  RecordedPrograms& operator=(const RecordedPrograms&) = delete;

  std::string log() const { return path_ + ".log"; }
  std::string booted() const { return path_ + ".booted"; }  // a snapshot, with which it begins
  std::string half() const { return path_ + ".half"; }      // for one of `middle`

  emu::Cycle middle = 0;

 private:
  std::string path_ = ::testing::TempDir() + "kerr_check_" + std::to_string(::getpid());
};

/// How a recording is replayed.
struct Replayed {
  emu::Cycle slice = emu::kNever;  // of the clock
  int shards = 1;
  std::string save{};  // a snapshot of cycle `at`; empty: none
  emu::Cycle at = 0;
};
/// The report on what comes behind the snapshot `from`.
std::string report_on(const std::string& log, const std::string& from, const Replayed& how = {}) {
  emu::Options options = emu::read_log_info(log).machine.options();
  check::Checker checker(options.boards);
  options.observer = &checker;
  options.shards = how.shards;
  options.always_in_parallel = how.shards > 1;
  emu::Machine machine(options);
  emu::load_snapshot(machine, from);
  emu::Replay replay(machine, log);
  if (!how.save.empty()) {
    replay.run(how.at);
    emu::save_snapshot(machine, how.save);
  }
  while (replay.run(how.slice == emu::kNever ? how.slice : machine.now() + how.slice)) continue;
  return text_of(checker.findings(), options.boards);
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

// Who executes every instruction by its definition, and tells all by the long way.
TEST(Determinism, OfReportsOfTheReferenceScheduler) {
  const auto without_summary = [](const emu::Options& options) {
    const std::string report = account(true, options).report;
    return report.substr(0, report.find("kerr: check: "));
  };
  EXPECT_EQ(without_summary({.scheduler = emu::Scheduler::Reference}), without_summary({}));
}

TEST(Determinism, OfReportsForSlicesOfTheClock) {
  const RecordedPrograms recorded;
  const std::string whole = report_on(recorded.log(), recorded.booted());
  EXPECT_NE(whole.find("race"), std::string::npos) << whole;
  for (const emu::Cycle slice : {1, 100, 777, 4096})
    EXPECT_EQ(report_on(recorded.log(), recorded.booted(), {.slice = slice}), whole) << slice;
}

TEST(Determinism, OfReportsWhileASnapshotIsTaken) {
  const RecordedPrograms recorded;
  const std::string whole = report_on(recorded.log(), recorded.booted());
  const Replayed saving{.save = recorded.half(), .at = recorded.middle};
  EXPECT_EQ(report_on(recorded.log(), recorded.booted(), saving), whole);
}

// What came before the snapshot counts as ordered, so this is another report than that on the whole run.
TEST(Determinism, OfReportsOnWhatComesBehindASnapshot) {
  const RecordedPrograms recorded;
  report_on(recorded.log(), recorded.booted(), {.save = recorded.half(), .at = recorded.middle});
  const std::string behind = report_on(recorded.log(), recorded.half());
  EXPECT_NE(behind.find("race"), std::string::npos) << behind;
  for (const int shards : {2, 4, 16})
    EXPECT_EQ(report_on(recorded.log(), recorded.half(), {.shards = shards}), behind) << shards;
  EXPECT_EQ(report_on(recorded.log(), recorded.half(), {.slice = 100}), behind);
  const std::string out = recorded.log() + ".txt";
  const std::string command =
      "KERR_REPLAYED_LOG='" + recorded.log() + "' KERR_REPLAYED_FROM='" + recorded.half() + "' KERR_REPLAYED_REPORT='" +
      out + "' '" + std::filesystem::read_symlink("/proc/self/exe").string() +
      "' --gtest_also_run_disabled_tests --gtest_filter=Determinism.DISABLED_InAnotherProcess >&2";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
  std::ifstream in(out);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), behind);
  std::filesystem::remove(out);
}

// The test above starts it.
TEST(Determinism, DISABLED_InAnotherProcess) {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
  };
  ASSERT_NE(variable("KERR_REPLAYED_LOG"), "");
  std::ofstream(variable("KERR_REPLAYED_REPORT"))
      << report_on(variable("KERR_REPLAYED_LOG"), variable("KERR_REPLAYED_FROM"));
}

TEST(Determinism, OfReportsFromRunToRun) { EXPECT_EQ(account(true, {}), account(true, {})); }

}  // namespace
}  // namespace kerr::random_programs

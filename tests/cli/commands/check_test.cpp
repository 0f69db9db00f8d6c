// kerr check, and --check of commands that run programs, as a shell sees them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

bool has(const Outcome& outcome, const std::string& text) { return outcome.text.find(text) != std::string::npos; }

TEST(CheckCommand, ExplainsARule) {
  const Outcome outcome = kerr("check explain cb-incomplete");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("cb-incomplete (error)\n  meaning ")) << outcome.text;
  EXPECT_TRUE(has(kerr("check explain rase"), "there is no rule 'rase'; did you mean 'race'?"));
  EXPECT_EQ(kerr("check explain rase").status, 2);
  EXPECT_TRUE(has(kerr("check explain"), "RULE"));
}

TEST(CheckCommand, ListsRulesAndEdges) {
  EXPECT_TRUE(has(kerr("check rules"), "  noc-left "));
  EXPECT_TRUE(kerr("check edges").text.starts_with("promised: "));
  EXPECT_GT(parsed(kerr("check rules --json").text).at("rules").size(), 20u);
  EXPECT_EQ(parsed(kerr("check edges --json").text).at("edges")[0].at("name"), "program-order");
}

TEST(CheckCommand, ShowsAllOfItsOptionsInTheHelpOfCommandsThatRunPrograms) {
  for (const char* command : {"matmul", "eval", "run"}) {
    const Outcome help = kerr(std::string(command) + " --help");
    for (const char* option : {"--check [=all|memory]", "--check-format", "--check-output", "--check-suppressions",
                               "--check-baseline", "--check-limit", "--check-exit", "--check-stop"})
      EXPECT_TRUE(has(help, option)) << command << " " << option;
    EXPECT_TRUE(has(help, "an error of the checker")) << command;
  }
}

TEST(CheckCommand, RefusesOptionsThatMakeNoSense) {
  const std::string run = "matmul 32 32 32 ";
  EXPECT_TRUE(has(kerr(run + "--check=everything"), "--check: everything not in {all,memory}"));
  EXPECT_TRUE(has(kerr(run + "--check-exit 3"), "--check-exit requires --check"));
  EXPECT_TRUE(has(kerr(run + "--check --check-exit 256"), "--check-exit must be from 0 to 255, not 256"));
  EXPECT_TRUE(has(kerr(run + "--check --check-format json"), "json and sarif need --check-output FILE"));
  EXPECT_TRUE(has(kerr(run + "--check --explain"), "--explain"));
  EXPECT_EQ(kerr(run + "--check --explain").status, 2);
  EXPECT_TRUE(has(kerr(run + "--check --check-baseline /does/not/exist"), "there is no file '/does/not/exist'"));
}

TEST(CheckCommand, RefusesFilesBeforeAnythingRuns) {
  const Scratch rules("race reader\n");
  const Outcome no_reason = kerr("matmul 32 32 32 --check --check-suppressions " + rules.path());
  EXPECT_EQ(no_reason.status, 2);
  EXPECT_TRUE(has(no_reason, "', line 1: the suppression 'race reader' has no reason")) << no_reason.text;
  EXPECT_FALSE(has(no_reason, "booting"));
  const Outcome no_json = kerr("matmul 32 32 32 --check --check-baseline " + rules.path());
  EXPECT_EQ(no_json.status, 2);
  EXPECT_TRUE(has(no_json, "', line 1, is no JSON: ")) << no_json.text;
}

TEST(CheckCommand, ChangesNeitherResultNorCycles) {
  const std::string run = "matmul 64 64 64 --cores 4 --json --timing exact ";
  const auto plain = parsed(kerr(run + "2>/dev/null").text);
  const auto checked = parsed(kerr(run + "--check --check-exit 0 2>/dev/null").text);
  EXPECT_EQ(plain.at("hash"), checked.at("hash"));
  EXPECT_EQ(plain.at("total_cycles"), checked.at("total_cycles"));
  EXPECT_FALSE(plain.contains("check"));
  EXPECT_GT(checked.at("check").at("accesses").get<uint64_t>(), 1000u);
}

// A kernel that returns while its read is under way: page 0 of `in` to `page`.
const char* const kLeaves =
    "# a0: where to, the bank's tile as y << 6 | x, where from, how many bytes\n"
    "        lw   t1, 0(a0)\n"
    "        lw   t2, 4(a0)\n"
    "        lw   t3, 8(a0)\n"
    "        lw   t4, 12(a0)\n"
    "        li   t0, 0xFFB20800\n"
    "wait:   lw   t5, 0x40(t0)\n"
    "        bnez t5, wait\n"
    "        sw   t3, 0x00(t0)\n"
    "        sw   zero, 0x04(t0)\n"
    "        sw   t2, 0x08(t0)\n"
    "        sw   t1, 0x0C(t0)\n"
    "        sw   t4, 0x20(t0)\n"
    "        li   t5, 1\n"
    "        sw   t5, 0x40(t0)\n"
    "        ret\n";

class CheckedRun : public testing::Test {
 protected:
  std::string run(const std::string& options) const {
    return "run " + source_.path() + ".s --l1 page:2048 --dram in:1x2048 --args page,0x311,in,2048 --check " + options;
  }
  void SetUp() override { std::filesystem::copy_file(source_.path(), source_.path() + ".s"); }
  void TearDown() override { std::filesystem::remove(source_.path() + ".s"); }

  const Scratch source_{kLeaves};
};

TEST_F(CheckedRun, EndsWithThreeAndNamesLineAndRule) {
  const Outcome outcome = kerr(run(""));
  EXPECT_EQ(outcome.status, 3) << outcome.text;
  EXPECT_TRUE(has(outcome, "kerr: error noc-left [R1]")) << outcome.text;
  EXPECT_TRUE(has(outcome, ".s:15 ")) << outcome.text;
  EXPECT_TRUE(has(outcome, "kerr: check: 1 error; ")) << outcome.text;
  EXPECT_EQ(kerr(run("--check-exit 7")).status, 7);
  EXPECT_EQ(kerr(run("--check-exit 0")).status, 0);
}

TEST_F(CheckedRun, IsSilentOfWhatIsSuppressedOrKnown) {
  const Folder folder;
  std::ofstream(folder / "known") << "# the next kernel waits for it\nnoc-left *.s:15\n";
  const Outcome suppressed = kerr(run("--check-suppressions " + (folder / "known")));
  EXPECT_EQ(suppressed.status, 0) << suppressed.text;
  EXPECT_TRUE(has(suppressed, "kerr: check: nothing found; ")) << suppressed.text;
  EXPECT_TRUE(has(suppressed, "1 suppressed")) << suppressed.text;
  EXPECT_EQ(kerr(run("--check-format json --check-output " + (folder / "base"))).status, 3);
  const Outcome known = kerr(run("--check-baseline " + (folder / "base")));
  EXPECT_EQ(known.status, 0) << known.text;
  EXPECT_TRUE(has(known, "kerr: check: nothing new; ")) << known.text;
}

TEST_F(CheckedRun, WritesJsonAndSarifToAFileAndTheSummaryToTheTerminal) {
  const Folder folder;
  for (const char* format : {"json", "sarif"}) {
    const Outcome outcome = kerr(
        run(std::string("--check-format ") + format + " --check-output " + (folder / format) + " 2>&1 >/dev/null"));
    EXPECT_EQ(outcome.status, 3);
    EXPECT_FALSE(has(outcome, "[R1]")) << outcome.text;
    EXPECT_TRUE(has(outcome, "kerr: check: 1 error; ")) << outcome.text;
  }
  EXPECT_EQ(parsed(content_of(folder / "json")).at("reports")[0].at("rule"), "noc-left");
  EXPECT_EQ(parsed(content_of(folder / "sarif")).at("runs")[0].at("results")[0].at("ruleId"), "noc-left");
}

TEST_F(CheckedRun, IsTheSameForAnyNumberOfThreads) {
  const auto report = [&](int threads) {
    const Folder folder;
    kerr(run("--check-format json --check-output " + (folder / "r") + " --core 1-4,2-3 --threads " +
             std::to_string(threads)));
    return content_of(folder / "r");
  };
  const std::string one = report(1);
  EXPECT_EQ(parsed(one).at("reports")[0].at("count"), 8);
  EXPECT_EQ(report(4), one);
}

TEST_F(CheckedRun, EndsAtTheFirstErrorIfThatIsAskedFor) {
  const Outcome outcome = kerr(run("--check-stop"));
  EXPECT_EQ(outcome.status, 1) << outcome.text;
  EXPECT_TRUE(has(outcome, "the checker has found an error, and the run is to end at the first one")) << outcome.text;
  EXPECT_TRUE(has(outcome, "noc-left [R1]")) << outcome.text;
}

TEST_F(CheckedRun, LeavesOutWhatIsAboutOrderIfOnlyMisuseIsAskedFor) {
  std::string line = run("");
  line.replace(line.find("--check "), 8, "--check=memory ");
  const Outcome outcome = kerr(line);
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(has(outcome, "kerr: check: nothing found; ")) << outcome.text;
}

TEST_F(CheckedRun, IsAskedForByTheEnvironmentToo) {
  std::string line = run("");
  line.erase(line.find("--check "), 8);
  const Outcome outcome = shell("KERR_CHECK=1 " KERR_COMMAND " " + line + " 2>&1");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_TRUE(has(outcome, "kerr: error noc-left [R1]")) << outcome.text;
}

}  // namespace
}  // namespace kerr::cli

#include "check/report/baseline.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace kerr::check {
namespace {

std::string problem(const std::string& text) {
  try {
    (void)parse_baseline(text, "base.json");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(Baseline, HoldsTheFingerprintsOfAReport) {
  const Baseline baseline = parse_baseline(
      R"({"kerr_check": 1, "reports": [{"fingerprint": "00000000000000ff", "rule": "race", "what": "x"}]})",
      "base.json");
  ASSERT_EQ(baseline.known.size(), 1u);
  EXPECT_EQ(baseline.known.at(0xff).rule, "race");
}

TEST(Baseline, SaysWhereItIsNoJson) {
  const std::string said = problem("{\n\"kerr_check\": 1,\n]");
  EXPECT_TRUE(said.starts_with("'base.json', line 3, is no JSON: syntax error")) << said;
}

TEST(Baseline, RefusesWhatIsNoReportOfTheChecker) {
  const char* const said =
      "'base.json' is no report of the checker: '--check-format json --check-output FILE' writes one";
  for (const char* text : {"{}", "[]", "3", R"({"kerr_check": 2, "reports": []})", R"({"kerr_check": 1})",
                           R"({"kerr_check": 1, "reports": {}})"})
    EXPECT_EQ(problem(text), said) << text;
}

TEST(Baseline, RefusesAReportWithoutAFingerprint) {
  EXPECT_EQ(problem(R"({"kerr_check": 1, "reports": [{"fingerprint": "00000000000000ff"}, {"fingerprint": 5}]})"),
            "'base.json': report 2 has no fingerprint of 16 hexadecimal digits");
  EXPECT_NE(problem(R"({"kerr_check": 1, "reports": [{"fingerprint": "0x000000000000ff"}]})"), "");
  EXPECT_NE(problem(R"({"kerr_check": 1, "reports": [3]})"), "");
}

TEST(Baseline, RefusesNumbersThatNothingHolds) {
  EXPECT_EQ(problem(R"({"kerr_check": 1e400, "reports": []})"),
            "'base.json' is no report of --check-format json: it has a number that is too large");
}

TEST(Baseline, RefusesNestingThatNoReportHas) {
  EXPECT_EQ(problem(std::string(100'000, '[')),
            "'base.json' is no report of --check-format json: its values are nested more than 64 times");
}

}  // namespace
}  // namespace kerr::check

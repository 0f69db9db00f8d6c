// JSON and SARIF: what programs read.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "check/report/json.hpp"
#include "check/report/sarif.hpp"
#include "tests/check/report/findings.hpp"

namespace kerr::check {
namespace {

using Parsed = nlohmann::json;

Report report(const RulesFile* rules = nullptr) {
  Finding again = pushed_early(TileId::at(0, 4, 2), 300'000);
  again.count = 3;
  return report_of({.all = {pushed_early(), packed_early(), again}, .lost = {.readers = 2}, .accesses = 77}, rules);
}

Parsed parsed_json(const Report& r) { return Parsed::parse(json(r, Places()).dump(1)); }
Parsed parsed_sarif(const Report& r) { return Parsed::parse(sarif(r, Places(), "0.1.0").dump(1)); }

TEST(CheckJson, HoldsSummaryAndBothAccessesOfEachReport) {
  const Parsed all = parsed_json(report());
  EXPECT_EQ(all["kerr_check"], 1);
  EXPECT_EQ(all["summary"]["errors"], 2);
  EXPECT_EQ(all["summary"]["findings"], 5);
  EXPECT_EQ(all["summary"]["accesses"], 77);
  EXPECT_EQ(all["summary"]["lost_history"], 2);
  ASSERT_EQ(all["reports"].size(), 2u);
  const Parsed& page = all["reports"][1];
  EXPECT_EQ(page["id"], "R2");
  EXPECT_EQ(page["rule"], "cb-incomplete");
  EXPECT_EQ(page["fingerprint"].get<std::string>().size(), 16u);
  EXPECT_EQ(page["object"]["address"], "0x39800");
  EXPECT_EQ(page["object"]["space"], "l1");
  EXPECT_EQ(page["object"]["tile"], (Parsed{3, 2}));
  EXPECT_EQ(page["count"], 4);
  EXPECT_EQ(page["tiles"], (Parsed{{3, 2}, {4, 2}}));
  EXPECT_EQ(page["outcome"], "latent");
  EXPECT_EQ(page["mend"]["verified"], true);
  EXPECT_EQ(page["order"].size(), 2u);
  const Parsed& first = page["accesses"][0];
  EXPECT_EQ(first["role"], "first");
  EXPECT_EQ(first["who"], "transfer");
  EXPECT_EQ(first["lane"], "NoC 0 read, request 118");
  EXPECT_EQ(first["from"]["address"], "0x124000");
  EXPECT_EQ(first["pc"], "0x8a5c");
  EXPECT_EQ(first["instruction"], "0x00a62023");
  EXPECT_EQ(first["text"], "sw a0, 0(a2)");
  EXPECT_EQ(first["frames"][0],
            (Parsed{{"function", "reader_tiles"}, {"offset", 0x5c}, {"file", "kernels/reader.cpp"}, {"line", 71}}));
  EXPECT_EQ(page["accesses"][1]["lane"], "hart");
}

TEST(CheckJson, KeepsWhatIsSuppressedWithItsReason) {
  const RulesFile rules = parse_rules_file("# it is fine\nrace *\n# not seen\n* nobody\n", "known.txt");
  const Parsed all = parsed_json(report(&rules));
  EXPECT_EQ(all["summary"]["suppressed"], 1);
  EXPECT_EQ(all["reports"][1]["suppressed"], true);
  EXPECT_EQ(all["reports"][1]["reason"], "it is fine");
  EXPECT_EQ(all["unused_suppressions"], (Parsed{{{"line", 4}, {"rule", "*"}, {"pattern", "nobody"}}}));
}

TEST(CheckSarif, HasAResultAtTheSecondAccessAndTheFirstOneBesideIt) {
  const Parsed log = parsed_sarif(report());
  EXPECT_EQ(log["version"], "2.1.0");
  ASSERT_EQ(log["runs"].size(), 1u);
  const Parsed& driver = log["runs"][0]["tool"]["driver"];
  EXPECT_EQ(driver["name"], "kerr");
  EXPECT_EQ(driver["rules"].size(), 2u);
  const Parsed& result = log["runs"][0]["results"][1];
  EXPECT_EQ(result["ruleId"], "cb-incomplete");
  EXPECT_EQ(driver["rules"][result["ruleIndex"].get<size_t>()]["id"], "cb-incomplete");
  EXPECT_EQ(result["level"], "error");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "kernels/reader.cpp");
  EXPECT_EQ(result["locations"][0]["physicalLocation"]["region"]["startLine"], 74);
  EXPECT_EQ(result["locations"][0]["logicalLocations"][0]["name"], "reader_tiles()");
  EXPECT_EQ(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 71);
  EXPECT_EQ(result["occurrenceCount"], 4);
  EXPECT_EQ(result["partialFingerprints"].size(), 1u);
  EXPECT_EQ(result.count("suppressions"), 0u);
  EXPECT_EQ(result.count("baselineState"), 0u);
}

TEST(CheckSarif, SaysWhatIsSuppressedAndWhatIsNew) {
  const RulesFile rules = parse_rules_file("# it is fine\nrace *\n", "known.txt");
  const Baseline baseline = parse_baseline(json(report_of({.all = {pushed_early()}}), Places()).dump(0), "base.json");
  const Parsed log = parsed_sarif(report_of({.all = {pushed_early(), packed_early()}}, &rules, &baseline));
  const Parsed& results = log["runs"][0]["results"];
  for (const Parsed& result : results) {
    const bool race = result["ruleId"] == "race";
    EXPECT_EQ(result["baselineState"], race ? "new" : "unchanged");
    EXPECT_EQ(result.count("suppressions"), race ? 1u : 0u);
  }
}

TEST(CheckSarif, EncodesPathsAndLeavesOutPlacesThatNobodyKnows) {
  Finding finding = pushed_early();
  finding.first.reset();
  finding.then.frames.front().file = "a b/ü#.cpp";
  EXPECT_EQ(
      parsed_sarif(report_of(
          {.all = {finding}}))["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
      "a%20b/%C3%BC%23.cpp");
  finding.then.frames.clear();
  finding.then.kernel.clear();
  EXPECT_TRUE(parsed_sarif(report_of({.all = {finding}}))["runs"][0]["results"][0]["locations"].empty());
}

}  // namespace
}  // namespace kerr::check

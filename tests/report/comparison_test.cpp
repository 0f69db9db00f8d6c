#include "report/comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <stdexcept>
#include <string>

namespace kerr::report {
namespace {

const std::string kA =
    R"({"version": "0.1.0", "commit": "aaa", "requested": {"m": 64}, "in": "bf16", "board": "p100a", "device_cycles": 1000, "pcc": 0.5,
        "mvmuls": 8, "verified": true, "utilisation": {"cores": [{"units": {"FPU": 0.5}, "agents": {"T1": {"busy": 0.2, "waits": {"SrcA": 0.4}}}},
        {"units": {"FPU": 0.3}, "agents": {}}], "links": [{"busy": 0.1}, {"busy": 0.7}], "dram_banks": [{"busy": 0.2}, {"busy": 0.4}],
        "critical_path": {"sums": {"T1 works": 600, "BRISC works": 400}}}})";
const std::string kB =
    R"({"version": "0.1.0", "commit": "aaa", "requested": {"m": 64}, "in": "bfp8", "board": "p100a", "device_cycles": 800, "pcc": 0.25,
        "verified": true, "utilisation": {"cores": [{"units": {"FPU": 0.6}, "agents": {"T1": {"busy": 0.3, "waits": {}}}}],
        "links": [], "dram_banks": [], "critical_path": {"sums": {"T1 works": 800}}}})";

const Comparison::Number& named(const std::vector<Comparison::Number>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Comparison::Number::name);
  if (found == all.end()) throw std::out_of_range(std::string(name));
  return *found;
}

std::string refusal(std::string_view a, std::string_view b) {
  try {
    compare(a, b, "a.json", "b.json");
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Comparison, SaysWhatDiffersInTheJobAndHowNumbersRelate) {
  const Comparison c = compare(kA, kB, "a.json", "b.json");
  EXPECT_EQ(c.kind_a, "matmul");
  EXPECT_EQ(named(c.counts, "device_cycles").a, 1000);
  EXPECT_EQ(named(c.counts, "device_cycles").b, 800);
  EXPECT_EQ(named(c.counts, "mvmuls").b, std::nullopt);  // it does not say, which is not 0
  const std::string shown = text(c, "a.json", "b.json", false);
  EXPECT_NE(shown.find("0.8000"), std::string::npos) << shown;
  EXPECT_NE(shown.find("bfp8"), std::string::npos);
  EXPECT_NE(shown.find("the same in both: board p100a, verified true"), std::string::npos) << shown;
}

TEST(Comparison, OfUtilisationTakesMeansOfAllCores) {
  const Comparison c = compare(kA, kB, "a.json", "b.json");
  EXPECT_DOUBLE_EQ(*named(c.shares, "FPU").a, 0.4);
  EXPECT_DOUBLE_EQ(*named(c.shares, "FPU").b, 0.6);
  EXPECT_DOUBLE_EQ(*named(c.shares, "T1 waits: SrcA").a, 0.2);
  EXPECT_DOUBLE_EQ(*named(c.shares, "T1 waits: SrcA").b, 0);  // nothing was waited for
  EXPECT_DOUBLE_EQ(*named(c.shares, "busiest link").a, 0.7);
  EXPECT_DOUBLE_EQ(*named(c.shares, "DRAM banks").a, 0.3);
  EXPECT_EQ(named(c.path, "BRISC works").a, 400);
}

TEST(Comparison, SaysWhereVersionsCommandsAndUtilisationDiffer) {
  const std::string other = R"({"version": "0.2.0", "expression": "x", "device_cycles": 5})";
  const std::string shown = text(compare(kA, other, "a", "b"), "a", "b", false);
  EXPECT_NE(shown.find("different Kerrs, version 0.1.0 and 0.2.0"), std::string::npos) << shown;
  EXPECT_NE(shown.find("different Kerrs, commit aaa and unknown"), std::string::npos) << shown;
  EXPECT_NE(shown.find("a is a run of 'kerr matmul', b one of 'kerr eval'"), std::string::npos) << shown;
  EXPECT_NE(shown.find("utilisation: only a has it"), std::string::npos) << shown;
}

TEST(Comparison, RefusesWhatIsNoReportOfARun) {
  EXPECT_NE(refusal("", kB).find("'a.json' is no JSON"), std::string::npos);
  EXPECT_NE(refusal(kA, "[1, 2").find("'b.json' is no JSON"), std::string::npos);
  EXPECT_NE(refusal("[]", kB).find("is no report of a run"), std::string::npos);
  EXPECT_NE(refusal(kA, R"({"device_cycles": 5})").find("is no report of a run"), std::string::npos);
  EXPECT_NE(refusal(kA, R"({"version": 3, "device_cycles": 5})").find("is no report of a run"), std::string::npos);
  EXPECT_NE(refusal(R"({"version": "0.1.0", "operations": []})", kB).find("of no run: it has no 'device_cycles'"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(100'000, '['), kB).find("is no JSON"), std::string::npos);
}

// Reports with anything in place of what belongs there are compared or refused.
TEST(Comparison, TakesMembersOfAnyKind) {
  std::mt19937 random(1);
  const char* values[] = {"null",
                          "5",
                          "-1e300",
                          "true",
                          "\"x\"",
                          "[]",
                          "[[1]]",
                          "{}",
                          R"({"a": {"b": 1}})",
                          "[{\"busy\": \"x\"}]",
                          "18446744073709551615"};
  const char* names[] = {"cores", "units", "FPU",        "agents",        "T1",      "busy",        "waits",
                         "SrcA",  "links", "dram_banks", "critical_path", "sums",    "utilisation", "requested",
                         "m",     "in",    "pcc",        "device_cycles", "verified"};
  for (int round = 0; round < 500; ++round) {
    std::string a = kA;
    const std::string name = std::string("\"") + names[random() % std::size(names)] + "\": ";
    const size_t at = a.find(name);
    if (at == std::string::npos) continue;
    a.insert(at, name + values[random() % std::size(values)] + ", ");  // twice: which one counts is nobody's promise
    try {
      const Comparison c = compare(a, random() % 2 == 0 ? kB : a, "a", "b");
      EXPECT_FALSE(text(c, "a", "b", true).empty());
      EXPECT_FALSE(json(c, "a", "b").dump(0).empty());
    } catch (const std::invalid_argument& refused) {
      EXPECT_GT(std::string_view(refused.what()).size(), 20u);
    }
  }
}

TEST(Comparison, BytesThatAreNoTextAreReplaced) {
  const std::string odd = R"({"version": "0.1.0", "device_cycles": 5, "in": ["\u0001"], "x": {"y": "z"}})";
  EXPECT_FALSE(text(compare(odd, kB, "a", "b"), "a", "b", false).empty());
}

}  // namespace
}  // namespace kerr::report

// kerr compare, as a shell sees it.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(CompareCommand, PutsTwoRunsSideBySide) {
  const Folder folder;
  const std::string a = folder / "a.json", b = folder / "b.json", c = folder / "c.json";
  kerr("matmul 64 64 64 --timing exact --utilisation --json 2>/dev/null >" + a);
  kerr("matmul 64 64 64 --timing exact --utilisation --json --in bfp8 2>/dev/null >" + b);
  kerr("eval 'exp(x)' --x 64x64 --json 2>/dev/null >" + c);
  const Outcome text = kerr("compare " + a + " " + b);
  EXPECT_EQ(text.status, 0);
  for (const char* part : {"bfp8", "device_cycles", "BRISC", "busiest link", "critical path"})
    EXPECT_NE(text.text.find(part), std::string::npos) << part << text.text;
  const auto json = parsed(kerr("compare --json " + a + " " + b).text);
  for (const auto& count : json.at("counts")) {
    if (count.at("name") != "device_cycles") continue;
    EXPECT_EQ(count.at("a"), parsed(content_of(a)).at("device_cycles"));
    EXPECT_EQ(count.at("b"), parsed(content_of(b)).at("device_cycles"));
    EXPECT_NEAR(count.at("ratio").get<double>(), count.at("b").get<double>() / count.at("a").get<double>(), 1e-12);
  }
  EXPECT_FALSE(json.at("critical_path").empty());
  EXPECT_NE(kerr("compare " + a + " " + c).text.find("b one of 'kerr eval'"), std::string::npos);
  EXPECT_NE(kerr("compare " + a + " - <" + b).text.find("bfp8"), std::string::npos);
  // A run does not differ from itself.
  EXPECT_NE(kerr("compare " + a + " " + a).text.find("counts: all equal"), std::string::npos);
}

TEST(CompareCommand, RefusesWhatIsNoReport) {
  const Scratch scratch("{\"version\": \"0.1.0\"}");
  EXPECT_NE(kerr("compare " + scratch.path() + " " + scratch.path()).text.find("of no run"), std::string::npos);
  EXPECT_NE(kerr("compare /nonexistent " + scratch.path()).text.find("there is no file '/nonexistent'"),
            std::string::npos);
  EXPECT_NE(kerr("compare - -").text.find("only one report can come from standard input"), std::string::npos);
  EXPECT_NE(kerr("compare " KERR_COMMAND " " + scratch.path()).text.find("is no JSON"), std::string::npos);
  EXPECT_EQ(kerr("compare / " + scratch.path()).status, 2);
}

}  // namespace
}  // namespace kerr::cli

// One set of options for what is seen and kept of a run: of a product as of an expression.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

const char* const kRuns[] = {"matmul 64 64 64 --cores 4", "eval 'softmax(x @ y)' --x 64x64 --y 64x64 --cores 4"};

TEST(Observing, ChangesNeitherResultNorCycles) {
  for (const std::string run : kRuns) {
    const auto cycles = [&](const std::string& options) {
      const auto json = nlohmann::json::parse(kerr(run + options + " --timing exact --json 2>/dev/null").text);
      return std::pair(json.at("hash"), json.at("device_cycles"));
    };
    const Folder folder;
    EXPECT_EQ(cycles(""), cycles(fmt::format(" --utilisation --trace {} --heat-map {} --record {} --snapshot {}",
                                             folder / "t", folder / "h", folder / "r", folder / "s")))
        << run;
    EXPECT_EQ(folder.files(), 4u);
    EXPECT_EQ(cycles(""), cycles(" --observe"));
    EXPECT_EQ(nlohmann::json::parse(content_of(folder / "t")).at("traceEvents").empty(), false);
    EXPECT_TRUE(content_of(folder / "h").starts_with("<svg"));
    const Outcome replayed = kerr(fmt::format("replay {}", folder / "r"));
    EXPECT_EQ(replayed.status, 0) << replayed.text;
  }
}

TEST(Observing, TellsWhereTheTimeOfAnExpressionWentProgramByProgram) {
  const std::string run = "eval 'softmax(x @ y)' --x 64x64 --y 64x64 --cores 4 --timing exact --utilisation";
  const Outcome outcome = kerr(run);
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"critical path", "program by program", "packer  program", "matmul"})
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word << outcome.text;
  const auto json = nlohmann::json::parse(kerr(run + " --json 2>/dev/null").text);
  const auto& launches = json.at("launches");
  ASSERT_GT(launches.size(), 2u);
  uint64_t end = 0;
  for (const auto& launch : launches) {
    EXPECT_GE(launch.at("begin_cycles").get<uint64_t>(), end) << "one after another";
    end = launch.at("end_cycles").get<uint64_t>();
    EXPECT_GT(launch.at("utilisation").at("cores").size(), 0u);
  }
  EXPECT_GT(json.at("utilisation").at("critical_path").size(), 0u);
}

TEST(Observing, CountsAndHashesAnExpression) {
  const std::string run = "eval 'x * 2' --x 64x64 --observe --state-hash";
  const Outcome one = kerr(run + " --threads 1"), two = kerr(run + " --threads 2");
  EXPECT_NE(one.text.find("observed from power-on"), std::string::npos) << one.text;
  const auto hash = [](const Outcome& o) {
    const size_t at = o.text.find("state hash");
    return at == std::string::npos ? std::string("none") : o.text.substr(at, 40);
  };
  EXPECT_EQ(hash(one), hash(two));
  EXPECT_NE(hash(one), "none");
}

TEST(Observing, ExplainsAnExpressionWithoutRunningIt) {
  const std::string run = "eval 'softmax(x @ y + z)' --x 100x70 --y 70x50 --z 50";
  const Outcome text = kerr(run + " --explain");
  EXPECT_EQ(text.status, 0);
  for (const char* word : {"nothing is run", "step ", "program ", "BRISC", "buffer 0 ", "KiB of L1"})
    EXPECT_NE(text.text.find(word), std::string::npos) << word << text.text;
  const auto plan = nlohmann::json::parse(kerr(run + " --explain --json 2>/dev/null").text);
  const auto done = nlohmann::json::parse(kerr(run + " --json 2>/dev/null").text);
  ASSERT_EQ(plan.at("programs").size(), done.at("launches").size());
  for (size_t i = 0; i < plan.at("programs").size(); ++i)
    EXPECT_EQ(plan.at("programs")[i].at("name"), done.at("launches")[i].at("name"));
  EXPECT_EQ(plan.at("stages"), done.at("programs"));
  EXPECT_EQ(kerr("eval 'x @ x' --x 3x4 --explain").status, 2);
}

TEST(Observing, RefusesWhatCannotBeSeen) {
  for (const std::string run : kRuns) {
    for (const char* options : {"--utilisation", "--trace x.json", "--heat-map x.svg"})
      EXPECT_NE(kerr(run + " " + options).text.find("need '--timing exact'"), std::string::npos) << run << options;
    EXPECT_NE(kerr(run + " --timing exact --utilisation --observe").text.find("excludes"), std::string::npos) << run;
    EXPECT_NE(kerr(run + " --snapshot-at 5").text.find("--snapshot"), std::string::npos) << run;
    EXPECT_NE(kerr(run + " --explain --record x").text.find("excludes"), std::string::npos) << run;
    EXPECT_NE(kerr(run + " --record /nosuch/x").text.find("/nosuch/x"), std::string::npos) << run;
  }
}

}  // namespace
}  // namespace kerr::cli

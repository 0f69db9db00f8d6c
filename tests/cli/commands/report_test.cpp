// kerr report and --report: what is written, and what is refused. The page itself: tests/page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

void put(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(Report, ChangesNeitherResultNorCycles) {
  const Folder folder;
  const auto told = [&](const std::string& options) {
    const auto json = parsed(kerr("matmul 64 64 64 --cores 4 --json 2>/dev/null" + options).text);
    return std::tuple(json.at("hash"), json.at("device_cycles"));
  };
  for (const std::string timing : {"", " --timing exact"})
    EXPECT_EQ(told(timing), told(fmt::format("{} --report {}", timing, folder / "run.json")));
}

TEST(Report, IsTheSameForAnyNumberOfThreads) {
  const Folder folder;
  for (const int threads : {1, 2}) {
    const Outcome run = kerr(fmt::format("matmul 64 64 64 --cores 4 --timing exact --threads {} --report {}", threads,
                                         folder / (threads == 1 ? "1.json" : "2.json")));
    ASSERT_EQ(run.status, 0) << run.text;
  }
  EXPECT_EQ(content_of(folder / "1.json"), content_of(folder / "2.json"));
}

TEST(Report, TellsOfTilesKernelsAndBuffers) {
  const Folder folder;
  ASSERT_EQ(kerr(fmt::format("matmul 64 64 64 --cores 4 --timing exact --check --report {}", folder / "r.json")).status,
            0);
  const auto run = parsed(content_of(folder / "r.json"));
  EXPECT_EQ(run.at("title"), "kerr matmul 64 64 64");
  EXPECT_EQ(run.at("tiles").size(), 17u * 12);
  EXPECT_EQ(run.at("check").at("reports").size(), 0u);
  const auto& math = *std::ranges::find_if(run.at("code"), [](const auto& c) { return c["name"] == "matmul_math"; });
  EXPECT_EQ(math.at("tiles"), 4);
  EXPECT_GT(math.at("words").size(), 0u);
  EXPECT_EQ(run.at("launches").back().at("nodes").size(), 4u);
  EXPECT_GT(run.at("launches").back().at("buffers").size(), 1u);
}

TEST(Report, OfARunThatHangsHasItsAccount) {
  const Folder folder;
  put(folder / "hang.s", "  lw t0, 0(a0)\ntop:\n  lw t1, 0(t0)\n  beqz t1, top\n  ret\n");
  const Outcome run =
      kerr(fmt::format("run {} --l1 flag:16 --args flag --report {}", folder / "hang.s", folder / "r.json"));
  EXPECT_EQ(run.status, 3) << run.text;
  const auto report = parsed(content_of(folder / "r.json"));
  EXPECT_NE(report.at("failure").get<std::string>().find("Deadlock"), std::string::npos);
  EXPECT_NE(report.at("account").get<std::string>().find("root: (1,2) BRISC"), std::string::npos);
}

TEST(Report, RefusesWhatItCannotWriteOrRead) {
  const Folder folder;
  const auto refused = [&](const std::string& arguments, const std::string& sentence) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.text.find(sentence), std::string::npos) << arguments << "\n" << outcome.text;
  };
  const std::string json = folder / "r.json";
  refused(fmt::format("matmul 64 64 64 --report {}", folder / "r.txt"), "its name must end in .html or .json");
  refused(fmt::format("report {} -o {}", folder / "missing.json", json), "missing.json");
  put(folder / "other.json", "{\"traceEvents\": []}");
  refused(fmt::format("report {} -o {}", folder / "other.json", json), "it is a trace for ui.perfetto.dev");
  put(folder / "other.json", "{\"a\": 1}");
  refused(fmt::format("report {} -o {}", folder / "other.json", json), "it is no report of a run");
  put(folder / "other.json", "{\"kerr_report\": 2");
  refused(fmt::format("report {} -o {}", folder / "other.json", json), "it is no JSON");
  put(folder / "other.json", "{\"kerr_report\": 99}");
  refused(fmt::format("report {} -o {}", folder / "other.json", json), "it is a report of version 99");
  put(folder / "other.json", "{\"kerr_report\": 2}");
  refused(fmt::format("report {} -o {} --check", folder / "other.json", json), "are of logs");
  put(folder / "other.log", "not a log");
  refused(fmt::format("report {} -o {}", folder / "other.log", json), "no Kerr input log");
}

TEST(Report, RunsALogAgain) {
  const Folder folder;
  ASSERT_EQ(kerr(fmt::format("matmul 64 64 64 --cores 2 --timing exact --record {}", folder / "r.log")).status, 0);
  const Outcome made = kerr(fmt::format("report {} -o {} --check", folder / "r.log", folder / "r.json"));
  ASSERT_EQ(made.status, 0) << made.text;
  const auto run = parsed(content_of(folder / "r.json"));
  EXPECT_EQ(run.at("timing"), "exact");
  EXPECT_EQ(run.at("begin"), 0);
  EXPECT_GT(run.at("code").size(), 3u);
  EXPECT_NE(run.at("code").dump().find("matmul_unpack"), std::string::npos);
  EXPECT_FALSE(run.at("check").is_null());
}

}  // namespace
}  // namespace kerr::cli

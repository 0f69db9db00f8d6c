// One set of options for what is seen and kept of a run: of a product as of an expression.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

const char* const kRuns[] = {"matmul 64 64 64 --cores 4", "eval 'softmax(x @ y)' --x 64x64 --y 64x64 --cores 4"};

TEST(Observing, ChangesNeitherResultNorCycles) {
  for (const std::string run : kRuns) {
    const auto cycles = [&](const std::string& options) {
      const auto json = parsed(kerr(run + options + " --timing exact --json 2>/dev/null").text);
      return std::pair(json.at("hash"), json.at("device_cycles"));
    };
    const Folder folder;
    EXPECT_EQ(cycles(""), cycles(fmt::format(" --utilisation --trace {} --heat-map {} --record {} --snapshot {}",
                                             folder / "t", folder / "h", folder / "r", folder / "s")))
        << run;
    EXPECT_EQ(folder.files(), 4u);
    EXPECT_EQ(cycles(""), cycles(" --observe"));
    EXPECT_EQ(parsed(content_of(folder / "t")).at("traceEvents").empty(), false);
    EXPECT_TRUE(content_of(folder / "h").starts_with("<svg"));
    const Outcome replayed = kerr(fmt::format("replay {}", folder / "r"));
    EXPECT_EQ(replayed.status, 0) << replayed.text;
  }
}

TEST(Observing, ShowsPrintsOnStandardErrorOrInAFile) {
  const Folder folder;
  const std::string source = folder / "count.s", log = folder / "run.log", file = folder / "prints.txt";
  std::ofstream(source) << " lw t0, 0(a0)\nloop: .print \"{:d} left\", t0\n addi t0, t0, -1\n bnez t0, loop\n ret\n";
  const std::string run = "run " + source + " --args 2 --state-hash --record " + log;
  const Outcome shown = kerr(run + " --prints"), none = kerr(run), written = kerr(run + " --prints=" + file);
  EXPECT_EQ(shown.status, 0);
  for (const char* line : {" (1,2) BRISC count.s:2: 2 left\n", " (1,2) BRISC count.s:2: 1 left\n"}) {
    EXPECT_NE(shown.text.find(line), std::string::npos) << shown.text;
    EXPECT_NE(content_of(file).find(line), std::string::npos);
    EXPECT_EQ(none.text.find(line), std::string::npos);
    EXPECT_EQ(written.text.find(line), std::string::npos);
  }
  const auto hash = [](const Outcome& o) { return o.text.substr(o.text.find("state hash"), 32); };
  EXPECT_EQ(hash(shown), hash(none));
  EXPECT_EQ(hash(written), hash(none));
  const Outcome again = kerr("replay " + log + " --prints");
  EXPECT_NE(again.text.find(" (1,2) BRISC count.s:2: 1 left\n"), std::string::npos) << again.text;
  EXPECT_EQ(kerr(run + " --prints=/no/such/folder/x").status, 2);
}

TEST(Observing, TellsWhereTheTimeOfAnExpressionWentProgramByProgram) {
  const std::string run = "eval 'softmax(x @ y)' --x 64x64 --y 64x64 --cores 4 --timing exact --utilisation";
  const Outcome outcome = kerr(run);
  EXPECT_EQ(outcome.status, 0);
  for (const char* word : {"critical path", "program by program", "packer  program", "matmul"})
    EXPECT_NE(outcome.text.find(word), std::string::npos) << word << outcome.text;
  const auto json = parsed(kerr(run + " --json 2>/dev/null").text);
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
  const auto plan = parsed(kerr(run + " --explain --json 2>/dev/null").text);
  const auto done = parsed(kerr(run + " --json 2>/dev/null").text);
  ASSERT_EQ(plan.at("programs").size(), done.at("launches").size());
  for (size_t i = 0; i < plan.at("programs").size(); ++i)
    EXPECT_EQ(plan.at("programs")[i].at("name"), done.at("launches")[i].at("name"));
  EXPECT_EQ(plan.at("stages"), done.at("programs"));
  EXPECT_EQ(kerr("eval 'x @ x' --x 3x4 --explain").status, 2);
}

TEST(Observing, ExplainsCodeOfOnesOwnWithoutRunningIt) {
  const Folder folder;
  const Scratch source("ebreak\n");  // which no run would survive
  const std::string run = fmt::format(
      "run {} --hart brisc,ncrisc --core 1-2,2 --cb 1:2x2048 --semaphores 3 --l1 seen:64 --dram in:8x96 --args "
      "in+64,7,1.5 --common-args brisc=seen --dump seen:u32={} --dump reg --explain",
      source.path(), folder / "out");
  const Outcome text = kerr(run);
  EXPECT_EQ(text.status, 0) << text.text;
  for (const char* words :
       {"on p100a: nothing is run\n", "cores         (1,2) (2,2)\n", " on brisc, NoC 0\n", " on ncrisc\n",
        "4 bytes at 0x", "arguments   in+64 = 0x", ", 7, 0x3fc00000\n", "common      seen = 0x",
        "only what kerr_add_kernel compiles", "cb1: circular buffer 1 of 2 pages of 2048 bytes at 0x",
        "semaphore 0 at 0x", "begins with 3\n", "seen: 64 bytes at 0x",
        "in: 8 pages of 96 bytes, page p in bank p % 7 at 0x",
        "dump          seen:u32=", "reg: registers of (1,2) (2,2)\n"})
    EXPECT_NE(text.text.find(words), std::string::npos) << words << "\n" << text.text;
  EXPECT_EQ(folder.files(), 0u) << "no dump is written";

  const auto plan = parsed(kerr(run + " --json 2>/dev/null").text);
  const auto& kernels = plan.at("kernels");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].at("hart"), "brisc");
  EXPECT_EQ(kernels[0].at("noc"), 0);
  EXPECT_TRUE(kernels[1].at("noc").is_null());
  EXPECT_TRUE(kernels[0].at("uses").is_null());
  EXPECT_EQ(kernels[0].at("code")[0].at("cores"), (nlohmann::json{{1, 2}, {2, 2}}));
  EXPECT_EQ(kernels[0].at("code")[0].at("parts")[0].at("bytes"), 4);
  const auto& buffers = plan.at("buffers");
  EXPECT_EQ(kernels[0].at("common_args")[0].at("value"), buffers[0].at("address"));
  EXPECT_EQ(kernels[0].at("args")[0].at("words")[0].at("value"), buffers[1].at("address").get<uint32_t>() + 64);
  EXPECT_EQ(kernels[0].at("args")[0].at("words")[0].at("name"), "in+64");
  EXPECT_EQ(buffers[1].at("stride"), 128);
  EXPECT_EQ(plan.at("dumps")[0].at("address"), buffers[0].at("address"));
  EXPECT_EQ(plan.at("semaphores")[0].at("initial"), 3);

  for (const char* other : {"--record x", "--snapshot x", "--log -", "--state-hash", "--device 0"})
    EXPECT_NE(kerr(run + " " + other).text.find("excludes"), std::string::npos) << other;
}

TEST(Observing, ExplainsWhatACompiledKernelSaysThatItUses) {
  const std::string reader = KERR_KERNEL_test_cli_reader;
  const Outcome text = kerr("run " + reader + " --explain");
  EXPECT_EQ(text.status, 0) << text.text;
  EXPECT_NE(text.text.find(" on ncrisc, NoC 0\n"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("    uses        nothing of the program, as far as its compiler knew\n"), std::string::npos)
      << text.text;

  const std::string buffers = KERR_KERNEL_test_cli_buffers;
  const std::string run = "run " + buffers + " --cb 4:2x64 --semaphores 0,0 --args 1,2,3 --explain";
  EXPECT_NE(kerr(run).text.find(
                "    uses        circular buffer 4; arguments 0 to 2; semaphore 1: checked, all of it is there\n"),
            std::string::npos)
      << kerr(run).text;
  const auto uses = parsed(kerr(run + " --json 2>/dev/null").text).at("kernels")[0].at("uses");
  EXPECT_EQ(uses.at("circular_buffers"), nlohmann::json{4});
  EXPECT_EQ(uses.at("arguments"), (nlohmann::json{0, 1, 2}));
  const Outcome refused = kerr("run " + buffers + " --cb 4:2x64 --semaphores 0,0 --args 1,2 --explain");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.text.find("reads runtime argument 2"), std::string::npos) << refused.text;
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

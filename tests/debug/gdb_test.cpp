// Dialogues with gdb-multiarch, as a person has them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/client.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

using arch::Hart;
const std::string kAddOne = KERR_SOURCE_DIR "/examples/assembler_text/add_one.s";

std::string contents(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

jobs::RunJob add_one() {
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  job.observing.hash_state = true;
  jobs::RunKernel kernel{.image = jobs::read_code(contents(kAddOne), "examples/assembler_text/add_one.s", 0)};
  jobs::remember_file(kernel, contents(kAddOne), kAddOne);
  kernel.args = jobs::parse_words("numbers,4");
  job.kernels.push_back(std::move(kernel));
  job.buffers.push_back({.name = "numbers", .bytes = 16});
  job.dumps.push_back(jobs::parse_placed_data("numbers:u32"));
  return job;
}

struct Line {
  std::string command;
  std::vector<std::string> expected{};
};

class Gdb : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_gdb()) GTEST_SKIP() << "gdb-multiarch is not installed";
  }
  // Each command, and what must stand in what it prints.
  static jobs::RunOutcome talk(jobs::RunJob job, const std::vector<Line>& lines) {
    DebuggedJob debugged(std::move(job));
    std::vector<std::string> commands;
    for (const Line& line : lines) commands.push_back(line.command);
    const std::vector<std::string> answers = gdb(debugged.port(), commands);
    for (size_t i = 0; i < lines.size(); ++i) {
      for (const std::string& expected : lines[i].expected)
        EXPECT_TRUE(has_words(answers[i], expected))
            << "(gdb) " << lines[i].command << "\nexpected: " << expected << "\nprinted: " << answers[i];
    }
    return debugged.outcome();
  }
};

// The dialogue of the page.
std::vector<Line> lines_of_the_page() {
  std::istringstream page(contents(KERR_SOURCE_DIR "/docs/guide/debugging.md"));
  std::vector<Line> lines;
  bool begun = false;
  for (std::string line; std::getline(page, line);) {
    begun = begun || line == "    $ gdb-multiarch";
    if (!begun || line == "    $ gdb-multiarch") continue;
    if (!line.starts_with("    ")) break;
    line.erase(0, 4);
    if (line.starts_with("(gdb) ")) {
      lines.push_back({line.substr(6)});
    } else if (!lines.empty()) {
      lines.back().expected.push_back(line);
    }
  }
  return lines;
}

TEST_F(Gdb, SaysWhatThePageSays) {
  std::vector<Line> lines = lines_of_the_page();
  ASSERT_GT(lines.size(), 10u);
  ASSERT_EQ(lines.front().command, "target extended-remote localhost:4711");
  lines.erase(lines.begin());
  const jobs::RunOutcome outcome = talk(add_one(), lines);
  const jobs::RunOutcome plain = undebugged(add_one());
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
  EXPECT_EQ(outcome.state_hash, plain.state_hash);
  EXPECT_EQ(outcome.device_cycles, plain.device_cycles);
}

}  // namespace
}  // namespace kerr::debug

#include "tests/debug/dialogue.hpp"

#include <sstream>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/add_one.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {

std::vector<Line> lines_of_the_page(unsigned n) {
  std::istringstream page(contents_of(KERR_SOURCE_DIR "/docs/guide/debugging.md"));
  std::vector<Line> lines;
  unsigned begun = 0;
  for (std::string line; std::getline(page, line);) {
    if (line == "    $ gdb-multiarch") {
      ++begun;
    } else if (begun == n + 1) {
      if (!line.starts_with("    ")) break;
      line.erase(0, 4);
      if (line.starts_with("(gdb) target extended-remote")) continue;
      if (line.starts_with("(gdb) ")) {
        lines.push_back({line.substr(6)});
      } else if (!lines.empty()) {
        lines.back().expected.push_back(line);
      }
    }
  }
  return lines;
}

jobs::RunJob add_one() {
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  job.observing.hash_state = true;
  jobs::RunKernel kernel{.image = jobs::read_code(contents_of(add_one_file()), "examples/assembler_text/add_one.s", 0)};
  jobs::remember_file(kernel, contents_of(add_one_file()), add_one_file());
  kernel.args = jobs::parse_words("numbers,4");
  job.kernels.push_back(std::move(kernel));
  job.buffers.push_back({.name = "numbers", .bytes = 16});
  job.dumps.push_back(jobs::parse_placed_data("numbers:u32"));
  return job;
}

void Dialogue::SetUp() {
  if (!has_gdb()) GTEST_SKIP() << "gdb-multiarch is not installed";
}

jobs::RunOutcome Dialogue::talk(jobs::RunJob job, const std::vector<Line>& lines) {
  DebuggedJob debugged(std::move(job));
  say(debugged.port(), lines);
  return debugged.outcome();
}

void Dialogue::say(uint16_t port, const std::vector<Line>& lines) {
  std::vector<std::string> commands;
  for (const Line& line : lines) commands.push_back(line.command);
  const std::vector<std::string> answers = gdb(port, commands);
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const std::string& expected : lines[i].expected) {
      EXPECT_TRUE(has_words(answers[i], expected))
          << "(gdb) " << lines[i].command << "\nexpected: " << expected << "\nprinted: " << answers[i];
    }
  }
}

}  // namespace kerr::debug

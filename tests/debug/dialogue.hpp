// What a person and gdb say to each other.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "jobs/run/run.hpp"
#include "tests/debug/client.hpp"

namespace kerr::debug {

/// A command, and what must stand in what gdb prints: has_words().
struct Line {
  std::string command;
  std::vector<std::string> expected{};
};

/// The n-th dialogue of docs/guide/debugging.md, from 0 on, without `target extended-remote`.
std::vector<Line> lines_of_the_page(unsigned n);

/// examples/assembler_text/add_one.s on four words.
jobs::RunJob add_one();

class Dialogue : public testing::Test {
 protected:
  /// Skips where gdb is not installed.
  void SetUp() override;
  static void say(uint16_t port, const std::vector<Line>& lines);
  /// The same on a job of its own, which then ends.
  static jobs::RunOutcome talk(jobs::RunJob job, const std::vector<Line>& lines);
};

}  // namespace kerr::debug

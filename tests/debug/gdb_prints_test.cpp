// Prints of kernels on gdb's console.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/add_one.hpp"
#include "tests/debug/dialogue.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

class GdbPrints : public Dialogue {
 protected:
  // Counts from 2 down: examples/printed/count.s.
  static jobs::RunJob counts() {
    const std::string path = KERR_SOURCE_DIR "/examples/printed/count.s";
    jobs::RunJob job;
    job.device.emulator.shards = 1;
    job.observing.hash_state = true;
    jobs::RunKernel kernel{.image = jobs::read_code(contents_of(path), "count.s", 0)};
    jobs::remember_file(kernel, contents_of(path), path);
    kernel.args = jobs::parse_words("2");
    job.kernels.push_back(std::move(kernel));
    return job;
  }
};

TEST_F(GdbPrints, ComeInOrderWithItsStops) {
  DebuggedJob debugged(counts(), true);
  say(debugged.port(), {{"attach 1"},
                        {"break loop", {"Breakpoint 1"}},
                        {"continue", {"(1,2) BRISC count.s:3: from 2", "Breakpoint 1"}},
                        {"continue", {"BRISC count.s:5: 1 left, 0x00000001", "Breakpoint 1"}},
                        {"delete"},
                        {"continue", {"BRISC count.s:5: 0 left, 0x00000000", "exited normally"}}});
  EXPECT_EQ(debugged.outcome().state_hash, undebugged(counts()).state_hash);
}

TEST_F(GdbPrints, AreShownWhenARecordedRunGoesForward) {
  RecordedJob recorded(counts(), true, true);
  const std::vector<std::string> answers = gdb(
      recorded.port(), {"attach 1", "break loop", "continue", "continue", "reverse-continue", "continue", "detach"});
  EXPECT_TRUE(has_words(answers[2], "(1,2) BRISC count.s:3: from 2 ... Breakpoint 1")) << answers[2];
  EXPECT_TRUE(has_words(answers[3], "1 left, 0x00000001 ... Breakpoint 1")) << answers[3];
  EXPECT_EQ(answers[4].find("left"), std::string::npos) << answers[4];
  EXPECT_EQ(answers[4].find("from"), std::string::npos) << answers[4];
  EXPECT_TRUE(has_words(answers[5], "1 left, 0x00000001 ... Breakpoint 1")) << answers[5];
  recorded.state_hash();
}

}  // namespace
}  // namespace kerr::debug

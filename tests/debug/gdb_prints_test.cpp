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

// What a host has said to tt-metal's print buffer before is still known when the run has gone back behind a print.
TEST_F(GdbPrints, OfTtMetalsBuffersComeAgainAfterGoingBack) {
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  const char* const text =
      "        li   t0, 0x4b8\n"  // words wpos and rpos, from +12 on items: type, size, bytes
      "        li   t1, 0x98989898\n"
      "        sw   t1, 0(t0)\n"
      "        sw   zero, 0(t0)\n"
      "        sw   zero, 4(t0)\n"
      "        li   t2, 4000\n"
      "later:  addi t2, t2, -1\n"
      "        bnez t2, later\n"
      "one:    li   t1, 0x62610300\n"
      "        sw   t1, 12(t0)\n"
      "        li   t1, 0x10100\n"
      "        sw   t1, 16(t0)\n"
      "        li   t1, 8\n"
      "        sw   t1, 0(t0)\n"
      "two:    li   t1, 0x64630300\n"
      "        sw   t1, 20(t0)\n"
      "        li   t1, 0x10100\n"
      "        sw   t1, 24(t0)\n"
      "        li   t1, 16\n"
      "        sw   t1, 0(t0)\n"
      "end:    ret\n";
  jobs::RunKernel kernel{.image = jobs::read_code(text, "stock.s", 0)};
  jobs::remember_file(kernel, text, "/src/stock.s");
  job.kernels.push_back(std::move(kernel));
  RecordedJob recorded(job, true, true);
  const std::vector<std::string> answers =
      gdb(recorded.port(), {"attach 1", "break end", "continue", "delete", "break one", "reverse-continue", "delete",
                            "reverse-stepi", "break end", "continue", "delete", "continue"});
  // What wpos says is looked at when it changes again, or at the window's end.
  EXPECT_TRUE(has_words(answers[2], "(1,2) BRISC: ab ... Breakpoint 1")) << answers[2];
  EXPECT_TRUE(has_words(answers[5], "Breakpoint 2")) << answers[5];
  EXPECT_EQ(answers[5].find("BRISC: "), std::string::npos) << answers[5];
  EXPECT_TRUE(has_words(answers[9], "(1,2) BRISC: ab ... Breakpoint 3")) << answers[9];
  EXPECT_TRUE(has_words(answers[11], "(1,2) BRISC: cd")) << answers[11];
  recorded.state_hash();
}

}  // namespace
}  // namespace kerr::debug

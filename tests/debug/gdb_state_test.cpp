// Dialogues with gdb-multiarch about what the agents of a tile do: monitor why, cb, timeline, events and goto.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/dialogue.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

class GdbState : public Dialogue {
 protected:
  // NCRISC pushes three pages to circular buffer 0, which has two; BRISC pops one much later, and waits for a word.
  static jobs::RunJob pushes(emu::Timing timing = emu::Timing::Relaxed) {
    jobs::RunJob job;
    job.device.emulator.shards = 1;
    job.device.emulator.timing = timing;
    job.observing.hash_state = true;
    job.circular_buffers.push_back({.id = 0, .pages = 2, .page_bytes = 64});
    job.buffers.push_back({.name = "words", .bytes = 64});
    const auto add = [&](const char* text, const char* name, arch::Hart hart) {
      jobs::RunKernel kernel{.image = jobs::read_code(text, name, 0), .hart = hart};
      jobs::remember_file(kernel, text, std::string("/src/") + name);
      kernel.args = jobs::parse_words("words");
      job.kernels.push_back(std::move(kernel));
    };
    // Stream 8 is buffer 0's: pages pushed at +40, popped at +32.
    add("        lui  t0, 0xffb48\n"
        "        li   t1, 3\n"
        "push:   lw   t2, 40(t0)\n"
        "room:   lw   t3, 32(t0)\n"
        "        sub  t4, t2, t3\n"
        "        li   t5, 2\n"
        "        bgeu t4, t5, room\n"
        "        addi t2, t2, 1\n"
        "        sw   t2, 40(t0)\n"
        "        addi t1, t1, -1\n"
        "        bnez t1, push\n"
        "        lw   a1, 0(a0)\n"
        "        sw   t2, 0(a1)\n"
        "done:   ret\n",
        "push.s", arch::Hart::Ncrisc);
    add("        lui  t0, 0xffb48\n"
        "wait:   lw   t2, 40(t0)\n"
        "        beqz t2, wait\n"
        "        lw   a1, 0(a0)\n"
        "        li   t1, 3000\n"
        "later:  addi t1, t1, -1\n"
        "        bnez t1, later\n"
        "pop:    li   t1, 1\n"
        "        sw   t1, 32(t0)\n"
        "word:   lw   t1, 0(a1)\n"
        "        beqz t1, word\n"
        "last:   ret\n",
        "pop.s", arch::Hart::Brisc);
    return job;
  }
};

TEST_F(GdbState, SaysWhatThePageSays) {
  const std::vector<Line> lines = lines_of_the_page(5);
  ASSERT_GT(lines.size(), 8u);
  RecordedJob recorded(pushes(), true);
  say(recorded.port(), lines);
  recorded.state_hash();
}

TEST_F(GdbState, ShowsCircularBuffersAndWaitsOfALiveRunWithoutChangingIt) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    jobs::RunJob job = pushes(timing);
    const std::vector<Line> lines = {
        {"attach 1"},
        {"monitor cb", {"(1,2) has no circular buffers now"}},
        {"monitor why", {"(1,2) BRISC"}},
        {"break pop", {"Breakpoint 1"}},
        {"continue", {"Breakpoint 1"}},
        {"monitor cb",
         {"circular buffer 0: 2 x 64 bytes from L1 ... holds 2 of 2; pushed 2, popped 0", "(1,2) NCRISC waits for"}},
        {"monitor why", {"(1,2) BRISC pop"}},
        {"monitor goto 100", {"Only a recorded run"}},
        {"monitor timeline x", {"a number of cycles"}},
    };
    std::vector<Line> bare = lines, with_history = lines;
    bare.push_back({"monitor events", {"keeps no history"}});
    bare.push_back({"monitor timeline", {"keeps no history", "Now:", "NCRISC"}});
    EXPECT_EQ(talk(job, bare).state_hash, undebugged(job).state_hash);
    with_history.push_back({"monitor events", {"looked at circular buffer 0", "pop.s:2"}});
    with_history.push_back({"monitor timeline 10000", {"NCRISC", "stored 2 to circular buffer 0", "Now:"}});
    const uint64_t plain = undebugged(job).state_hash;
    job.observing.hang_history = true;
    EXPECT_EQ(talk(job, with_history).state_hash, plain);
  }
}

TEST_F(GdbState, GoesToACycleInEitherDirection) {
  RecordedJob recorded(pushes(), true);
  say(recorded.port(), {{"attach 1"},
                        {"break pop"},
                        {"monitor goto 512", {"The next 'continue' goes to cycle 512"}},
                        {"continue", {"SIGTRAP"}},
                        {"monitor cycle", {"cycle 512"}},
                        {"monitor goto 0"},
                        {"stepi"},
                        {"continue", {"SIGTRAP"}},
                        {"monitor cycle", {"cycle 0"}},
                        {"monitor goto 0x1000"},
                        {"reverse-continue", {"SIGTRAP"}},
                        {"monitor cycle", {"cycle 4096"}},
                        {"continue", {"Breakpoint 1"}},
                        {"monitor goto 99999999999"},
                        {"continue", {"SIGTRAP"}},
                        {"monitor goto 99999999999999999999", {"monitor goto CYCLE"}},
                        {"reverse-continue", {"Breakpoint 1"}}});
  recorded.state_hash();
}

}  // namespace
}  // namespace kerr::debug

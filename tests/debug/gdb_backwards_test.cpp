// Dialogues with gdb-multiarch about a recorded run, backwards too.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

class GdbBackwards : public Dialogue {
 protected:
  static void talk(jobs::RunJob job, const std::vector<Line>& lines) {
    RecordedJob recorded(std::move(job), true);
    say(recorded.port(), lines);
    recorded.state_hash();  // it has ended without an error
  }
  static jobs::RunJob exact() {
    jobs::RunJob job = add_one();
    job.device.emulator.timing = emu::Timing::Exact;
    return job;
  }
};

TEST_F(GdbBackwards, SaysWhatThePageSays) {
  const std::vector<Line> lines = lines_of_the_page(1);
  ASSERT_GT(lines.size(), 8u);
  talk(add_one(), lines);
}

TEST_F(GdbBackwards, StepsByInstructionsAndByLines) {
  talk(exact(), {{"attach 1"},
                 {"break 10 if $t1 == 2", {"Breakpoint 1"}},
                 {"continue", {"Breakpoint 1", "10"}},
                 {"print $t1", {"= 2"}},
                 {"reverse-stepi", {"9"}},
                 {"print $t1", {"= 3"}},
                 {"reverse-step", {"8"}},
                 {"reverse-next", {"7"}},
                 {"stepi", {"8"}},
                 {"stepi", {"9"}},
                 {"stepi", {"10"}},
                 {"print $t1", {"= 2"}}});
}

TEST_F(GdbBackwards, GoesBackToABreakpointThatIsSetBehindIt) {
  talk(add_one(), {{"attach 1"},
                   {"break 11", {"Breakpoint 1"}},
                   {"continue", {"Breakpoint 1", "ret"}},
                   {"break loop if $t1 == 3", {"Breakpoint 2"}},
                   {"reverse-continue", {"Breakpoint 2", "loop ()"}},
                   {"print $t1", {"= 3"}},
                   {"x/4dw $t0 - 4", {"1 0 0 0"}},
                   {"delete 2"},
                   {"reverse-continue", {"No more reverse-execution history"}},
                   {"continue", {"Breakpoint 1"}},
                   {"x/4dw $t0 - 16", {"1 1 1 1"}}});
}

TEST_F(GdbBackwards, FindsWhoWroteInTwoHarts) {
  jobs::RunJob job = add_one();
  job.kernels.push_back(
      {.image = jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 12(a1)\n beqz t0, poll\ndone: ret\n", "wait.s", 0),
       .hart = arch::Hart::Ncrisc});
  job.kernels.back().args = jobs::parse_words("numbers");
  talk(job, {{"attach 2"},
             {"break done", {"Breakpoint 1"}},
             {"continue", {"Breakpoint 1"}},
             {"print $t0", {"= 1"}},
             {"watch -location *(int*)($a1 + 12)", {"Hardware watchpoint 2"}},
             {"reverse-continue", {"Old value = 1", "New value = 0"}},
             {"monitor who", {"BRISC"}},
             {"continue", {"Old value = 0", "New value = 1"}},
             {"continue", {"Breakpoint 1"}}});
}

TEST_F(GdbBackwards, SaysThatARecordedRunCannotBeChanged) {
  talk(add_one(), {{"attach 1"},
                   {"set $t0 = 5", {"Could not write register \"t0\""}},
                   {"set {int}0x10000 = 5", {"Cannot access memory"}}});
}

TEST_F(GdbBackwards, LooksAtAFaultAndAtWhatCameBeforeIt) {
  jobs::RunJob job = add_one();
  job.kernels[0].image = jobs::read_code("  li t0, 2\nwrong: lw t1, 0(t0)\n ret\n", "wrong.s", 0);
  talk(job, {{"attach 1"},
             {"continue", {"SIGILL", "wrong ()"}},
             {"reverse-stepi"},
             {"print $t0"},
             {"stepi", {"wrong ()"}},
             {"print $t0", {"= 2"}}});
}

}  // namespace
}  // namespace kerr::debug

// Dialogues with gdb-multiarch, as a person has them.
#include <gtest/gtest.h>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

using arch::Hart;

class Gdb : public Dialogue {};

TEST_F(Gdb, SaysWhatThePageSays) {
  const std::vector<Line> lines = lines_of_the_page(0);
  ASSERT_GT(lines.size(), 10u);
  const jobs::RunOutcome outcome = talk(add_one(), lines);
  const jobs::RunOutcome plain = undebugged(add_one());
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
  EXPECT_EQ(outcome.state_hash, plain.state_hash);
  EXPECT_EQ(outcome.device_cycles, plain.device_cycles);
}

TEST_F(Gdb, StopsTwoHartsThatAreAttached) {
  jobs::RunJob job = add_one();
  job.kernels.push_back(
      {.image = jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 12(a1)\n beqz t0, poll\ndone: ret\n", "wait.s", 0),
       .hart = Hart::Ncrisc});
  job.kernels.back().args = jobs::parse_words("numbers");
  const jobs::RunOutcome outcome = talk(job, {{"info os processes", {"1 (1,2) BRISC", "2 (1,2) NCRISC"}},
                                              {"attach 1"},
                                              {"add-inferior", {"Added inferior 2"}},
                                              {"inferior 2"},
                                              {"attach 2"},
                                              {"set schedule-multiple on"},
                                              {"info inferiors", {"1 process 1", "2 process 2"}},
                                              {"break loop if $t1 == 1", {"Breakpoint 1"}},
                                              {"break done", {"Breakpoint 2"}},
                                              {"continue", {"hit Breakpoint 1"}},
                                              {"print $t1", {"= 1"}},
                                              {"continue", {"hit Breakpoint 2"}},
                                              {"print $t0", {"= 1"}}});
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
  EXPECT_EQ(outcome.state_hash, undebugged(job).state_hash);
}

TEST_F(Gdb, ListsLinesAndStepsThroughThem) {
  talk(add_one(), {{"attach 1"},
                   {"info line loop", {"Line 5 of"}},
                   {"tbreak loop", {"Temporary breakpoint 1"}},
                   {"continue", {"loop ()", "5"}},
                   {"info source", {"Current source file is"}},
                   {"next", {"6"}},
                   {"step", {"7"}},
                   {"advance 10", {"10"}},
                   {"info registers t1", {"t1 0x3 3"}},
                   {"backtrace", {"#0 loop ()"}},
                   {"info symbol $pc", {"loop + 20"}}});
}

TEST_F(Gdb, ChangesRegistersAndMemory) {
  const jobs::RunOutcome outcome = talk(add_one(), {{"attach 1"},
                                                    {"break 7"},
                                                    {"continue", {"Breakpoint 1"}},
                                                    {"set $t2 = 42"},
                                                    {"set {int}($t0 + 4) = 6"},
                                                    {"x/2dw $t0", {"0 6"}},
                                                    {"set $fa0 = 1.5"},
                                                    {"print $fa0", {"= 1.5"}},
                                                    {"print $cfg0 = 1", {"Could not write register \"cfg0\""}},
                                                    {"delete"},
                                                    {"continue", {"exited normally"}}});
  EXPECT_EQ(static_cast<int>(outcome.dumps.at(0).bytes.at(0)), 42);
  EXPECT_EQ(static_cast<int>(outcome.dumps.at(0).bytes.at(4)), 7);
}

TEST_F(Gdb, WatchesInExactTiming) {
  jobs::RunJob job = add_one();
  job.device.emulator.timing = emu::Timing::Exact;
  const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                              {"break loop"},
                                              {"continue", {"Breakpoint 1, loop ()"}},
                                              {"watch *(int*)($t0 + 8)", {"atchpoint 2"}},
                                              {"delete 2"},
                                              {"watch -location *(int*)($t0 + 8)", {"Hardware watchpoint 3"}},
                                              {"delete 1"},
                                              {"continue", {"Old value = 0", "New value = 1"}},
                                              {"monitor who", {"BRISC"}},
                                              {"detach", {"detached"}}});
  const jobs::RunOutcome plain = undebugged(job);
  EXPECT_EQ(outcome.state_hash, plain.state_hash);
  EXPECT_EQ(outcome.device_cycles, plain.device_cycles);
}

TEST_F(Gdb, ShowsAFaultWhereItIs) {
  jobs::RunJob job = add_one();
  job.kernels[0].image = jobs::read_code("wrong: lw t0, 2(zero)\n ret\n", "wrong.s", 0);
  const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                              {"continue", {"SIGILL", "wrong ()"}},
                                              {"monitor where", {"halted by a fault", "wrong"}},
                                              {"continue", {"Load of 4 bytes from 0x00000002", "SIGABRT"}},
                                              {"monitor waits all", {"BRISC"}}});
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Faulted);
}

TEST_F(Gdb, ShowsWhoWaitsInADeadlock) {
  jobs::RunJob job = add_one();
  job.kernels[0].image = jobs::read_code("lw a1, 0(a0)\nstuck: lw t0, 12(a1)\n beqz t0, stuck\n ret\n", "stuck.s", 0);
  const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                              {"continue", {"Deadlock", "SIGABRT"}},
                                              {"monitor where", {"polling at pc", "stuck.s: stuck"}},
                                              {"monitor waits all", {"BRISC polling at pc"}}});
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Deadlocked);
}

TEST_F(Gdb, LetsTheRunGoOnWhenItIsKilledOrLeaves) {
  for (const char* command : {"kill", "detach", "disconnect", "quit"}) {
    const jobs::RunOutcome outcome =
        talk(add_one(), {{"attach 1"}, {"break loop"}, {"continue", {"Breakpoint 1"}}, {command}});
    EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished) << command;
  }
}

TEST_F(Gdb, MonitorSaysWhatGdbHasNoWordsFor) {
  talk(add_one(), {{"monitor help", {"monitor waits"}},
                   {"monitor where", {"No hart is attached."}},
                   {"monitor cycle", {"cycle"}},
                   {"attach 1"},
                   {"monitor sem", {"semaphore 7"}},
                   {"monitor noc", {"NoC 1", "nothing outstanding"}},
                   {"monitor dst 0 1", {"0- 0000", "0000"}},
                   {"monitor dst 5000", {"Dst has rows 0 to 1023."}},
                   {"monitor disassemble 0 2", {"0x00000004"}},
                   {"monitor disassemble here", {"numbers, decimal or 0x"}},
                   {"monitor jump", {"There is no 'monitor jump'."}}});
}

TEST_F(Gdb, RefusesWhatIsNotThere) {
  talk(add_one(), {{"attach 7", {"Attaching to process 7 failed"}},
                   {"attach 1"},
                   {"x/w 0x200000", {"Cannot access memory"}},
                   {"print *(int*)0xffb00000", {"= "}},
                   {"watch *(int*)0x1800000"},
                   {"continue", {"Could not insert hardware watchpoint"}}});
}

TEST_F(Gdb, DebugsCodeWithoutFirmware) {
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  job.bare = true;
  job.kernels.push_back({.image = jobs::read_code("  li t0, 42\nself: j self\n", "answer.s", 0)});
  const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                              {"break self", {"Breakpoint 1"}},
                                              {"continue", {"Breakpoint 1, self ()"}},
                                              {"print $t0", {"= 42"}},
                                              {"detach"}});
  EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
}

}  // namespace
}  // namespace kerr::debug

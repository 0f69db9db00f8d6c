// Dialogues with gdb-multiarch about a kernel in C++: frames, variables, functions.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "prints/elf_file.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

jobs::RunJob squares() {
  const std::string path = KERR_KERNEL_debug_squares;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  job.observing.hash_state = true;
  jobs::RunKernel kernel{.image = jobs::read_code(bytes, "debug_squares.elf", 0)};
  jobs::remember_file(kernel, bytes, path);
  kernel.args = jobs::parse_words("numbers,result");
  job.kernels.push_back(std::move(kernel));
  job.buffers.push_back({.name = "numbers", .bytes = 16, .data = {}});
  for (const uint8_t number : {2, 3, 4, 5}) {
    job.buffers.back().data.push_back(std::byte{number});
    job.buffers.back().data.resize(job.buffers.back().data.size() + 3);
  }
  job.buffers.push_back({.name = "result", .bytes = 4});
  job.dumps.push_back(jobs::parse_placed_data("result:u32"));
  return job;
}

class GdbOnCpp : public Dialogue {
 protected:
  static void talk(const std::vector<Line>& lines) {
    DebuggedJob debugged(squares());
    say(debugged.port(), lines);
    const jobs::RunOutcome& outcome = debugged.outcome();
    EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished);
    EXPECT_EQ(static_cast<int>(outcome.dumps.at(0).bytes.at(0)), 4 + 9 + 16 + 25);
  }
  static void talk_of_recorded(const std::vector<Line>& lines) {
    RecordedJob recorded(squares(), true);
    say(recorded.port(), lines);
    recorded.state_hash();
  }
};

TEST_F(GdbOnCpp, ShowsFramesArgumentsAndVariables) {
  talk({{"attach 1"},
        {"break square", {"Breakpoint 1", "squares.cpp, line"}},
        {"continue", {"Breakpoint 1, square (number=2)"}},
        {"backtrace", {"#0 square (number=2)", "#1", "sum_of_squares", "#2", "kernel_main ()"}},
        {"up", {"sum_of_squares (numbers=", "count="}},
        {"info locals", {"i = 0", "sum = 0"}},
        {"print numbers[1]", {"= 3"}},
        {"ptype numbers", {"type = const volatile int *"}},
        {"down", {"square (number=2)"}},
        {"print number * 2 + 1", {"= 5"}},
        {"print calls", {"= 0"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, FinishesAFunctionAndSaysWhatItReturns) {
  talk({{"attach 1"},
        {"tbreak square", {"Temporary breakpoint 1"}},
        {"continue", {"square (number=2)"}},
        {"finish", {"sum_of_squares", "Value returned is $1 = 4"}},
        {"print calls", {"= 1"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, StopsWhereAConditionOnAVariableHoldsAndSkipsCounts) {
  talk({{"attach 1"},
        {"break square if number == 4", {"Breakpoint 1"}},
        {"continue", {"square (number=4)"}},
        {"delete 1"},
        {"break square"},
        {"continue", {"square (number=5)"}},
        {"info breakpoints", {"breakpoint already hit 1 time"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, IgnoresTheFirstHits) {
  talk({{"attach 1"},
        {"break square"},
        {"ignore 1 2"},
        {"continue", {"square (number=4)"}},
        {"continue", {"square (number=5)"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, WatchesAVariableInLocalMemory) {
  talk({{"attach 1"},
        {"break sum_of_squares"},
        {"continue", {"Breakpoint 1, sum_of_squares"}},
        {"watch calls", {"Hardware watchpoint 2: calls"}},
        {"continue", {"Old value = 0", "New value = 1"}},
        {"continue", {"Old value = 1", "New value = 2"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, StepsIntoAndOverFunctions) {
  talk({{"attach 1"},
        {"break sum_of_squares"},
        {"continue", {"Breakpoint 1, sum_of_squares"}},
        {"break 14", {"Breakpoint 2"}},
        {"continue", {"Breakpoint 2"}},
        {"step", {"square (number=2)"}},
        {"delete"},
        {"finish", {"Value returned is $1 = 4"}},
        {"next", {"13"}},
        {"print sum", {"= 4"}},
        {"detach"}});
}

TEST_F(GdbOnCpp, SpeaksAsEditorsDo) {
  talk({{"interpreter-exec mi3 \"-target-attach 1\"", {"^done"}},
        {"interpreter-exec mi3 \"-break-insert -f square\"", {"bkpt={number=\"1\"", "squares.cpp"}},
        {"continue", {"square (number=2)"}},
        {"interpreter-exec mi3 \"-stack-list-frames 0 1\"", {"func=\"square\"", "func=\"sum_of_squares\""}},
        {"interpreter-exec mi3 \"-stack-list-variables --all-values\"", {"name=\"number\"", "value=\"2\""}},
        {"interpreter-exec mi3 \"-data-evaluate-expression number*10\"", {"value=\"20\""}},
        {"interpreter-exec mi3 \"-var-create x * number\"", {"value=\"2\"", "type=\"int\""}},
        {"interpreter-exec mi3 \"-thread-info\"", {"(1,2) BRISC"}},
        {"interpreter-exec mi3 \"-target-detach\"", {"^done"}}});
}

TEST_F(GdbOnCpp, GoesBackOutOfAFunctionAndIntoTheOneBefore) {
  talk_of_recorded({{"attach 1"},
                    {"break square if number == 5"},
                    {"continue", {"square (number=5)"}},
                    {"print calls", {"= 3"}},
                    {"reverse-finish", {"sum_of_squares", "14"}},
                    {"break square"},
                    {"reverse-continue", {"square (number=4)"}},
                    {"print calls", {"= 2"}},
                    {"reverse-continue", {"square (number=3)"}}});
}

TEST_F(GdbOnCpp, FindsWhoSetAVariableLast) {
  talk_of_recorded({{"attach 1"},
                    {"continue", {"No more reverse-execution history"}},
                    {"watch calls", {"Hardware watchpoint 1: calls"}},
                    {"reverse-continue", {"Old value = 4", "New value = 3", "square"}},
                    {"reverse-continue", {"Old value = 3", "New value = 2", "square"}}});
}

// Nobody says what the harts of this log run: the code of the file is found in L1, where it was moved to.
TEST_F(GdbOnCpp, FindsTheFileOfAKernelThatALogSaysNothingOf) {
  const std::string path = KERR_KERNEL_debug_squares;
  const prints::ElfFile file = prints::ElfFile::read(path);
  RecordedJob recorded(squares(), false, false, {{file.image, path, file.contents, arch::Hart::Brisc}});
  say(recorded.port(), {{"attach 1"},
                        {"continue", {"No more reverse-execution history"}},
                        {"sharedlibrary", {"debug_squares.elf"}},
                        {"break square", {"Breakpoint 1", "squares.cpp, line"}},
                        {"reverse-continue", {"Breakpoint 1", "square (number=5)"}},
                        {"backtrace", {"#0", "square (number=5)", "#1", "sum_of_squares", "#2", "kernel_main ()"}},
                        {"info os processes", {"(1,2) BRISC", "debug_squares"}}});
  recorded.state_hash();
}

}  // namespace
}  // namespace kerr::debug

// Dialogues with gdb-multiarch about watchpoints: for writes, reads and both, of L1, DRAM, registers and by any agent.
#include <gtest/gtest.h>

#include "image/elf/reader.hpp"
#include "isa/assembler.hpp"
#include "isa/text/assemble.hpp"
#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/dialogue.hpp"
#include "tests/debug/gdb.hpp"

namespace kerr::debug {
namespace {

class GdbWatch : public Dialogue {
 protected:
  // BRISC sends a word to DRAM and takes it back: moves.cpp.
  static jobs::RunJob moves(emu::Timing timing) {
    jobs::RunJob job;
    job.device.emulator.shards = 1;
    job.device.emulator.timing = timing;
    job.observing.hash_state = true;
    jobs::RunKernel kernel{.image = image::read_elf(KERR_KERNEL_debug_moves)};
    kernel.args = jobs::parse_words("words");
    job.kernels.push_back(std::move(kernel));
    job.buffers.push_back({.name = "words", .bytes = 128});
    job.dumps.push_back(jobs::parse_placed_data("words:u32"));
    return job;
  }
  // Where a dump of a job lies.
  static std::string place(const jobs::RunJob& job, uint32_t offset) {
    return std::to_string(undebugged(job).dumps.at(0).address + offset);
  }
};

TEST_F(GdbWatch, StopsBehindTheStoreWithTheLineOfTheNextInstruction) {
  talk(add_one(), {{"attach 1"},
                   {"tbreak loop", {"Temporary breakpoint 1"}},
                   {"continue", {"loop ()"}},
                   {"watch *(int*)($t0 + 0)"},
                   {"delete"},
                   {"watch -location *(int*)$t0", {"Hardware watchpoint 3"}},
                   {"set $store = $pc + 8"},
                   {"continue", {"Hardware watchpoint 3", "Old value = 0", "New value = 1"}},
                   {"print $pc == $store + 4", {"= 1"}},
                   {"stepi", {"9"}},
                   {"print $pc == $store + 8", {"= 1"}}});
}

TEST_F(GdbWatch, TellsOfReads) {
  const jobs::RunJob job = add_one();
  const jobs::RunOutcome outcome = talk(job, {{"attach 1"},
                                              {"tbreak loop"},
                                              {"continue", {"loop ()"}},
                                              {"set $second = $t0 + 4"},
                                              {"rwatch -location *(int*)$second", {"ardware read watchpoint 2"}},
                                              {"continue", {"ardware read watchpoint 2", "Value = 0", "6"}},
                                              {"print $t0 == $second", {"= 1"}},
                                              {"monitor who", {"(1,2) BRISC"}},
                                              {"continue", {"exited normally"}}});
  EXPECT_EQ(outcome.state_hash, undebugged(job).state_hash) << "looking at each instruction changes nothing";
}

TEST_F(GdbWatch, TellsOfReadsAndWrites) {
  talk(add_one(), {{"attach 1"},
                   {"tbreak loop"},
                   {"continue", {"loop ()"}},
                   {"awatch -location *(int*)$t0", {"ardware access (read/write) watchpoint 2"}},
                   {"continue", {"ardware access (read/write) watchpoint 2", "Value = 0", "6"}},
                   {"continue", {"ardware access (read/write) watchpoint 2", "Old value = 0", "New value = 1", "8"}},
                   {"continue", {"exited normally"}}});
}

TEST_F(GdbWatch, TellsOfAPollByAnotherHart) {
  jobs::RunJob job = add_one();
  job.kernels.push_back(
      {.image = jobs::read_code("lw a1, 0(a0)\npoll: lw t0, 12(a1)\n beqz t0, poll\ndone: ret\n", "wait.s", 0),
       .hart = arch::Hart::Ncrisc});
  job.kernels.back().args = jobs::parse_words("numbers");
  const std::string last = place(job, 12);
  talk(job, {{"attach 2"},
             {"tbreak poll"},
             {"continue", {"poll ()"}},
             {"add-inferior"},
             {"inferior 2"},
             {"attach 1"},
             {"rwatch *(int*)" + last, {"ardware read watchpoint 2"}},
             {"continue", {"ardware read watchpoint 2", "Value = "}},
             {"monitor who", {"(1,2) NCRISC"}}});
}

TEST_F(GdbWatch, StepsToSeeARegisterOfTheHartChange) {
  talk(add_one(), {{"attach 1"},
                   {"tbreak loop"},
                   {"continue", {"loop ()"}},
                   {"watch $t1", {"Watchpoint 2: $t1"}},
                   {"continue", {"Watchpoint 2: $t1", "Old value = 4", "New value = 3"}}});
}

TEST_F(GdbWatch, WatchesRegistersOfTheTile) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    jobs::RunJob job = moves(timing);
    talk(job, {{"attach 1"},
               {"tbreak kernel_main"},
               {"continue", {"kernel_main"}},
               {"awatch *(unsigned*)0xffb20020", {"access (read/write) watchpoint 2"}},
               {"continue", {"watchpoint 2", "New value = 16"}},
               {"monitor who", {"(1,2) BRISC"}}});
  }
}

TEST_F(GdbWatch, WatchesDramAndWhatComesFromThere) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    const jobs::RunJob job = moves(timing);
    const std::string back = place(job, 64);
    const jobs::RunOutcome outcome =
        talk(job, {{"attach 1"},
                   {"monitor dram", {"bank 0, tiles", "its bytes 0x0 to 0xfffffff are at 0x80000000"}},
                   {"tbreak kernel_main"},
                   {"continue", {"kernel_main"}},
                   {"watch *(int*)0x80100040", {"ardware watchpoint 2"}},
                   {"continue", {"ardware watchpoint 2", "Old value = 0", "New value = 42"}},
                   {"monitor who", {"a packet of", "writes, at", "DRAM"}},
                   {"delete 2"},
                   {"rwatch *(int*)0x80100040", {"ardware read watchpoint 3"}},
                   {"continue", {"ardware read watchpoint 3", "Value = 42"}},
                   {"monitor who", {"a packet of", "reads, at"}},
                   {"delete 3"},
                   {"watch *(int*)" + back, {"ardware watchpoint 4"}},
                   {"continue", {"ardware watchpoint 4", "Old value = 0", "New value = 42"}},
                   {"monitor who", {"a packet of", "DRAM", "writes, at"}},
                   {"continue", {"exited normally"}}});
    EXPECT_EQ(outcome.state_hash, undebugged(job).state_hash);
  }
}

TEST_F(GdbWatch, GoesBackToTheLastWriterOfDram) {
  for (const emu::Timing timing : {emu::Timing::Relaxed, emu::Timing::Exact}) {
    RecordedJob recorded(moves(timing), true);
    say(recorded.port(), {{"attach 1"},
                          {"continue", {"No more reverse-execution history"}},
                          {"print *(int*)0x80100040", {"= 42"}},
                          {"watch *(int*)0x80100040", {"ardware watchpoint 1"}},
                          {"reverse-continue", {"ardware watchpoint 1", "Old value = 42", "New value = 0"}},
                          {"continue", {"ardware watchpoint 1", "Old value = 0", "New value = 42"}},
                          {"reverse-continue", {"ardware watchpoint 1", "Old value = 42", "New value = 0"}},
                          {"set var *(int*)0x80100040 = 1", {"Cannot access memory"}}});
    recorded.state_hash();
  }
}

TEST_F(GdbWatch, UndoesTheStoreThatItHasJustStoppedBehind) {
  RecordedJob recorded(add_one(), true);
  say(recorded.port(), {{"attach 1"},
                        {"tbreak loop"},
                        {"continue", {"loop ()"}},
                        {"watch -location *(int*)$t0", {"ardware watchpoint 2"}},
                        {"continue", {"Old value = 0", "New value = 1", "8"}},
                        {"reverse-continue", {"ardware watchpoint 2", "Old value = 1", "New value = 0", "7"}},
                        {"continue", {"Old value = 0", "New value = 1", "8"}},
                        {"reverse-stepi", {"7"}},
                        {"stepi", {"8"}}});
  recorded.state_hash();
}

TEST_F(GdbWatch, TellsOfTheCoprocessorsReads) {
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  job.buffers.push_back({.name = "word", .bytes = 16});
  job.dumps.push_back(jobs::parse_placed_data("word:u32"));
  // T0 loads the word at GPR 4 * 16 into GPR 8.
  isa::Assembler a;
  a.lw(isa::reg::t0, isa::reg::a0);
  a.srli(isa::reg::t0, isa::reg::t0, 4);
  a.li(isa::reg::t1, static_cast<int32_t>(arch::kGprBase));
  a.sw(isa::reg::t0, isa::reg::t1, 16);
  a.ttinsn(isa::assemble_tensix("SETDMAREG reg_index_16b=10, payload_sig_sel=0"));
  a.ttinsn(isa::assemble_tensix("LOADIND addr_reg=4, result_reg=8, offset_half_reg=10, size_sel=1"));
  a.ret();
  job.kernels.push_back({.image = image::Image::from(a.finish(), "load"), .hart = arch::Hart::Trisc0});
  job.kernels.back().args = jobs::parse_words("word");
  const std::string word = place(job, 0);
  talk(job, {{"attach 3"},
             {"rwatch *(int*)" + word, {"ardware read watchpoint 1"}},
             {"continue", {"ardware read watchpoint 1", "Value = 0"}},
             {"monitor who", {"T0 reads, in"}},
             {"delete"},
             {"continue", {"exited normally"}}});
}

TEST_F(GdbWatch, RefusesWhatIsNotThere) {
  talk(add_one(), {{"attach 1"},
                   {"rwatch *(int*)0x1800000"},
                   {"continue", {"Could not insert hardware watchpoint"}},
                   {"delete"},
                   {"monitor dram 9 0", {"a bank, 0 to 7"}},
                   {"monitor dram 0 here", {"a byte of it"}},
                   {"monitor dram 0 0xff000000", {"a byte of it"}},
                   {"monitor dram 0 0xfe000000", {"its bytes 0xfe000000 to 0xfeffffff are at 0x80000000"}},
                   {"x/w 0x81000000", {"Cannot access memory"}},
                   {"x/w 0x80fffffc", {"0"}}});
}

}  // namespace
}  // namespace kerr::debug

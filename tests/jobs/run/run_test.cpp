// Runs of one's own code, with firmware and without.
#include "jobs/run/run.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "jobs/run/code.hpp"
#include "tests/jobs/run/refusal.hpp"

namespace kerr::jobs {
namespace {

using End = RunOutcome::End;
using arch::Hart;

RunKernel kernel(const std::string& text, Hart hart = Hart::Brisc, uint32_t base = 0) {
  return {.image = read_code(text, hart_name(hart) + ".s", base), .hart = hart};
}

RunJob job(std::vector<RunKernel> kernels) {
  RunJob out;
  out.device.emulator.shards = 1;
  out.kernels = std::move(kernels);
  return out;
}

RunJob bare(std::vector<RunKernel> kernels) {
  RunJob out = job(std::move(kernels));
  out.bare = true;
  return out;
}

RunOutcome outcome(const RunJob& job) {
  Listener nobody;
  return run(job, nobody);
}

uint32_t word(const RunDump& dump, size_t index = 0) {
  uint32_t value = 0;
  EXPECT_LE(4 * index + 4, dump.bytes.size());
  if (4 * index + 4 <= dump.bytes.size()) std::memcpy(&value, &dump.bytes[4 * index], 4);
  return value;
}

TEST(Run, IsAFewLinesOfCpp) {
  jobs::RunJob job;
  job.kernels.push_back({.image = jobs::read_code("li t0, 42\nret\n", "answer.s", 0)});
  job.dumps.push_back(jobs::parse_placed_data("reg"));
  jobs::Listener nobody;
  const jobs::RunOutcome outcome = jobs::run(job, nobody);
  EXPECT_EQ(outcome.harts.at(0).x[5], 42u) << "t0";
}

// Adds 1 to `count` words at `numbers`.
constexpr const char* kAddOne = R"(
        lw   t0, 0(a0)
        lw   t1, 4(a0)
  loop: lw   t2, 0(t0)
        addi t2, t2, 1
        sw   t2, 0(t0)
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, loop
        ret
)";

TEST(Run, CallsAKernelOnEachCoreWithItsArgumentsAndShowsWhatItLeft) {
  RunJob j = job({kernel(kAddOne)});
  j.cores = Cores("1-2,2-3");
  RunBuffer numbers{.name = "numbers", .bytes = 16};
  for (const uint32_t value : {10u, 20u, 30u, 40u}) append(Element::U32, value, numbers.data);
  j.buffers.push_back(numbers);
  j.kernels[0].args = {{0, "numbers"}, {3, ""}};
  j.dumps = {parse_placed_data("numbers"), parse_placed_data("numbers@2,3"), parse_placed_data("reg@1,2")};
  const RunOutcome o = outcome(j);
  EXPECT_EQ(o.end, End::Finished) << o.summary << o.report;
  ASSERT_EQ(o.dumps.size(), 6u);
  for (size_t core = 0; core < 5; ++core) {
    EXPECT_EQ(word(o.dumps[core], 0), 11u);
    EXPECT_EQ(word(o.dumps[core], 2), 31u);
    EXPECT_EQ(word(o.dumps[core], 3), 40u);
  }
  ASSERT_EQ(o.harts.size(), 4u);
  for (const RunHart& hart : o.harts) {
    EXPECT_EQ(hart.end, RunHart::End::Returned);
    EXPECT_TRUE(hart.has_registers);
    EXPECT_EQ(hart.instructions, 2u + 3 * 6 + 1);
    EXPECT_EQ(hart.x[6], 0u) << "t1";
    EXPECT_EQ(hart.x[7], 31u) << "t2";
    EXPECT_EQ(hart.where, "loop+0x18  brisc.s:10");
  }
}

TEST(Run, PassesArgumentsOfOneCoreOfAllAndSemaphoresThroughItsRegisters) {
  RunJob j = job(
      {kernel("lw t0, 0(a0)\nlw t1, 0(a1)\nadd t0, t0, t1\nlw t1, 16(a2)\nadd t0, t0, t1\nlw t1, 4(a0)\nsw t0, 0(t1)\n"
              "lw t1, 0(a2)\naddi t1, t1, 5\nsw t1, 0(a2)\nret\n")});
  j.cores = Cores("1-2,2");
  j.kernels[0].args = {{100, ""}, {0, "out"}};
  j.kernels[0].core_args[{2, 2}] = {{200, ""}, {0, "out"}};
  j.kernels[0].common_args = {{7, ""}};
  j.semaphores = {1, 1000};
  j.buffers.push_back({.name = "out", .bytes = 4});
  j.dumps = {parse_placed_data("out"), parse_placed_data("sem")};
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.end, End::Finished) << o.summary << o.report;
  EXPECT_EQ(word(o.dumps[0]), 1107u);
  EXPECT_EQ(word(o.dumps[1]), 1207u);
  EXPECT_EQ(word(o.dumps[2], 0), 6u) << "a semaphore that the kernel has raised";
  EXPECT_EQ(word(o.dumps[2], 1), 1000u);
}

TEST(Run, LoadsAndShowsDramInPagesAndByAddress) {
  RunJob j = job({kernel("ret\n")});
  RunBuffer pages{.name = "pages", .memory = host::Memory::Dram, .bytes = 20 * 64, .page_bytes = 64};
  for (uint32_t i = 0; i < 20 * 16; ++i) append(Element::U32, i, pages.data);
  j.buffers.push_back(pages);
  j.loads.push_back({.to = parse_placed_data("dram@3:0x100000=x"), .data = std::vector<std::byte>(8, std::byte{0x5A})});
  j.dumps = {parse_placed_data("pages"), parse_placed_data("pages+64"), parse_placed_data("dram@3:0x100000+8")};
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.dumps.size(), 3u);
  EXPECT_FALSE(o.dumps[0].core);
  EXPECT_EQ(o.dumps[0].bytes, pages.data);
  EXPECT_EQ(o.dumps[1].bytes.size(), 64u);
  EXPECT_EQ(word(o.dumps[2], 1), 0x5A5A5A5Au);
}

TEST(Run, ShowsMemoryAndRegistersAlsoBehindAFault) {
  RunJob j = job({kernel("li t0, 0x123\nlw t1, 0(a0)\nsw t0, 0(t1)\nli t2, 0x200000\nlw t2, 0(t2)\nret\n")});
  j.buffers.push_back({.name = "out", .bytes = 4});
  j.kernels[0].args = {{0, "out"}};
  j.dumps = {parse_placed_data("out"), parse_placed_data("reg")};
  const RunOutcome o = outcome(j);
  EXPECT_EQ(o.end, End::Faulted);
  EXPECT_NE(o.summary.find("OutOfBounds"), std::string::npos) << o.summary;
  EXPECT_NE(o.summary.find("brisc.s:5"), std::string::npos) << o.summary;
  EXPECT_EQ(word(o.dumps[0]), 0x123u);
  ASSERT_EQ(o.harts.size(), 1u);
  EXPECT_EQ(o.harts[0].end, RunHart::End::Faulted);
  EXPECT_EQ(o.harts[0].where, "brisc.s:5");
  EXPECT_EQ(o.harts[0].x[7], 0x200000u);
}

TEST(Run, SaysWhoWaitsInADeadlockAndWhoRunsWhenCyclesAreUsedUp) {
  RunJob polls = job({kernel("loop: lw t0, 0(a2)\nbeqz t0, loop\nret\n")});
  polls.semaphores = {0};
  const RunOutcome waits = outcome(polls);
  EXPECT_EQ(waits.end, End::Deadlocked);
  EXPECT_NE(waits.report.find("brisc.s:"), std::string::npos) << waits.report;
  EXPECT_EQ(waits.harts[0].end, RunHart::End::Waits);

  RunJob endless = job({kernel("loop: addi t0, t0, 1\nj loop\n")});
  endless.cycles = 10'000;
  const RunOutcome runs = outcome(endless);
  EXPECT_EQ(runs.end, End::OutOfCycles);
  EXPECT_EQ(runs.harts[0].end, RunHart::End::Runs);
  EXPECT_GE(runs.device_cycles, 10'000u);
  EXPECT_LT(runs.device_cycles, 11'000u);
}

TEST(Run, LimitsTheCyclesOfAllCoresTogether) {
  // Core (1,2) ends after some cycles, core (2,2) never: a limit for each core would begin anew.
  RunJob j = job({kernel("lw t0, 0(a0)\nloop: addi t0, t0, -1\nbnez t0, loop\nret\n")});
  j.cores = Cores("1-2,2");
  j.kernels[0].args = {{4'000, ""}};
  j.kernels[0].core_args[{2, 2}] = {{0, ""}};
  j.cycles = 10'000;
  const RunOutcome o = outcome(j);
  EXPECT_EQ(o.end, End::OutOfCycles);
  EXPECT_LT(o.device_cycles, 11'000u);
  EXPECT_EQ(o.harts[0].end, RunHart::End::Returned);
  EXPECT_EQ(o.harts[1].end, RunHart::End::Runs);
}

TEST(Run, LogsTheInstructionsOfTheCodeAndNothingElse) {
  RunJob j = job({kernel(".globl start\nstart: li t0, 5\nNOP\nret\n", Hart::Trisc1), kernel("ret\n")});
  std::string log;
  j.log = [&](std::string_view lines) { log += lines; };
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.end, End::Finished) << o.report;
  EXPECT_NE(log.find("core 1,2 trisc1: >>>>  start\ncore 1,2 trisc1: 0x"), std::string::npos) << log;
  EXPECT_NE(log.find("(0x00500293) li t0, 5"), std::string::npos) << log;
  EXPECT_NE(log.find(" t0 = 0x00000005\n"), std::string::npos) << log;
  EXPECT_NE(log.find("core 1,2 t1:"), std::string::npos) << "the thread that it feeds\n" << log;
  EXPECT_NE(log.find("core 1,2 brisc: 0x"), std::string::npos) << log;
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 6) << log;
}

TEST(Run, EndsTheSameWithALogAndWithout) {
  RunJob j = job({kernel(kAddOne)});
  j.buffers.push_back({.name = "numbers", .bytes = 16});
  j.kernels[0].args = {{0, "numbers"}, {4, ""}};
  j.observing.hash_state = true;
  const RunOutcome plain = outcome(j);
  j.log = [](std::string_view) {};
  j.dumps = {parse_placed_data("reg")};
  const RunOutcome logged = outcome(j);
  EXPECT_EQ(plain.state_hash, logged.state_hash);
  EXPECT_EQ(plain.device_cycles, logged.device_cycles);
}

TEST(Run, RefusesAJobThatCannotBeRun) {
  const auto refused = [](const RunJob& j) { return refusal([&] { return outcome(j); }); };
  EXPECT_NE(refused(job({})).find("nothing to run"), std::string::npos);
  RunJob off = job({kernel("ret\n")});
  off.cores = Cores("0,0");
  EXPECT_NE(
      refused(off).find("(0,0) is no Tensix tile of this p100a: they are in columns 1 to 14, rows 2 to 11; columns 8 "
                        "and 9 have none"),
      std::string::npos)
      << refused(off);
  EXPECT_NE(refused(job({kernel("ret\n"), kernel("nop\nret\n")})).find("already runs 'brisc.s'"), std::string::npos);
  RunJob other = job({kernel("ret\n")});
  other.kernels[0].image.uses = {{image::Use::Kind::Hart, static_cast<uint32_t>(Hart::Trisc1)}};
  other.kernels[0].image.segments.push_back({.address = 0xFFB00420, .memory_bytes = 4, .writable = true});
  EXPECT_NE(refused(other).find("was compiled for TRISC1 and is put on BRISC"), std::string::npos) << refused(other);
  RunJob twice = job({kernel("ret\n")});
  twice.buffers = {{.name = "x", .bytes = 4}, {.name = "x", .bytes = 4}};
  EXPECT_NE(refused(twice).find("two buffers of the name 'x'"), std::string::npos);
  RunJob unknown = job({kernel("ret\n")});
  unknown.buffers = {{.name = "numbers", .bytes = 4}};
  unknown.kernels[0].args = {{0, "nubmers"}};
  EXPECT_NE(refused(unknown).find("did you mean 'numbers'?"), std::string::npos);
  const struct {
    const char* dump;
    const char* sentence;
  } dumps[] = {{"nosuch", "no buffer of the run is called 'nosuch'"},
               {"l1:0x20000", "say how many bytes"},
               {"dram@7:0+4", "this board has 7 banks"},
               {"sem", "no semaphores"},
               {"reg@0,0", "no Tensix tile"},
               {"l1:0x20000+6:u32", "no whole numbers of u32"},
               {"l1:0x20002+4:u32", "no whole numbers of u32"},
               {"dram:0+0x80000000", "more than 1073741824 bytes"}};
  for (const auto& [dump, sentence] : dumps) {
    RunJob j = job({kernel("ret\n")});
    j.dumps = {parse_placed_data(dump)};
    EXPECT_NE(refused(j).find(sentence), std::string::npos) << dump << "\n  " << refused(j);
  }
  RunJob low = job({kernel("ret\n")});
  low.loads.push_back({.to = parse_placed_data("l1:0x4000=x"), .data = std::vector<std::byte>(4)});
  EXPECT_NE(refused(low).find("is the firmware's"), std::string::npos);
  RunJob large = job({kernel("ret\n")});
  large.buffers = {{.name = "x", .bytes = 8}};
  large.loads.push_back({.to = parse_placed_data("x=y"), .data = std::vector<std::byte>(9)});
  EXPECT_NE(refused(large).find("9 bytes do not fit: there are 8"), std::string::npos);
}

// --- without firmware ---

TEST(BareRun, StartsHartsAtTheirEntriesAndEndsAtEbreak) {
  RunJob j = bare({kernel("li t0, 0x1234\nli t1, 0x20000\nsw t0, 0(t1)\nebreak\n"),
                   kernel("li t1, 0x20004\nsw sp, 0(t1)\nli a0, 7\necall\n", Hart::Trisc2, 0xE000)});
  j.dumps = {parse_placed_data("l1:0x20000+8"), parse_placed_data("reg")};
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.end, End::Finished) << o.summary << o.report;
  EXPECT_EQ(word(o.dumps[0], 0), 0x1234u);
  EXPECT_EQ(word(o.dumps[0], 1), 0u) << "nobody has set a stack";
  ASSERT_EQ(o.harts.size(), 2u);
  EXPECT_EQ(o.harts[0].end, RunHart::End::Paused);
  EXPECT_EQ(o.harts[0].pc, 0x10u) << "li of 0x1234 and 0x20000 take 2 and 1 instructions";
  EXPECT_EQ(o.harts[1].hart, Hart::Trisc2);
  EXPECT_EQ(o.harts[1].x[10], 7u);
}

TEST(BareRun, EndsInAJumpToItselfAndInDeadlockOfAPoll) {
  const RunOutcome loops = outcome(bare({kernel("li t0, 1\nself: j self\n")}));
  EXPECT_EQ(loops.end, End::Finished) << loops.summary;
  EXPECT_EQ(loops.harts[0].end, RunHart::End::Loops);
  const RunOutcome polls = outcome(bare({kernel("li t0, 0x20000\nself: lw t1, 0(t0)\nbeqz t1, self\nebreak\n")}));
  EXPECT_EQ(polls.end, End::Deadlocked);
  EXPECT_EQ(polls.harts[0].end, RunHart::End::Waits);
  RunJob endless = bare({kernel("loop: addi t0, t0, 1\nj loop\n")});
  endless.cycles = 5000;
  EXPECT_EQ(outcome(endless).end, End::OutOfCycles);
}

TEST(BareRun, SaysWhereItFaulted) {
  RunJob j = bare({kernel("nop\n.word 0xFFFFFFFF\n", Hart::Ncrisc, 0x12000)});
  j.dumps = {parse_placed_data("reg")};
  const RunOutcome o = outcome(j);
  EXPECT_EQ(o.end, End::Faulted);
  EXPECT_NE(o.summary.find("NCRISC at pc 0x12004"), std::string::npos) << o.summary;
  EXPECT_EQ(o.harts[0].end, RunHart::End::Faulted);
  EXPECT_EQ(o.harts[0].pc, 0x12004u);
}

TEST(BareRun, FillsLocalMemoryAndKeepsItWhenTheHartLeavesReset) {
  RunKernel k = kernel("lw t0, 0(zero)\nli t1, 0xFFB00010\nlw t0, 0(t1)\nlw t2, 4(t1)\nebreak\n", Hart::Trisc0, 0x6000);
  k.image.segments.push_back(
      {.address = 0xFFB00010, .load_address = 0xFFB00010, .bytes = {1, 2, 3, 4, 5}, .memory_bytes = 16});
  RunJob j = bare({k});
  j.dumps = {parse_placed_data("reg")};
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.end, End::Finished) << o.summary;
  EXPECT_EQ(o.harts[0].x[5], 0x04030201u);
  EXPECT_EQ(o.harts[0].x[7], 5u);
}

// Linkers put an ELF file's header into the first segment, in front of the code.
TEST(BareRun, PutsBriscsJumpOverTheHeaderOfAnElfFile) {
  RunKernel k = kernel("li t0, 7\nebreak\n", Hart::Brisc, 0x40);
  image::Segment& code = k.image.segments[0];
  code.bytes.insert(code.bytes.begin(), 0x40, 0);
  std::copy_n(
      "\x7f"
      "ELF",
      4, code.bytes.begin());
  code.address = code.load_address = 0;
  code.memory_bytes += 0x40;
  const RunOutcome o = outcome(bare({k}));
  EXPECT_EQ(o.end, End::Finished) << o.summary;
  EXPECT_EQ(o.harts[0].pc, 0x44u);
}

TEST(BareRun, RefusesCodeThatOverlapsOrLiesOutside) {
  const auto refused = [](std::vector<RunKernel> kernels) {
    const RunJob j = bare(std::move(kernels));
    return refusal([&] { return outcome(j); });
  };
  const auto with_segment = [](uint32_t address, uint32_t bytes, uint32_t entry = 0x1000) {
    RunKernel k = kernel("nop\n", Hart::Brisc, 0x1000);
    k.image.entry = entry;
    k.image.segments.push_back({.address = address, .load_address = address, .bytes = {}, .memory_bytes = bytes});
    return k;
  };
  EXPECT_NE(refused({kernel("nop\nnop\n", Hart::Ncrisc, 0x1000), kernel("nop\n", Hart::Trisc0, 0x1004)})
                .find("overlap those of 'ncrisc.s'"),
            std::string::npos);
  EXPECT_NE(refused({with_segment(0x1000, 4)}).find("its segments at 0x1000 and 0x1000 overlap"), std::string::npos);
  EXPECT_NE(refused({with_segment(0x17FFFC, 8)}).find("neither in L1"), std::string::npos);
  EXPECT_NE(refused({with_segment(0x2000, 0xFFFFFFFF)}).find("neither in L1"), std::string::npos);
  EXPECT_NE(refused({with_segment(0xFFB02000, 4)}).find("neither in L1"), std::string::npos);
  EXPECT_NE(refused({with_segment(0xFFB00002, 4)}).find("multiple of 4"), std::string::npos);
  EXPECT_NE(refused({with_segment(0x2000, 4, 0x3000)}).find("its entry 0x3000"), std::string::npos);
  EXPECT_NE(refused({with_segment(0x2000, 8, 0x1002)}).find("its entry 0x1002"), std::string::npos);
  EXPECT_NE(refused({with_segment(0, 4)}).find("where a jump to its entry 0x1000 must stand"), std::string::npos);
  EXPECT_NE(refused({with_segment(0x120000, 4, 0x120000)}).find("out of reach"), std::string::npos);
  RunKernel with_args = kernel("ebreak\n");
  with_args.args = {{1, ""}};
  EXPECT_NE(refused({with_args}).find("nobody passes arguments"), std::string::npos);
}

}  // namespace
}  // namespace kerr::jobs

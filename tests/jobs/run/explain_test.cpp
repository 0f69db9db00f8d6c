// What a run would consist of, against what it then does.
#include "jobs/run/explain.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "jobs/run/code.hpp"
#include "tests/jobs/run/refusal.hpp"

namespace kerr::jobs {
namespace {

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

RunOutcome outcome(const RunJob& job) {
  Listener nobody;
  return run(job, nobody);
}

std::vector<uint32_t> words(const RunDump& dump) {
  std::vector<uint32_t> out(dump.bytes.size() / 4);
  std::memcpy(out.data(), dump.bytes.data(), 4 * out.size());
  return out;
}

std::vector<uint32_t> values(const std::vector<RunPlan::Argument>& arguments) {
  std::vector<uint32_t> out;
  for (const RunPlan::Argument& a : arguments) out.push_back(a.value);
  return out;
}

// Copies `count` words of its arguments to where the first of them says.
std::string copies_arguments(int count) {
  std::string out = "lw t0, 0(a0)\n";
  for (int i = 0; i < count; ++i) {
    const std::string at = std::to_string(4 * i);
    out += "lw t1, " + at + "(a0)\nsw t1, " + at + "(t0)\n";
  }
  return out + "ret\n";
}

TEST(ExplainedRun, HasTheAddressesAndArgumentsOfTheRunThatFollows) {
  RunJob j = job({kernel(copies_arguments(6)), kernel("lw t0, 0(a0)\nsw a2, 0(t0)\nret\n", Hart::Ncrisc)});
  j.cores = Cores("1-2,2");
  j.circular_buffers = {{.id = 3, .pages = 2, .page_bytes = 64}};
  j.semaphores = {5, 7};
  j.buffers.push_back({.name = "seen", .bytes = 24});
  j.buffers.push_back({.name = "table", .bytes = 4});
  j.buffers.push_back({.name = "pages", .memory = host::Memory::Dram, .bytes = 20 * 96, .page_bytes = 96});
  j.kernels[0].args = {{0, "seen"}, {0, "cb3"}, {8, "pages"}, {42, ""}, {0, "table"}, {4, "seen"}};
  j.kernels[0].core_args[{2, 2}] = {{0, "seen"}, {1, ""}, {2, ""}, {3, ""}, {4, ""}, {5, ""}};
  j.kernels[1].args = {{0, "table"}};
  j.dumps = {parse_placed_data("seen"), parse_placed_data("table@1,2"), parse_placed_data("pages+96"),
             parse_placed_data("sem@1,2"), parse_placed_data("reg")};

  const RunPlan plan = explain(j);
  const RunOutcome o = outcome(j);
  ASSERT_EQ(o.end, RunOutcome::End::Finished) << o.summary << o.report;
  EXPECT_EQ(plan.board, o.board);
  EXPECT_EQ(plan.cores, (std::vector<arch::NocCoord>{{1, 2}, {2, 2}}));

  ASSERT_EQ(plan.kernels.size(), 2u);
  const RunPlan::Kernel& copier = plan.kernels[0];
  EXPECT_EQ(copier.name, "brisc.s");
  EXPECT_EQ(copier.noc, 0);
  EXPECT_EQ(plan.kernels[1].noc, std::nullopt);
  ASSERT_EQ(copier.args.size(), 2u);
  EXPECT_EQ(copier.args[0].cores, (std::vector<arch::NocCoord>{{1, 2}}));
  EXPECT_EQ(values(copier.args[0].words), words(o.dumps[0])) << "what the kernel of core (1,2) was given";
  EXPECT_EQ(values(copier.args[1].words), words(o.dumps[1])) << "and that of core (2,2)";
  EXPECT_EQ(copier.args[0].words[2].said.name, "pages");

  for (const RunHart& hart : o.harts) {
    const RunPlan::Kernel& said = plan.kernels[hart.hart == Hart::Brisc ? 0 : 1];
    ASSERT_EQ(said.places.size(), 1u);
    const RunPlan::Part& code = said.places[0].parts.at(0);
    EXPECT_EQ(hart.pc, code.address + code.bytes - 4) << "its ret is its last instruction";
    EXPECT_EQ(said.places[0].entry, code.address);
  }

  ASSERT_EQ(plan.dumps.size(), 5u);
  EXPECT_EQ(plan.dumps[0].address, o.dumps[0].address);
  EXPECT_EQ(plan.dumps[0].bytes, 24u);
  EXPECT_EQ(plan.dumps[0].cores.size(), 2u);
  EXPECT_EQ(plan.dumps[1].address, o.dumps[2].address);
  EXPECT_EQ(plan.dumps[2].address, o.dumps[3].address);
  EXPECT_TRUE(plan.dumps[2].cores.empty()) << "DRAM";
  EXPECT_EQ(plan.dumps[3].address, plan.semaphores[0].address);
  EXPECT_EQ(plan.semaphores[0].address, words(o.dumps[2])[0]) << "a2, which NCRISC stored";
  EXPECT_EQ(plan.semaphores[1].address, plan.semaphores[0].address + 16);
  EXPECT_EQ(plan.semaphores[1].initial, 7u);

  ASSERT_EQ(plan.buffers.size(), 3u);
  EXPECT_EQ(plan.buffers[0].address, copier.args[0].words[0].value);
  EXPECT_EQ(plan.buffers[2].address + 8, copier.args[0].words[2].value);
  EXPECT_EQ(plan.buffers[2].pages, 20u);
  EXPECT_EQ(plan.buffers[2].banks, 7u) << "of a P100A";
  EXPECT_EQ(plan.buffers[2].stride, 128u) << "pages of 96 bytes begin at multiples of 64";
  ASSERT_EQ(plan.circular_buffers.size(), 1u);
  EXPECT_EQ(plan.circular_buffers[0].address, copier.args[0].words[1].value);
}

TEST(ExplainedRun, TellsAKernelTwiceThatHasDifferentNeighbours) {
  RunJob j = job({kernel("nop\nret\n"), kernel("ret\n", Hart::Ncrisc)});
  j.cores = Cores("1-3,2");
  j.kernels[0].cores = Cores("2,2");
  const RunPlan plan = explain(j);
  ASSERT_EQ(plan.kernels[1].places.size(), 2u);
  EXPECT_EQ(plan.kernels[1].places[0].cores, (std::vector<arch::NocCoord>{{1, 2}, {3, 2}}));
  EXPECT_EQ(plan.kernels[1].places[1].cores, (std::vector<arch::NocCoord>{{2, 2}}));
  EXPECT_NE(plan.kernels[1].places[0].entry, plan.kernels[1].places[1].entry);
}

TEST(ExplainedRun, WithoutFirmwareHasCodeWhereItSaysThatItIs) {
  RunJob j = job({kernel("ebreak\n", Hart::Brisc, 0x400), kernel("nop\nebreak\n", Hart::Trisc1, 0xA000)});
  j.bare = true;
  const RunPlan plan = explain(j);
  ASSERT_EQ(plan.kernels.size(), 2u);
  EXPECT_EQ(plan.kernels[0].places.at(0).entry, 0x400u);
  EXPECT_EQ(plan.kernels[1].places.at(0).parts.at(0).address, 0xA000u);
  EXPECT_EQ(plan.kernels[1].places.at(0).parts.at(0).bytes, 8u);
}

TEST(ExplainedRun, IsRefusedAsTheRunIs) {
  RunJob j = job({kernel("ret\n")});
  j.kernels[0].args = {{0, "nosuch"}};
  const std::string sentence = refusal([&] { return explain(j); });
  EXPECT_NE(sentence.find("nosuch"), std::string::npos);
  EXPECT_EQ(sentence, refusal([&] { return outcome(j); }));
  RunJob dumps = job({kernel("ret\n")});
  dumps.dumps = {parse_placed_data("sem")};  // there are none
  EXPECT_NE(refusal([&] { return explain(dumps); }), "");
  EXPECT_EQ(refusal([&] { return explain(dumps); }), refusal([&] { return outcome(dumps); }));
  EXPECT_EQ(refusal([&] { return explain(job({})); }), "there is nothing to run");
}

}  // namespace
}  // namespace kerr::jobs

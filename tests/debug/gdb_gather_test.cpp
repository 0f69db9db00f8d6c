// Dialogues with gdb-multiarch about 64 cores of which one has a wrong argument, as the page has them.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "tests/debug/dialogue.hpp"

namespace kerr::debug {
namespace {

// examples/gather; `wrong`: the arguments of core (5,6).
jobs::RunJob gather(const std::string& wrong) {
  const std::string path = KERR_KERNEL_debug_gather;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  jobs::RunJob job;
  job.device.emulator.shards = 1;
  jobs::RunKernel kernel{.image = jobs::read_code(bytes, "gather_total.elf", 0)};
  jobs::remember_file(kernel, bytes, path);
  kernel.args = jobs::parse_words("8,1,2");
  kernel.common_args = jobs::parse_words("64,result");
  kernel.core_args[{5, 6}] = jobs::parse_words(wrong);
  job.kernels.push_back(std::move(kernel));
  job.cores = jobs::Cores("1-7,2-9");
  job.cores.add("10,2-9");
  job.semaphores = {0, 0};
  job.buffers.push_back({.name = "result", .bytes = 4});
  return job;
}

class GdbOnGather : public Dialogue {};

TEST_F(GdbOnGather, FindsTheCoreThatAddsAnotherShareInTenCommands) {
  const std::vector<Line> lines = lines_of_the_page(2);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().command, "monitor who");
  EXPECT_LT(lines.size(), 10u) << "with target extended-remote";
  EXPECT_EQ(talk(gather("9,1,2"), lines).end, jobs::RunOutcome::End::Finished);
}

TEST_F(GdbOnGather, ShowsItsArguments) {
  const std::vector<Line> lines = lines_of_the_page(3);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().command, "x/3dw $a0");
  talk(gather("9,1,2"), lines);
}

TEST_F(GdbOnGather, NamesTheCoreThatSendsElsewhereWhereItHangs) {
  const std::vector<Line> lines = lines_of_the_page(4);
  ASSERT_FALSE(lines.empty());
  EXPECT_EQ(lines.back().command, "continue");
  EXPECT_EQ(talk(gather("8,1,3"), lines).end, jobs::RunOutcome::End::Deadlocked);
}

}  // namespace
}  // namespace kerr::debug

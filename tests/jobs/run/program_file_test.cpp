// Files that describe a run.
#include "jobs/run/program_file.hpp"

#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

#include "tests/jobs/run/refusal.hpp"

namespace kerr::jobs {
namespace {

std::string files(const std::string& path) {
  static const std::map<std::string, std::string> kFiles{
      {"folder/add.s", "nop\nret\n"}, {"folder/x.bin", "abcdefgh"}, {"/absolute.s", "ret\n"}};
  const auto found = kFiles.find(path);
  if (found == kFiles.end()) throw std::invalid_argument("cannot read '" + path + "': No such file or directory");
  return found->second;
}

RunJob read(const std::string& content) { return read_program_file(content, "folder/run.toml", files); }
std::string refused(const std::string& content) {
  return refusal([&] { return read(content); });
}

constexpr const char* kWhole = R"(
name = "whole"
cores = ["1,2", "1-2,3-4"]
cycles = 1000
semaphores = [0, 0x10]
load = ["l1:0x40000=x.bin"]
dump = ["reg", "numbers:u32", "l1@1,2:0x40000+8"]
[[kernel]]
file = "add.s"
hart = "ncrisc"
args = ["numbers", "numbers+64", 16, -1, 1.5]
common_args = [7]
core_args = { "1,2" = [1, 2] }
[[kernel]]
file = "/absolute.s"
cores = "1,2"
noc = 1
[[circular_buffer]]
id = 3
pages = 2
page_bytes = 2048
[[l1]]
name = "numbers"
bytes = 64
format = "bf16"
values = [1, -2.5]
[[dram]]
name = "input"
pages = 4
page_bytes = 64
data = "x.bin"
)";

TEST(ProgramFile, SaysAllOfARun) {
  const RunJob job = read(kWhole);
  EXPECT_EQ(job.name, "whole");
  EXPECT_EQ(job.cycles, 1000u);
  EXPECT_EQ(job.semaphores, (std::vector<uint32_t>{0, 16}));
  EXPECT_EQ(job.cores.among({}).size(), 5u);
  ASSERT_EQ(job.kernels.size(), 2u);
  const RunKernel& kernel = job.kernels[0];
  EXPECT_EQ(kernel.hart, arch::Hart::Ncrisc);
  EXPECT_TRUE(kernel.cores.empty());
  ASSERT_EQ(kernel.args.size(), 5u);
  EXPECT_EQ(kernel.args[0].name, "numbers");
  EXPECT_EQ(kernel.args[1].value, 64u);
  EXPECT_EQ(kernel.args[3].value, 0xFFFFFFFFu);
  EXPECT_EQ(kernel.args[4].value, 0x3FC00000u);
  EXPECT_EQ(kernel.common_args.at(0).value, 7u);
  EXPECT_EQ(kernel.core_args.at({1, 2}).size(), 2u);
  EXPECT_EQ(kernel.image.segments[0].bytes.size(), 8u);
  EXPECT_EQ(job.kernels[1].hart, arch::Hart::Brisc);
  EXPECT_EQ(job.kernels[1].noc, 1);
  EXPECT_EQ(job.circular_buffers.at(0).id, 3);
  ASSERT_EQ(job.buffers.size(), 2u);
  EXPECT_EQ(job.buffers[0].data.size(), 4u);
  EXPECT_EQ(number_at(Element::Bf16, &job.buffers[0].data[2]), -2.5);
  EXPECT_EQ(job.buffers[1].bytes, 256u);
  EXPECT_EQ(job.buffers[1].data.size(), 8u);
  EXPECT_EQ(job.loads.at(0).data.size(), 8u);
  EXPECT_EQ(job.dumps.size(), 3u);
  EXPECT_FALSE(job.bare);
}

TEST(ProgramFile, IsCalledAsItsFileIfItHasNoName) { EXPECT_EQ(read("kernel = [{file = \"add.s\"}]").name, "run"); }

TEST(ProgramFile, LaysBareCodeWhereItsHartStarts) {
  const RunJob job = read(
      "bare = true\n[[kernel]]\nfile = \"add.s\"\nhart = \"trisc0\"\n[[kernel]]\nfile = \"add.s\"\nbase = 0x400\n");
  EXPECT_TRUE(job.bare);
  EXPECT_EQ(job.kernels[0].image.entry, 0x6000u);
  EXPECT_EQ(job.kernels[1].image.entry, 0x400u);
}

TEST(ProgramFile, RefusesUnknownKeysWithLineAndTheNearestOne) {
  EXPECT_NE(
      refused("\n\ncoers = \"1,2\"").find("'folder/run.toml', line 3: the file has no 'coers'; did you mean 'cores'?"),
      std::string::npos)
      << refused("\n\ncoers = \"1,2\"");
  EXPECT_NE(refused("[[kernel]]\nfile = \"add.s\"\nhrat = \"brisc\"")
                .find("line 3: a kernel has no 'hrat'; did you mean 'hart'?"),
            std::string::npos);
  EXPECT_NE(refused("[[l1]]\nname = \"x\"\nbytes = 4\npages = 1").find("it may have name, bytes"), std::string::npos);
  EXPECT_NE(refused("zzz = 1").find("it may have name, bare"), std::string::npos);
}

TEST(ProgramFile, RefusesWhatIsNoSuchThing) {
  const std::string kernel = "[[kernel]]\nfile = \"add.s\"\n";
  const struct {
    std::string content;
    const char* sentence;
  } wrong[] = {
      {"", "no [[kernel]]"},
      {"kernel = 3", "line 1: 'kernel' is a list of tables: write [[kernel]]"},
      {"kernel = [3]", "write [[kernel]]"},
      {"[kernel]\nfile = \"add.s\"", "write [[kernel]]"},
      {"[[kernel]]\nhart = \"brisc\"", "a kernel needs 'file'"},
      {"[[kernel]]\nfile = 3", "file must be a text in quotes"},
      {"[[kernel]]\nfile = \"\"", "file must not be empty"},
      {"[[kernel]]\nfile = \"nosuch.s\"", "line 2: cannot read 'folder/nosuch.s'"},
      {"[[kernel]]\nfile = \"x.bin\"", "folder/x.bin:1:"},
      {"[[kernel]]\nfile = \"add.s\"\nhart = \"brsic\"", "line 3: there is no hart 'brsic'; did you mean 'brisc'?"},
      {kernel + "cores = \"99,2\"", "'99,2' is no core"},
      {kernel + "cores = []", "cores names none"},
      {kernel + "cores = 5", "cores must be a list"},
      {kernel + "noc = 2", "noc must be a whole number from 0 to 1"},
      {kernel + "hart = \"ncrisc\"\nnoc = 1", "line 4: noc is for a kernel of brisc, and this one runs on ncrisc"},
      {kernel + "base = 4", "base is of runs without firmware"},
      {kernel + "args = \"x\"", "args must be a list"},
      {kernel + "args = [4294967296]", "4294967296 does not fit a word of 32 bits"},
      {kernel + "args = [-2147483649]", "does not fit a word"},
      {kernel + "args = [1e300]", "beyond the largest number of fp32"},
      {kernel + "args = [true]", "an argument is a number, or the name of a buffer"},
      {kernel + "core_args = [1]", "core_args is a table"},
      {kernel + "core_args = { \"1\" = [1] }", "'1' is no core"},
      {kernel + "core_args = { \"1,2\" = [1], \"1,02\" = [2] }", "core (1,2) has arguments already"},
      {"cycles = 0\n" + kernel, "cycles must be a whole number from 1"},
      {"cycles = 1.5\n" + kernel, "cycles must be a whole number"},
      {"bare = 1\n" + kernel, "bare must be true or false"},
      {"semaphores = 3\n" + kernel, "semaphores must be a list"},
      {"semaphores = [1.5]\n" + kernel, "a semaphore must be a whole number"},
      {"dump = [\"nosuch:bf61\"]\n" + kernel, "did you mean 'bf16'?"},
      {"dump = [3]\n" + kernel, "a dump must be a text in quotes"},
      {"load = [\"l1:0x40000\"]\n" + kernel, "a load needs a file"},
      {"load = [\"l1:0x40000=nosuch\"]\n" + kernel, "cannot read 'folder/nosuch'"},
      {"[[circular_buffer]]\nid = 32\npages = 2\npage_bytes = 64", "id must be a whole number from 0 to 31"},
      {"[[circular_buffer]]\nid = 1", "line 1: a circular buffer needs 'pages'"},
      {"[[l1]]\nname = \"l1\"\nbytes = 4", "'l1' means something else already"},
      {"[[l1]]\nname = \"x\"\nbytes = 9223372036854775807", "bytes must be a whole number from 1"},
      {"[[l1]]\nname = \"x\"\nbytes = 4\ndata = \"x.bin\"", "buffer 'x' has 4 bytes, and its data 8"},
      {"[[l1]]\nname = \"x\"\nbytes = 4\nvalues = [1.5]", "1.5 is no number of u32"},
      {"[[l1]]\nname = \"x\"\nbytes = 4\nvalues = [\"1\"]", "a value must be a number"},
      {"[[l1]]\nname = \"x\"\nbytes = 4\nvalues = [1]\ndata = \"x.bin\"", "it has 'data' already"},
      {"[[l1]]\nname = \"x\"\nbytes = 4\nformat = \"bf61\"", "did you mean 'bf16'?"},
      {"[[dram]]\nname = \"x\"\npages = 0\npage_bytes = 64", "pages must be a whole number from 1"},
      {"name = \"x\"\nname = \"y\"", "line 2: "},
      {"name = ", "line 1: "},
      {"dump = [3]", "a dump must be a text in quotes"},
      {"[[kernel]]\nfile = \"add.s\"\nhart = 3", "hart must be a text in quotes"},
      {"[[kernel\n", "line 1: "},
      {std::string("\0\xff\xfe", 3), "line 1: "},
  };
  for (const auto& [content, sentence] : wrong) {
    const std::string said = refused(content);
    EXPECT_NE(said.find(sentence), std::string::npos) << content << "\n  " << said;
    if (said.find("x.bin:1:") == std::string::npos) {
      EXPECT_TRUE(said.starts_with("'folder/run.toml', line ")) << said;
      EXPECT_EQ(said.rfind("'folder/run.toml', line "), 0u) << "the place is said once: " << said;
    }
  }
}

TEST(ProgramFile, BoundsHowDeepValuesMayLie) {
  EXPECT_NE(refused("x = " + std::string(100'000, '[')), "");
  EXPECT_NE(refused("a" + std::string(50'000, '.') + "b = 1"), "");
}

}  // namespace
}  // namespace kerr::jobs

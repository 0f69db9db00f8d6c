// kerr run as a shell sees it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

void write(const std::string& path, const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

constexpr const char* kAddOne =
    "        lw   t0, 0(a0)\n        lw   t1, 4(a0)\nloop:   lw   t2, 0(t0)\n        addi t2, t2, 1\n        sw   t2, "
    "0(t0)\n"
    "        addi t0, t0, 4\n        addi t1, t1, -1\n        bnez t1, loop\n        ret\n";

TEST(RunCommand, RunsTextAndShowsMemoryRegistersAndJson) {
  const Scratch source(kAddOne);
  const std::string arguments =
      "run " + source.path() + " --l1 numbers:16 --args numbers,4 --dump numbers:u32 --dump reg";
  const Outcome text = kerr(arguments);
  EXPECT_EQ(text.status, 0) << text.text;
  EXPECT_NE(text.text.find("0x000196c0: 1 1 1 1\n"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("registers of brisc (1,2), behind its last instruction, at pc 0x"), std::string::npos)
      << text.text;
  EXPECT_TRUE(text.text.ends_with("finished\n")) << text.text;
  const nlohmann::json json = nlohmann::json::parse(kerr(arguments + " --json 2>/dev/null").text, nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(json["end"], "finished");
  EXPECT_EQ(json["dumps"][0]["values"], (nlohmann::json{1, 1, 1, 1}));
  EXPECT_EQ(json["harts"][0]["registers"]["x"]["t2"], 1);
  EXPECT_EQ(json["harts"][0]["core"], (nlohmann::json{1, 2}));
}

TEST(RunCommand, TakesStandardInputAndRawBytesAndRunsOneFileOnSeveralHarts) {
  const Outcome piped =
      shell("printf 'li t0, 42\\nret\\n' | " KERR_COMMAND " run - --hart brisc,trisc2 --dump reg 2>&1");
  EXPECT_EQ(piped.status, 0) << piped.text;
  EXPECT_NE(piped.text.find("registers of trisc2 (1,2)"), std::string::npos) << piped.text;
  const Scratch source("li t0, 42\nret\n");
  const std::string binary = source.path() + ".bin";
  ASSERT_EQ(kerr("asm " + source.path() + " -o " + binary).status, 0);
  const Outcome raw = kerr("run " + binary + " --dump reg");
  EXPECT_EQ(raw.status, 0) << raw.text;
  EXPECT_NE(raw.text.find("t0   0000002a"), std::string::npos) << raw.text;
  std::filesystem::remove(binary);
}

TEST(RunCommand, TakesTheHartFromAnElfFileThatSaysIt) {
  const std::string reader = KERR_KERNEL_test_cli_reader, writer = KERR_KERNEL_test_cli_writer;
  const Outcome one = kerr("run " + reader);
  EXPECT_EQ(one.status, 0) << one.text;
  EXPECT_NE(one.text.find("ncrisc returned"), std::string::npos) << one.text;
  const Outcome two = kerr("run " + reader + " " + writer);
  EXPECT_EQ(two.status, 0) << two.text;
  EXPECT_NE(two.text.find("brisc returned"), std::string::npos) << two.text;
  EXPECT_NE(two.text.find("ncrisc returned"), std::string::npos) << two.text;
  const Scratch file("[[kernel]]\nfile = \"" + reader + "\"\n");
  const std::string toml = file.path() + ".toml";
  std::filesystem::copy_file(file.path(), toml, std::filesystem::copy_options::overwrite_existing);
  const Outcome of_file = kerr("run " + toml);
  std::filesystem::remove(toml);
  EXPECT_NE(of_file.text.find("ncrisc returned"), std::string::npos) << of_file.text;
  const Outcome wrong = kerr("run " + reader + " --hart brisc");
  EXPECT_EQ(wrong.status, 2) << wrong.text;
  EXPECT_NE(wrong.text.find("was compiled for NCRISC and is put on BRISC"), std::string::npos) << wrong.text;
  EXPECT_NE(kerr("run " + writer + " --noc 0").text.find("was compiled for NoC 1"), std::string::npos);
  const Scratch text("ret\n");
  EXPECT_NE(kerr("run " + reader + " " + text.path()).text.find(text.path() + "' does not say its hart"),
            std::string::npos);
}

TEST(RunCommand, EndsWithAStatusForEachEndAndShowsDumpsAllTheSame) {
  const struct {
    const char* code;
    int status;
    const char* said;
  } ends[] = {{"ret\n", 0, "finished"},
              {"li t0, 0x200000\nlw t0, 0(t0)\nret\n", 1, "OutOfBounds: program '"},
              {"loop: lw t0, 0(a2)\nbeqz t0, loop\nret\n", 3, "Deadlock: program '"},
              {"ebreak\nret\n", 3, "paused at ebreak"},
              {"loop: addi t0, t0, 1\nj loop\n", 4, "the run was ended after"}};
  for (const auto& [code, status, said] : ends) {
    const Scratch source(code);
    const Outcome outcome =
        kerr("run " + source.path() + " --semaphores 0 --cycles 20000 --l1 x:8 --dump x --dump reg");
    EXPECT_EQ(outcome.status, status) << code << outcome.text;
    EXPECT_NE(outcome.text.find(said), std::string::npos) << code << outcome.text;
    EXPECT_NE(outcome.text.find("x of (1,2)\n    0x000196c0: 00000000 00000000\n"), std::string::npos)
        << code << outcome.text;
    EXPECT_NE(outcome.text.find("registers of brisc (1,2)"), std::string::npos) << code << outcome.text;
  }
}

TEST(RunCommand, RunsBareAndSaysWhereEachHartStands) {
  const Scratch source("li t0, 42\nebreak\n");
  const Outcome outcome = kerr("run --bare " + source.path() + " --hart brisc,ncrisc --dump reg");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("ncrisc (1,2) paused at pc 0x12004"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("brisc (1,2) paused at pc 0x4"), std::string::npos) << outcome.text;
}

TEST(RunCommand, LogsAsSpikeDoes) {
  const Scratch source("li t0, 5\nret\n");
  const Outcome outcome = kerr("run " + source.path() + " --log - 2>/dev/null");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("core 1,2 brisc: 0x000086")) << outcome.text;
  EXPECT_NE(outcome.text.find(" (0x00500293) li t0, 5 "), std::string::npos) << outcome.text;
  const Folder folder;
  EXPECT_EQ(kerr("run " + source.path() + " --log " + folder / "log").status, 0);
  EXPECT_EQ(content_of(folder / "log"), outcome.text.substr(0, outcome.text.find("run ")));
  EXPECT_EQ(kerr("run " + source.path() + " --log /dev/full").status, 2);
}

TEST(RunCommand, ShowsItsReportAlsoIfASnapshotCannotBeWritten) {
  const Scratch source("ret\n");
  const Outcome outcome = kerr("run " + source.path() + " --l1 x:4 --dump x --snapshot /dev/full");
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  EXPECT_NE(outcome.text.find("x of (1,2)\n    0x000196c0: 00000000\n"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find("kerr: '/dev/full' cannot be written: No space left on device\n"), std::string::npos)
      << outcome.text;
}

TEST(RunCommand, MovesDataFromFilesToFiles) {
  const Folder folder;
  write(folder / "a.s", "ret\n");
  write(folder / "x.bin", "abcdefgh");
  const Outcome outcome =
      kerr(fmt::format("run {} --core 1-2,2 --l1 x:8={} --dram y:2x64:u8={} --load l1:0x40000={} --dump x={} --dump "
                       "y:u8={} --dump l1:0x40000+8={}",
                       folder / "a.s", folder / "x.bin", folder / "x.bin", folder / "x.bin", folder / "x.out",
                       folder / "y.npy", folder / "z.npy"));
  ASSERT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_EQ(content_of(folder / "x.out"), "abcdefghabcdefgh") << "of both cores";
  const std::string y = content_of(folder / "y.npy"), z = content_of(folder / "z.npy");
  EXPECT_NE(y.find("'|u1'"), std::string::npos) << y.substr(0, 128);
  EXPECT_NE(y.find("(128,)"), std::string::npos);
  EXPECT_NE(z.find("(2, 2)"), std::string::npos) << z.substr(0, 128);
}

TEST(RunCommand, TakesAProgramFileAndOptionsBesideIt) {
  const Folder folder;
  write(folder / "add.s", kAddOne);
  write(folder / "add.toml",
        "[[kernel]]\nfile = \"add.s\"\nargs = [\"numbers\", 2]\n[[l1]]\nname = \"numbers\"\nbytes = 8\nvalues = [7, "
        "8]\n");
  const Outcome outcome = kerr("run " + folder / "add.toml" + " --dump numbers:u32");
  EXPECT_EQ(outcome.status, 0) << outcome.text;
  EXPECT_NE(outcome.text.find("run add\n"), std::string::npos) << outcome.text;
  EXPECT_NE(outcome.text.find(": 8 9\n"), std::string::npos) << outcome.text;
  EXPECT_NE(kerr("run " + folder / "add.toml" + " --core 1,2").text.find("--core cannot be given beside it"),
            std::string::npos);
  EXPECT_NE(
      kerr("run " + folder / "add.toml" + " " + folder / "add.s").text.find("is a program file, which is given alone"),
      std::string::npos);
}

TEST(RunCommand, RefusesNonsenseWithASentence) {
  const Scratch source("ret\n");
  const std::string file = source.path();
  const struct {
    std::string arguments;
    const char* offender;
  } wrong[] = {
      {"", "FILE is required"},
      {"/nosuch", "FILE: there is no file '/nosuch'"},
      {file + " " + file, "2 files and 0 harts"},
      {file + " --hart x", "--hart: there is no hart 'x'"},
      {file + " --hart trisc3", "did you mean"},
      {file + " --hart brisc=", "a file is missing behind '='"},
      {"--hart brisc", "--hart names a hart without a file"},
      {"--hart brisc=/nosuch", "there is no file '/nosuch'"},
      {file + " --core 0,0", "(0,0) is no Tensix tile"},
      {file + " --core 99,1", "--core: '99,1' is no core"},
      {file + " --args x", "no buffer of the run is called 'x'"},
      {file + " --args 1,,2", "--args: a word is missing"},
      {file + " --args ncrisc=1", "there are arguments for ncrisc, which runs nothing"},
      {file + " --args 1 --args 2", "are given twice"},
      {file + " --noc 2", "--noc must be from 0 to 1"},
      {file + " --hart trisc0 --noc 1", "--noc 1 is for a kernel of brisc, and brisc runs nothing"},
      {file + " --base 4", "--base requires --bare"},
      {file + " --bare --args 1", "nobody passes arguments"},
      {file + " --bare --l1 x:4", "--bare excludes --l1"},
      {file + " --hart brisc,brisc", "kerr: kernel '"},
      {file + " --cb 0:2x7", "kerr: circular buffer 0: 2 pages of 7 bytes"},
      {file + " --semaphores x", "--semaphores: 'x' is no number"},
      {file + " --l1 x", "write NAME:BYTES"},
      {file + " --l1 x:4 --l1 x:4", "two buffers of the name 'x'"},
      {file + " --l1 x:4=/nosuch", "--l1: there is no file '/nosuch'"},
      {file + " --l1 x:1=" + file, "buffer 'x' has 1 bytes, and its data 4"},
      {file + " --dram x:4294967295x1048576", "the board has less DRAM"},
      {file + " --dram x:16000000x2048", "a buffer of 32768000000 bytes exceeds the device's memory"},
      {file + " --load l1:0x40000", "has no file"},
      {file + " --load reg=" + file, "only memory is loaded"},
      {file + " --dump l1:0x40000+64:bf61", "did you mean 'bf16'"},
      {file + " --dump reg=x", "registers are in the report"},
      {file + " --dump l1:0x40000+4=" + file, "would destroy"},
      {file + " --l1 x:4 --dump x=/nosuch/x", "/nosuch/x"},
      {file + " --log - --json", "would mix"},
      {file + " --log " + file, "would destroy"},
      {file + " --log x --library y", "--log"},
      {file + " --cycles 0", "--cycles must be from 1"},
  };
  for (const auto& [arguments, offender] : wrong) {
    const Outcome outcome = kerr("run " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find("kerr: "), std::string::npos) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << arguments << "\n" << outcome.text;
  }
  const Scratch bad("nop\nnpo\n");
  EXPECT_NE(kerr("run " + bad.path()).text.find(bad.path() + ":2:"), std::string::npos);
}

}  // namespace
}  // namespace kerr::cli

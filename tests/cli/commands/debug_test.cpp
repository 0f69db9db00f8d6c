// kerr debug, as a shell sees it, where no debugger is needed.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(DebugCommand, RefusesWhatMakesNoSense) {
  const Scratch name("");
  const std::string log = name.path() + ".log", code = KERR_SOURCE_DIR "/examples/assembler_text/add_one.s";
  ASSERT_EQ(kerr("matmul 32 32 32 --cores 1 --record " + log).status, 0);
  const std::pair<std::string, std::string> wrong[] = {
      {code + " --at 5", "--at needs a log"},
      {code + " --port 70000", "--port"},
      {code + " --record " + code, "--record"},
      {code + " --dump reg=x", "registers are in the report"},
      {log + " --core 1,2", "is a log: what ran, and with what, is in it"},
      {log + " --bare", "is a log"},
      {log + " --timing exact", "the chip and its timing are those of its run"},
      {log + " --board p150", "the chip and its timing are those of its run"},
      {log + " --cycles 5", "a log is recorded already"},
      {log + " --record " + name.path() + ".other", "a log is recorded already"},
      {log + " --hang-history", "a log has all of it"},
      {code + " --elf " + code, "--elf needs a log"},
      {log + " --elf " + code, "add_one.s: it is no ELF file"},
      {log + " --elf /does/not/exist", "/does/not/exist: cannot be read"},
      {log + " --elf " KERR_SOURCE_DIR "/docs/guide", "docs/guide: no ELF file of a kernel is under it"},
      {"/does/not/exist", "/does/not/exist"},
  };
  for (const auto& [arguments, expected] : wrong) {
    const Outcome outcome = kerr("debug " + arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_NE(outcome.text.find(expected), std::string::npos) << arguments << "\n" << outcome.text;
  }
  std::filesystem::remove(log);
}

}  // namespace
}  // namespace kerr::cli

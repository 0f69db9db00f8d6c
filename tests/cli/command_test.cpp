// The command as a shell sees it: what it says, and its exit status.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/messages.hpp"
#include "cli/version.hpp"
#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

#ifndef KERR_SANITIZED
TEST(Command, NeedsLittleAddressSpaceAndSaysSoIfThereIsLess) {
  for (const char* command :
       {"matmul 32 32 32", "matmul 32 32 32 --board p150", "eval 'x + 1' --x 32x32", "smi --board p150"}) {
    const Outcome outcome = kerr_with("ulimit -v 2097152", command);
    EXPECT_EQ(outcome.status, 0) << command << ": " << outcome.text;
  }
  const Outcome outcome = kerr_with("ulimit -v 100000", "matmul 32 32 32");
  EXPECT_EQ(outcome.status, 2) << outcome.text;
  EXPECT_NE(outcome.text.find("ulimit -v unlimited"), std::string::npos) << outcome.text;
}

TEST(Command, RunsOrExplainsItselfWithLittleStack) {
  const Outcome outcome = kerr_with("ulimit -s 64", "matmul 32 32 32");
  if (outcome.status != 0) {  // only who may raise the limit gets more
    EXPECT_EQ(outcome.status, 2) << outcome.text;
    EXPECT_NE(outcome.text.find("ulimit -s 256"), std::string::npos) << outcome.text;
  }
}
#endif

TEST(Command, RefusesWithOneSentenceThatNamesTheOffenderAndWhatToTry) {
  const struct {
    const char* arguments;
    const char* offender;
  } wrong[] = {
      {"", "command"},
      {"nosuch", "nosuch"},
      {"cq", "'kerr cq' needs a command: dump.  Try 'kerr cq --help'"},
      {"cq -", "'kerr cq' has no command '-'"},
      {"kernel nosuch", "it has show"},
      {"-1", "'kerr' has no command '-1'"},
      {"matmul 8 8 8 --board", "--board needs a value: {p100a,p150}.  Try 'kerr matmul --help'"},
      {"matmul 8 8 8 --snapshot --json", "--snapshot needs a value: FILE"},
      {"matmul 8 8 8 --board p150 --board p150", "--board is given twice"},
      {"asm x -o y --output z", "--output is given twice"},
      {"matmul 8 8 8 --json=false", "--json takes no value"},
      {"matmul 8 8 8 --no-parking=0", "--no-parking takes no value"},
      {"matmul -inf 8 8", "'kerr matmul' has no option '-inf'"},
      {"replay -xyz", "'kerr replay' has no option '-xyz'"},
      {"matmul 8 8 8 --board=", "--board: it must not be empty.  Try 'kerr matmul --help'"},
      {"matmul 8 8 8 --batch 4097", "--batch must be from 1 to 4096"},
      {"matmul 8 8 8 --explain --record x", "--record"},
      {"matmul 8 8 8 --explain --device 0", "--device"},
      {"asm /dev/null --json -o y", "--output excludes --json"},
      {"eval x*2 --x 32X32 --x", "Try 'kerr eval --help'"},
      {"eval x*2 --x 8x8 --low 5", "--low 5 is above --high 1, of which one is the default"},
      {"eval x*2 --x 8x8 --high -5", "--low -1 is above --high -5"},
      {"cq dump /nosuch", "/nosuch"},
      {"matmul", "M is required"},
      {"matmul 1 2 3 4", "4"},
      {"matmul a 2 3", "M = a"},
      {"matmul 8 8 -3", "K must be from 1"},
      {"matmul 8 8 8 --cores 0", "--cores"},
      {"matmul 8 8 8 --threads 257", "--threads"},
      {"matmul 8 8 8 --timing sloppy", "--timing"},
      {"matmul 8 8 8 --fidelity 5", "{lofi,hifi2,hifi3,hifi4}"},
      {"matmul 8 8 99999999999999999999", "K must be from 1 to 1048576, not 99999999999999999999"},
      {"matmul 8 8 1e3", "K = 1e3 is no whole number"},
      {"matmul 8 8 8 --seed -1", "--seed must be from 0 to 2^64 - 1, not -1"},
      {"matmul 8 8 8 --noc-reorder 18446744073709551616", "--noc-reorder must be from 0 to 2^64 - 1"},
      {"matmul 8 8 8 --snapshot x --snapshot-at -1", "--snapshot-at must be from 0"},
      {"replay x --until -1", "--until must be from 0"},
      {"cq dump --region " KERR_COMMAND " --issue-bytes -1", "--issue-bytes must be from 64"},
      {"asm - --base 0x100000000", "--base must be from 0 to 4294967295"},
      {"matmul 8 8 8 --record ''", "--record: it must not be empty"},
      {"matmul 8 8 8 --record=", "--record: it must not be empty"},
      {"matmul 8 8 8 --epilogue ''", "--epilogue: it must not be empty"},
      {"matmul 8 8 8 --trac x", "'kerr matmul' has no option '--trac'; did you mean '--trace'?"},
      {"matmull 8 8 8", "'kerr' has no command 'matmull'; did you mean 'matmul'?"},
      {"cq dmup x", "'kerr cq' has no command 'dmup'; did you mean 'dump'?  Try 'kerr cq --help'"},
      {"cq dump --nosuch " KERR_COMMAND, "Try 'kerr cq dump --help'"},
      {"timing show --clok 5", "did you mean '--clock'?  Try 'kerr timing show --help'"},
      {"kernel show matmul 8 8 8 --in int8", "'kerr kernel show' has no option '--in'"},
      {"kernel show matmul 8 8", "takes M, N and K"},
      {"kernel show matmul 8 8 0", "K must be from 1"},
      {"kernel show x 8", "only 'kernel show matmul' takes sizes"},
      {"eval x --x 8x8 --explian",
       "'kerr eval' has no option '--explian', and the expression has no 'explian'; did you mean '--explain'?"},
      {"eval x --x 8x8 --profile", "'kerr eval' has no option '--profile'"},
      {"eval out*2 --out 8x8", "'out' names no matrix: --out is an option of 'kerr eval'"},
      {"eval x --x 8x8 --forma fp32", "did you mean '--format'?"},
      {"eval x --x", "--x needs a shape"},
      {"eval x --x 8x8 --x 9x9", "--x is given twice"},
      {"eval x y --x 8x8", "'y' is one operand too many"},
      {"eval x --x 8x8 --low nan", "--low = nan is no finite number"},
      {"eval x --x 8x8 --low 1 --high -1", "--low 1 is above --high -1"},
      {"matmul 8 8 8 --board n150", "{p100a,p150}"},
      {"matmul 8 8 8 --board p150 --library " KERR_COMMAND, "--board"},
      {"asm no_such_file", "no_such_file"},
      {"disasm no_such_file", "no_such_file"},
  };
  for (const auto& [arguments, offender] : wrong) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 2) << arguments;
    EXPECT_TRUE(outcome.text.starts_with("kerr: ")) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << arguments << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find("Try 'kerr"), std::string::npos) << arguments << "\n" << outcome.text;
  }
}

TEST(Command, EveryJsonNamesVersionAndCommit) {
  for (const char* arguments :
       {"eval --operations --json", "eval x*x --x 8x8 --vector-code --json", "isa --json", "isa --formats --json",
        "map --json", "info --json", "timing show --json", "devices --json", "disasm 0x13 --json",
        "kernel show x*x --x 8x8 --json", "matmul 8 8 8 --explain --json",
        "run " KERR_SOURCE_DIR "/examples/assembler_text/add_one.s --explain --json", "matmul 8 8 8 --json 2>/dev/null",
        "eval x*x --x 8x8 --json 2>/dev/null", "smi --json",
        "loops check --json " KERR_SOURCE_DIR "/tests/loops/programs/row_sums.loop",
        "loops run --json " KERR_SOURCE_DIR "/tests/loops/programs/row_sums.loop"}) {
    const Outcome outcome = kerr(arguments);
    EXPECT_EQ(outcome.status, 0) << arguments;
    const nlohmann::json json = nlohmann::json::parse(outcome.text, nullptr, false);
    ASSERT_TRUE(json.is_object()) << arguments << outcome.text.substr(0, 300);
    EXPECT_EQ(json.value("version", ""), std::string(version())) << arguments;
    EXPECT_EQ(json.value("commit", ""), std::string(commit())) << arguments;
  }
  EXPECT_EQ(kerr("--version").text, version_text() + "\n");
}

TEST(Command, HelpFitsTheTerminalAndHasExamplesForEachCommand) {
  for (const char* command :
       {"",      "matmul",      "eval",      "run",        "kernel", "kernel show", "replay", "snapshot", "diff",
        "info",  "devices",     "smi",       "reset",      "asm",    "disasm",      "isa",    "map",
        "loops", "loops check", "loops run", "loops show", "cq",     "cq dump",     "timing", "timing show"}) {
    for (const int columns : {40, 60, 80, 120}) {
      const Outcome outcome =
          kerr(fmt::format("--version >/dev/null; COLUMNS={} {} {} --help", columns, KERR_COMMAND, command));
      EXPECT_EQ(outcome.status, 0);
      EXPECT_NE(outcome.text.find("Example"), std::string::npos) << command;
      for (size_t at = 0; at < outcome.text.size();) {
        const size_t end = outcome.text.find('\n', at);
        const std::string line = outcome.text.substr(at, end - at);
        // A quoted expression stays whole.
        if (line.find('"') == std::string::npos) {
          EXPECT_LE(line.size(), static_cast<size_t>(columns)) << command << "\n" << line;
        }
        at = end + 1;
      }
    }
  }
  EXPECT_NE(kerr("matmul --help").text.find("\nEmulator:\n"), std::string::npos);
}

TEST(Command, SaysWhenItsOutputIsLost) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  EXPECT_EQ(kerr("info >/dev/full").status, 2);
  EXPECT_EQ(kerr("info >&-").status, 2);
  EXPECT_EQ(kerr("nosuch 2>/dev/full").status, 2);
}

TEST(Command, ReadsPipesAndStandardInput) {
  EXPECT_NE(kerr("asm - </dev/null && echo 'addi a0, a0, 1' | " KERR_COMMAND " asm -").text.find("00150513"),
            std::string::npos);
  EXPECT_NE(kerr("--version; echo nop | " KERR_COMMAND " asm /dev/stdin").text.find("nop"), std::string::npos);
  EXPECT_NE(kerr("--version; printf '\\023\\005\\025\\000' | " KERR_COMMAND " disasm -").text.find("addi a0, a0, 1"),
            std::string::npos);
  EXPECT_NE(kerr("--version; " KERR_COMMAND " timing show --json | " KERR_COMMAND " timing show --timing-parameters -")
                .text.find("noc_hop"),
            std::string::npos);
}

TEST(Command, QuotesBinaryGarbageWithoutWhatATerminalObeys) {
  const Scratch garbage("\x1b]0;title\x07 \x01\n");
  const Outcome outcome = kerr("asm " + garbage.path());
  EXPECT_EQ(outcome.status, 2);
  EXPECT_EQ(outcome.text.find('\x1b'), std::string::npos);
  EXPECT_NE(outcome.text.find("?]0;title? ?"), std::string::npos) << outcome.text;
}

TEST(Messages, LongLinesAreCut) {
  const std::string text = printable(std::string(5000, 'a') + "\nnext");
  EXPECT_EQ(text, std::string(400, 'a') + " ...\nnext");
}

}  // namespace
}  // namespace kerr::cli

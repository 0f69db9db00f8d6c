// kerr replay, as a shell sees it.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "arch/bytes.hpp"
#include "emu/machine/input_log.hpp"
#include "emu/machine/machine.hpp"
#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(ReplayCommand, RecordsAMatmulAndReplaysItFromItsSnapshot) {
  const Scratch name("");
  const std::string record = name.path() + ".log", middle = name.path() + ".half", last = name.path() + ".end";
  ASSERT_EQ(
      kerr("matmul 32 32 32 --cores 1 --record " + record + " --snapshot " + middle + " --snapshot-at 15000").status,
      0);
  const auto info = parsed(kerr("snapshot " + middle + " --json 2>/dev/null").text);
  EXPECT_GE(info["cycle"], 15000);
  EXPECT_LT(info["cycle"], 17000);
  EXPECT_EQ(info["board"], "p100a");
  EXPECT_EQ(info["recorded"], true);
  const auto whole = parsed(kerr("replay " + record + " --json 2>/dev/null").text);
  const auto rest =
      parsed(kerr("replay " + record + " --snapshot " + middle + " --save " + last + " --json 2>/dev/null").text);
  EXPECT_EQ(whole["state_hash"], rest["state_hash"]);
  EXPECT_EQ(whole["end_cycle"], rest["end_cycle"]);
  EXPECT_EQ(whole["begin_cycle"], 0);
  EXPECT_EQ(rest["begin_cycle"], info["cycle"]);
  EXPECT_TRUE(whole["complete"]);
  EXPECT_NE(kerr("replay " + record + " --until 17000").text.find("all as recorded"), std::string::npos);

  const Outcome before = kerr("replay " + record + " --snapshot " + middle + " --until 5");
  EXPECT_EQ(before.status, 2);
  EXPECT_NE(before.text.find("--until 5 lies before cycle"), std::string::npos) << before.text;
  const Outcome wrong = kerr("replay " + middle);
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.text, "kerr: '" + middle + "': this is no Kerr input log: it does not begin like one\n");
  const Outcome pipe = kerr("--version; cat " + record + " | " KERR_COMMAND " replay /dev/stdin 2>&1");
  EXPECT_NE(pipe.text.find("'/dev/stdin' is no file"), std::string::npos) << pipe.text;
  EXPECT_EQ(kerr("snapshot /no/such/file").text, "kerr: '/no/such/file' cannot be opened: No such file or directory\n");
  for (const std::string& path : {record, middle, last}) std::filesystem::remove(path);
}

// A log of a run in which BRISC pushes SFPNOP with a bit that means nothing.
void record_stray_bits(const std::string& path, bool strict) {
  emu::Machine machine(emu::Options{.strict = strict});
  emu::InputRecorder recorder(machine, path);
  const auto write = [&](uint64_t address, uint32_t word) {
    EXPECT_FALSE(machine.write_coordinate(0, 1, 2, address, arch::as_uint8(word)));
  };
  // lui t0, 0xFFE40; lui t1, 0x8F000; addi t1, t1, 1; sw t1, 0(t0); j .
  uint32_t at = 0;
  for (const uint32_t word : {0xFFE402B7u, 0x8F000337u, 0x00130313u, 0x0062A023u, 0x0000006Fu}) write(4 * at++, word);
  write(0xFFB121B0, 0x47000);
  machine.advance(1024);
  recorder.finish();
}

TEST(ReplayCommand, PrintsRemarksOnStandardErrorAndCountsThemInJson) {
  const Scratch log("");
  record_stray_bits(log.path(), false);
  const std::string remark =
      "kerr: remark: SFPNOP ; stray 0x1 (0x8f000001): operand bits 0x000001 of SFPNOP have no meaning; silicon ignores "
      "them.";
  const Outcome run = kerr("replay " + log.path());
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.text.find(remark), std::string::npos) << run.text;
  EXPECT_EQ(kerr("replay " + log.path() + " 2>/dev/null").text.find("remark"), std::string::npos);
  EXPECT_EQ(parsed(kerr("replay " + log.path() + " --json 2>/dev/null").text)["remarks"], 1);
}

TEST(ReplayCommand, ReplaysAStrictRunAsTheFaultThatItWas) {
  const Scratch log("");
  record_stray_bits(log.path(), true);
  const Outcome run = kerr("replay " + log.path());
  EXPECT_NE(run.text.find("operand bits 0x000001 of SFPNOP have no meaning"), std::string::npos) << run.text;
  EXPECT_EQ(run.text.find("remark:"), std::string::npos);
}

// NCRISC raises a flag, BRISC clears it, and waits for it.
TEST(ReplayCommand, AHangIsToldWithNamesAndWithWhatCameBefore) {
  const Folder folder;
  std::ofstream(folder / "signal.s") << "  lw t0, 0(a0)\n  li t1, 1\n  sw t1, 0(t0)\n  ret\n";
  std::ofstream(folder / "late.s")
      << "  lw t0, 0(a0)\n  li t1, 1000\ndelay:\n  addi t1, t1, -1\n  bnez t1, delay\n  sw zero, 0(t0)\n"
         "poll:\n  lw t1, 0(t0)\n  beqz t1, poll\n  ret\n";
  const std::string harts = "--hart ncrisc=" + (folder / "signal.s") + " --hart brisc=" + (folder / "late.s"),
                    run = "run " + harts + " --l1 flag:16 --args flag", log = folder / "run.log";
  const auto says_what_was_lost = [](const std::string& text) {
    EXPECT_NE(text.find("root: (1,2) BRISC"), std::string::npos) << text;
    EXPECT_NE(text.find("it was 1, by (1,2) NCRISC"), std::string::npos) << text;
    EXPECT_NE(text.find("signal.s:3; at cycle"), std::string::npos) << text;
    EXPECT_NE(text.find("late.s:6 stored 0 over it before a hart had read it"), std::string::npos) << text;
  };
  const Outcome live = kerr(run + " --record " + log);
  EXPECT_EQ(live.status, 3);
  EXPECT_EQ(live.text.find("over it"), std::string::npos) << live.text;
  says_what_was_lost(kerr(run + " --hang-history").text);
  const std::string plain = kerr("replay " + log).text;
  EXPECT_NE(plain.find("late.s:8"), std::string::npos) << plain;
  EXPECT_EQ(plain.find("over it"), std::string::npos) << plain;
  says_what_was_lost(kerr("replay " + log + " --hang-history").text);
  const Outcome checked = kerr("replay " + log + " --check --check-exit 0");
  says_what_was_lost(checked.text);
  EXPECT_NE(checked.text.find("before this, which may be its cause"), std::string::npos) << checked.text;
}

TEST(ReplayCommand, ALogWhoseRunWasKilledIsReplayedAsFarAsItGoes) {
  const Folder folder;
  const std::string log = folder / "a.log", part = log + ".part";
  ASSERT_EQ(kerr("matmul 512 512 32 --record " + log).status, 0);
  const std::string whole = content_of(log);
  for (const size_t bytes : {whole.size() / 2, whole.size() / 4}) {
    std::ofstream(part, std::ios::binary) << whole.substr(0, bytes);
    const Outcome outcome = kerr("replay " + part);
    EXPECT_EQ(outcome.status, 0) << outcome.text;
    EXPECT_NE(outcome.text.find("has no end: its run was killed"), std::string::npos) << outcome.text;
    EXPECT_NE(outcome.text.find("where the log was cut off"), std::string::npos) << outcome.text;
  }
  std::ofstream(folder / "cut.log", std::ios::binary) << whole.substr(0, whole.size() / 2);
  EXPECT_EQ(kerr("replay " + (folder / "cut.log")).status, 2) << "a finished log that was cut is damaged";
}

}  // namespace
}  // namespace kerr::cli

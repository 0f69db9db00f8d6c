// What KERR_NOC_REORDER, KERR_ICACHE, KERR_STRICT and KERR_HANG change for an embedder: programs that would fail on
// silicon are found, and those that wait in vain.
// docs/reference/c-abi.md
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "tests/bindings/library.hpp"

namespace {

/// Set while the library starts, as the embedder's environment would be.
struct Variable {
  Variable(const char* name_, const std::string& value) : name(name_) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name); }
  const char* name;
};

// --- packets pass each other ---------------------------------------------------------------------------------------

constexpr uint32_t kData = 0x200, kFlag = 0x300, kResult = 0x400;
constexpr uint32_t kNew = 0x600D;
constexpr uint64_t kNiu[] = {0xFFB2'0000, 0xFFB3'0000};

/// Command buffer 0 of (1, 2) writes a word to the same address of (7, 9).        docs/hardware/noc.md 4
void noc_write(Session& chip, int noc, uint32_t address) {
  const uint64_t niu = kNiu[noc];
  for (const auto& [reg, value] : std::initializer_list<std::pair<uint32_t, uint32_t>>{
           {0x00, address},
           {0x04, 0},
           {0x08, 2u << 6 | 1},
           {0x0C, address},
           {0x10, 0},
           {0x14, 9u << 6 | 7},
           {0x1C, 0x2092},  // a copy that writes and is acknowledged, static VC 1
           {0x20, 4},
           {0x40, 1}}) {
    chip.write32(1, 2, niu + reg, value);
  }
}

/// Data on NoC 0 and the flag on NoC 1, which nothing but a barrier keeps in order. What the receiver takes for data.
uint32_t received(bool barrier, std::optional<int> seed) {
  std::optional<Variable> reorder;
  if (seed) reorder.emplace("KERR_NOC_REORDER", std::to_string(*seed));
  Session chip;
  // lw t0, 0x300(zero); beq t0, zero, -4; lw t1, 0x200(zero); sw t1, 0x400(zero); jal zero, 0
  chip.run(7, 9, {0x30002283, 0xFE028EE3, 0x20002303, 0x40602023, 0x0000006F});
  chip.write32(1, 2, kData, kNew);
  chip.write32(1, 2, kFlag, 1);
  noc_write(chip, 0, kData);
  if (barrier) {
    while (chip.read32(1, 2, kNiu[0] + 0x204) != 1) chip.library.clock(64);  // NIU_MST_WR_ACK_RECEIVED
  }
  noc_write(chip, 1, kFlag);
  chip.library.clock(20'000);
  EXPECT_EQ(chip.read32(7, 9, kFlag), 1u);
  return chip.read32(7, 9, kResult);
}

TEST(Environment, SomeSeedOfNocReorderFindsAMissingBarrier) {
  constexpr int kSeeds = 16;
  int wrong = 0;
  for (int seed = 1; seed <= kSeeds; ++seed) {
    wrong += received(false, seed) != kNew;
    EXPECT_EQ(received(true, seed), kNew) << "seed " << seed;
  }
  EXPECT_GT(wrong, 0);
  EXPECT_LT(wrong, kSeeds);
}

TEST(Environment, ASeedOfNocReorderGivesTheSameRunEachTime) {
  EXPECT_EQ(received(false, std::nullopt), kNew);
  for (int seed = 1; seed <= 4; ++seed) EXPECT_EQ(received(false, seed), received(false, seed)) << "seed " << seed;
}

// --- values that make no sense ---------------------------------------------------------------------------------------

/// What the library prints while it starts.
std::string said_at_start(const char* name, const std::string& value) {
  const Variable variable(name, value);
  ::testing::internal::CaptureStderr();
  { Session chip; }
  return ::testing::internal::GetCapturedStderr();
}

TEST(Environment, ANonsenseSeedIsReportedAndPacketsKeepTheirOrder) {
  for (const char* nonsense : {"banana", "-1", "1x", " 1", "0x", "18446744073709551616", "99999999999999999999999"}) {
    EXPECT_NE(said_at_start("KERR_NOC_REORDER", nonsense)
                  .find("KERR_NOC_REORDER is '" + std::string(nonsense) + "', not a number"),
              std::string::npos)
        << nonsense;
    const Variable variable("KERR_NOC_REORDER", nonsense);
    EXPECT_EQ(received(false, std::nullopt), kNew) << nonsense;
  }
}

TEST(Environment, SeedsGoFromZeroToTheLastNumberOf64Bits) {
  for (const char* seed : {"", "0", "1", "4294967296", "18446744073709551615", "0xFFFFFFFFFFFFFFFF"}) {
    EXPECT_EQ(said_at_start("KERR_NOC_REORDER", seed), "") << seed;
  }
}

TEST(Environment, EveryOtherNonsenseIsReportedToo) {
  for (const char* name : {"KERR_SHARDS", "KERR_CYCLES_PER_CLOCK", "KERR_BOARD", "KERR_ICACHE", "KERR_HANG"}) {
    EXPECT_NE(said_at_start(name, "banana").find(std::string(name) + " is 'banana'"), std::string::npos);
    EXPECT_EQ(said_at_start(name, ""), "") << name;
  }
}

// --- why nothing moves -----------------------------------------------------------------------------------------------

/// What is said while the host looks at a word `looks` times, 256 cycles apart. BRISC of (1,2) waits for the word at
/// 0x20000, and then for the next one.
std::string said_while_waiting(Session& chip, int looks) {
  ::testing::internal::CaptureStderr();
  for (int look = 0; look < looks; ++look) {
    chip.library.clock(256);
    chip.read32(1, 2, 0x20000);
  }
  return ::testing::internal::GetCapturedStderr();
}
void start_to_wait(Session& chip) {
  // lui t1, 0x20; lw t0, 0(t1); beq t0, zero, -4; lw t0, 4(t1); beq t0, zero, -4; jal zero, 0
  chip.run(1, 2, {0x00020337, 0x00032283, 0xFE028EE3, 0x00432283, 0xFE028EE3, 0x0000006F});
}

TEST(Environment, HangSaysOnceForEachStandstillWhoWaitsForWhat) {
  const Variable variable("KERR_HANG", "10000");
  Session chip;
  start_to_wait(chip);
  EXPECT_EQ(said_while_waiting(chip, 30), "") << "7,680 cycles";
  const std::string first = said_while_waiting(chip, 100);
  EXPECT_NE(
      first.find("nothing but polling has happened for 10000 cycles.\nroot: (1,2) BRISC at pc 0x4  waits until L1 "
                 "0x20000 is not 0; it is 0"),
      std::string::npos)
      << first;
  EXPECT_EQ(first.find("root:"), first.rfind("root:")) << first;
  chip.write32(1, 2, 0x20000, 1);
  const std::string second = said_while_waiting(chip, 100);
  EXPECT_NE(second.find("root: (1,2) BRISC at pc 0xc  waits until L1 0x20004 is not 0"), std::string::npos) << second;
}

TEST(Environment, HangSaysOnceThatHartsGoRoundForEver) {
  const Variable variable("KERR_HANG", "10000");
  Session chip;
  // lui t1, 0x20; addi t2, t2, 1; lw t0, 0(t1); beq t0, zero, -8; jal zero, 0
  chip.run(1, 2, {0x00020337, 0x00138393, 0x00032283, 0xFE028CE3, 0x0000006F});
  const std::string said = said_while_waiting(chip, 20'000);
  EXPECT_NE(said.find("the harts that run go round for ever.\nroot: (1,2) BRISC at pc 0x8  waits until L1 0x20000 is "
                      "not 0; it is 0: livelock"),
            std::string::npos)
      << said;
  EXPECT_EQ(said.find("root:"), said.rfind("root:")) << said;
}

// The host raises the word, and BRISC clears it before it looks.
std::string said_of_a_lost_signal() {
  const Variable variable("KERR_HANG", "10000");
  Session chip;
  chip.write32(1, 2, 0x20000, 1);
  // lui t1, 0x20; sw zero, 0(t1); lw t0, 0(t1); beq t0, zero, -4; jal zero, 0
  chip.run(1, 2, {0x00020337, 0x00032023, 0x00032283, 0xFE028EE3, 0x0000006F});
  return said_while_waiting(chip, 100);
}

TEST(Environment, WithAHistoryAHangSaysWhatWasLost) {
  EXPECT_EQ(said_of_a_lost_signal().find("over it"), std::string::npos);
  const Variable variable("KERR_HANG_HISTORY", "1");
  const std::string said = said_of_a_lost_signal();
  EXPECT_NE(said.find("root: (1,2) BRISC at pc 0x8  waits until L1 0x20000 is not 0; it is 0"), std::string::npos);
  EXPECT_NE(said.find("it was 1, by the host; at cycle "), std::string::npos) << said;
  EXPECT_NE(said.find("it itself at pc 0x4 stored 0 over it before a hart had read it"), std::string::npos) << said;
  EXPECT_NE(said.find("last events of (1,2) BRISC, newest last:"), std::string::npos) << said;
}

TEST(Environment, WithoutHangNothingIsSaidOfAStandstill) {
  Session chip;
  start_to_wait(chip);
  EXPECT_EQ(said_while_waiting(chip, 200), "");
}

TEST(Environment, ARunThatCannotBeRecordedDoesNotStart) {
  const Variable variable("KERR_RECORD", "/nonexistent/log");
  EXPECT_EXIT({ Session chip; }, ::testing::ExitedWithCode(1), "KERR_RECORD.*/nonexistent/log");
}

// --- code that is overwritten --------------------------------------------------------------------------------------

enum class Invalidate { Forgotten, Done };

/// BRISC calls a routine that returns 1, makes it one that returns 2, and calls it again. Its second answer.
uint32_t second_answer(const char* icache, Invalidate invalidate) {
  const Variable variable("KERR_ICACHE", icache);
  Session chip;
  chip.write32(1, 2, 0x80, 0x00100293);  // addi t0, zero, 1
  chip.write32(1, 2, 0x84, 0x00008067);  // jalr zero, 0(ra)
  chip.write32(1, 2, 0xC0, 0x00200293);  // addi t0, zero, 2
  constexpr uint32_t kNop = 0x00000013;
  chip.run(1, 2,
           {0x08000413,                                           // addi s0, zero, 0x80
            0x000400E7,                                           // jalr ra, 0(s0)
            0x20502023,                                           // sw t0, 0x200(zero)
            0x0C002303,                                           // lw t1, 0xC0(zero)
            0x08602023,                                           // sw t1, 0x80(zero)
            0x0FF0000F,                                           // fence: orders, does not invalidate
            0xFFEF03B7,                                           // lui t2, 0xFFEF0
            0x01F00313,                                           // addi t1, zero, 0x1F: all five harts
            invalidate == Invalidate::Done ? 0x2E63A223u : kNop,  // sw t1, 0x2E4(t2): RISCV_IC_INVALIDATE
            0x000400E7,                                           // jalr ra, 0(s0)
            0x20502223,                                           // sw t0, 0x204(zero)
            0x0000006F});
  chip.library.clock(512);
  EXPECT_EQ(chip.read32(1, 2, 0x200), 1u);
  return chip.read32(1, 2, 0x204);
}

TEST(Environment, IcacheExactRunsTheOldCodeUntilItIsInvalidated) {
  EXPECT_EQ(second_answer("exact", Invalidate::Forgotten), 1u);
  EXPECT_EQ(second_answer("exact", Invalidate::Done), 2u);
  EXPECT_EQ(second_answer("coherent", Invalidate::Forgotten), 2u);
  EXPECT_EQ(second_answer("no such word", Invalidate::Forgotten), 2u) << "reported and taken as coherent";
}

TEST(Environment, IcacheCheckStopsAtStaleCodeAndNamesHartAndAddress) {
  EXPECT_EQ(second_answer("check", Invalidate::Done), 2u);
  const auto stale = [] {
    second_answer("check", Invalidate::Forgotten);
    return true;
  };
  EXPECT_EXIT(stale(), ::testing::ExitedWithCode(1), "BRISC.*Stale instruction at 0x00000080");
}

// --- what silicon takes no notice of -------------------------------------------------------------------------------

/// BRISC of (1, 2) pushes SFPNOP with a bit that means nothing to thread 0, three times.
uint32_t push_stray_bits() {
  Session chip;
  chip.run(1, 2,
           {0xFFE402B7,  // lui t0, 0xFFE40
            0x8F000337,  // lui t1, 0x8F000
            0x00130313,  // addi t1, t1, 1
            0x0062A023,  // sw t1, 0(t0)
            0x0062A023, 0x0062A023,
            0x10602023,  // sw t1, 0x100(zero)
            0x0000006F});
  chip.library.clock(1024);
  return chip.read32(1, 2, 0x100);
}

TEST(Environment, StrayBitsRunOnAndAreARemarkOnStandardErrorOnce) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(push_stray_bits(), 0x8F000001u);
  const std::string said = testing::internal::GetCapturedStderr();
  const std::string line = "libttsim_bh (kerr): remark: SFPNOP ; stray 0x1";
  EXPECT_NE(said.find(line), std::string::npos) << said;
  EXPECT_EQ(said.find(line), said.rfind(line)) << said;
}

TEST(Environment, StrictMakesTheRemarkAFault) {
  const Variable variable("KERR_STRICT", "1");
  const auto run = [] {
    push_stray_bits();
    return true;
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(1), "operand bits 0x000001 of SFPNOP have no meaning");
}

TEST(Environment, AStrictnessThatMakesNoSenseIsReportedAndTakenAsNone) {
  const Variable variable("KERR_STRICT", "very");
  testing::internal::CaptureStderr();
  EXPECT_EQ(push_stray_bits(), 0x8F000001u);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("KERR_STRICT is 'very'"), std::string::npos);
}

}  // namespace

#include "emu/options.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace kerr::emu {
namespace {

TEST(Options, RefuseWhatNoMachineCanBe) {
  EXPECT_NO_THROW(Options{}.check());
  EXPECT_THROW(Options{.boards = {}}.check(), std::invalid_argument);
  EXPECT_THROW((Options{.boards = std::vector(33, arch::kP100a)}.check()), std::invalid_argument);
  EXPECT_THROW(Options{.window_cycles = 100}.check(), std::invalid_argument);
  EXPECT_NO_THROW(Options{.window_cycles = kMostWindowCycles}.check());
  EXPECT_THROW(Options{.window_cycles = kMostWindowCycles + 64}.check(), std::invalid_argument);
  EXPECT_THROW((Options{.timing = Timing::Exact, .window_cycles = 23}.check()), std::invalid_argument);
  Options slow;
  slow.parameters.clock_mhz = 0;
  EXPECT_THROW(slow.check(), std::invalid_argument);
}

TEST(Options, HaveTheWindowOfTheirTimingUnlessTheySayOtherwise) {
  EXPECT_EQ(Options{}.window(), 256u);
  EXPECT_EQ(Options{.timing = Timing::Exact}.window(), 22u);
  EXPECT_EQ(Options{.window_cycles = 512}.window(), 512u);
}

class OfTheEnvironment : public ::testing::Test {
 protected:
  ~OfTheEnvironment() override {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  void set(const std::string& name, const std::string& value) {
    ::setenv(name.c_str(), value.c_str(), 1);
    names_.push_back(name);
  }
  Options read(const Options& asked = {}) {
    return asked.with_environment([this](const std::string& what) { complaints_.push_back(what); });
  }
  std::vector<std::string> complaints_;

 private:
  std::vector<std::string> names_;
};

TEST_F(OfTheEnvironment, OptionsTakeWhatTheyDoNotSayThemselves) {
  set("KERR_BOARD", "p100a");
  set("KERR_SHARDS", "0x10");
  set("KERR_NOC_REORDER", "18446744073709551615");
  set("KERR_ICACHE", "check");
  set("KERR_STRICT", "1");
  const Options taken = read({.boards = {}});
  ASSERT_EQ(taken.boards.size(), 1u);
  EXPECT_STREQ(taken.boards[0].name, "p100a");
  EXPECT_EQ(taken.shards, 16);
  EXPECT_EQ(taken.noc_reorder, ~uint64_t{0});
  EXPECT_EQ(taken.icache, InstructionCaching::Checked);
  EXPECT_TRUE(taken.strict);
  const Options asked =
      read({.boards = {arch::kP150}, .shards = 3, .noc_reorder = 5, .icache = InstructionCaching::Exact});
  EXPECT_STREQ(asked.boards[0].name, "p150");
  EXPECT_EQ(asked.shards, 3);
  EXPECT_EQ(asked.noc_reorder, 5u);
  EXPECT_EQ(asked.icache, InstructionCaching::Exact);
  EXPECT_TRUE(complaints_.empty());
}

TEST_F(OfTheEnvironment, AnEmptyVariableIsNone) {
  for (const char* name : {"KERR_BOARD", "KERR_SHARDS", "KERR_NOC_REORDER", "KERR_ICACHE", "KERR_STRICT"})
    set(name, "");
  const Options taken = read({.boards = {}});
  EXPECT_TRUE(taken.boards.empty());
  EXPECT_EQ(taken.noc_reorder, std::nullopt);
  EXPECT_FALSE(taken.strict);
  EXPECT_TRUE(complaints_.empty());
}

TEST_F(OfTheEnvironment, NonsenseIsToldAndTheDefaultStays) {
  set("KERR_BOARD", "n300");
  set("KERR_SHARDS", "0");
  set("KERR_ICACHE", "cold");
  set("KERR_STRICT", "very");
  const Options taken = read({.boards = {}});
  EXPECT_TRUE(taken.boards.empty());
  EXPECT_EQ(taken.shards, 1);
  EXPECT_EQ(taken.icache, InstructionCaching::Coherent);
  EXPECT_FALSE(taken.strict);
  EXPECT_EQ(complaints_,
            (std::vector<std::string>{
                "KERR_BOARD is 'n300', not p100a or p150", "KERR_SHARDS is '0', not a number from 1 to 64",
                "KERR_ICACHE is 'cold', not coherent, exact or check", "KERR_STRICT is 'very', not 0 or 1"}));
}

TEST_F(OfTheEnvironment, ASeedIsANumberAndNothingElse) {
  for (const char* text : {"on", "-1", " 5", "5x", "0x", "18446744073709551616"}) {
    set("KERR_NOC_REORDER", text);
    complaints_.clear();
    EXPECT_EQ(read().noc_reorder, std::nullopt) << text;
    EXPECT_EQ(complaints_.size(), 1u) << text;
  }
}

}  // namespace
}  // namespace kerr::emu

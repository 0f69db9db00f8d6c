// What a profile makes of events that are told to it.
#include "report/profile/profile.hpp"

#include <gtest/gtest.h>

#include "arch/boards.hpp"
#include "arch/stream_registers.hpp"

namespace kerr::report {
namespace {

using emu::Agent;

const emu::TileId kWorker = emu::TileId::at(0, 1, 2);

arch::note::Launched launch_of(const std::string& kernel, uint32_t address) {
  arch::note::Launched launch;
  launch.program = "program of " + kernel;
  arch::note::Launched::Group group;
  group.cores = {{1, 2}};
  group.kernels.push_back({.hart = arch::Hart::Trisc1, .code = {kernel, address, 16, nullptr, 0}});
  launch.groups = {group};
  return launch;
}

class ProfileTest : public testing::Test {
 protected:
  void retire(uint32_t pc, emu::Cycle cycle) {
    profile_.retired({.tile = kWorker, .agent = Agent::Trisc1, .cycle = cycle, .pc = pc}, pc, 0x13);
  }
  // What was counted of a code of that name.
  CodeUse use(const std::string& name) const {
    for (const CodeUse& one : profile_.uses(kWorker.node))
      if (profile_.code()[one.code].name == name) return one;
    return {};
  }

  Profile profile_{{arch::kP100a}};
};

TEST_F(ProfileTest, CountsAnInstructionAndTheCyclesUntilTheNextOne) {
  profile_.noted(launch_of("math", 0x1000), 5);
  retire(0x1000, 10);
  retire(0x1004, 11);
  retire(0x1000, 31);
  const CodeUse math = use("math");
  EXPECT_EQ(math.places.at(0).times, 2u);
  EXPECT_EQ(math.places.at(0).cycles, 1u);
  EXPECT_EQ(math.places.at(4).cycles, 20u);
  EXPECT_EQ(profile_.launches().at(0).nodes, std::vector<uint8_t>{kWorker.node});
}

TEST_F(ProfileTest, CountsForTheNextLaunchWhenItsCodeBegins) {
  profile_.noted(launch_of("first", 0x1000), 0);
  profile_.noted(launch_of("second", 0x1000), 0);  // the same place, told before the first has begun
  retire(0x1000, 1);
  retire(0x1008, 2);
  retire(0x1000, 3);
  EXPECT_EQ(use("first").places.size(), 2u);
  EXPECT_EQ(use("second").places.size(), 1u);
}

TEST_F(ProfileTest, KeepsCodeThatNobodyNamedByItsAddress) {
  retire(0x8000, 1);
  EXPECT_EQ(use("other code").places.at(0x8000).word, 0x13u);
}

TEST_F(ProfileTest, CountsTensixWordsWhereTheyWerePushed) {
  profile_.noted(launch_of("math", 0x1000), 0);
  retire(0x1000, 1);
  const emu::Actor thread{.tile = kWorker, .agent = Agent::Thread1, .cycle = 4, .pc = 0x1008, .pusher = Agent::Trisc1};
  for (int i = 0; i < 2; ++i) {
    profile_.issued(thread, 0x26000000);
    profile_.worked(thread, {.start = 4, .until = 9});
  }
  const CodeUse::Word word = use("math").words.at({8, 0x26000000});
  EXPECT_EQ(word.times, 2u);
  EXPECT_EQ(word.busy, 10u);
}

TEST_F(ProfileTest, KeepsStoresToTheCountersOfCircularBuffers) {
  const uint32_t counter =
      arch::stream_address(static_cast<int>(arch::kFwB.first_cb_stream) + 2, 0) + 4 * arch::stream::kRemoteDestBufStart;
  const emu::Actor hart{.tile = kWorker, .agent = Agent::Trisc1, .cycle = 7};
  profile_.accessed(hart, emu::AccessKind::Store, counter, 4, 3);
  profile_.accessed(hart, emu::AccessKind::Load, counter, 4, 3);
  profile_.accessed(hart, emu::AccessKind::Store, 0x1000, 4, 3);
  ASSERT_EQ(profile_.credits(kWorker.node).size(), 1u);
  EXPECT_EQ(profile_.credits(kWorker.node)[0].counter, (Credit{2, true}));
  EXPECT_EQ(profile_.credits(kWorker.node)[0].value, 3u);
}

TEST_F(ProfileTest, ForgetsNoLaunchAndKeepsNotMoreThanItsLimit) {
  for (size_t i = 0; i < Profile::kMostLaunches + 3; ++i) profile_.noted(launch_of("math", 0x1000), i);
  EXPECT_EQ(profile_.launches().size(), Profile::kMostLaunches);
  EXPECT_EQ(profile_.further_launches(), 3u);
}

}  // namespace
}  // namespace kerr::report

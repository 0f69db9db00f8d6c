// Recorded runs, forwards and backwards, by the protocol and without gdb.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "tests/debug/add_one.hpp"

namespace kerr::debug {
namespace {

constexpr uint32_t kInstructionsRegister = 71;

class Recorded : public testing::TestWithParam<Way> {};

INSTANTIATE_TEST_SUITE_P(Ways, Recorded, testing::Values(kWays[0], kWays[1]),
                         [](const auto& way) { return name_of(way.param); });

TEST_P(Recorded, StepsBackToTheSameRegistersThatItCameFrom) {
  RecordedJob recorded(add_one_and_wait(GetParam()));
  Client client(recorded.port());
  EXPECT_NE(client.ask("qSupported").find("ReverseStep+;ReverseContinue+"), std::string::npos);
  client.ask("vAttach;1");
  const uint32_t begin = code_places().brisc;
  EXPECT_EQ(client.ask(packet("Z0,%x,4", begin + 8)), "OK");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;");
  std::vector<std::string> registers = {client.ask("g")};
  for (int i = 0; i < 12; ++i) {
    EXPECT_EQ(client.ask("vCont;s:p1.1"), "T05thread:p1.1;");
    registers.push_back(client.ask("g"));
  }
  for (int i = 12; i-- > 0;) {
    EXPECT_EQ(client.ask("bs"), "T05thread:p1.1;");
    EXPECT_EQ(client.ask("g"), registers[static_cast<size_t>(i)]) << i;
  }
  EXPECT_EQ(client.ask("vCont;s:p1.1"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask("g"), registers[1]) << "forwards again";
}

TEST_P(Recorded, ContinuesBackThroughTheHitsOfABreakpointToTheBegin) {
  RecordedJob recorded(add_one_and_wait(GetParam()));
  Client client(recorded.port());
  client.ask("vAttach;1");
  const uint32_t begin = code_places().brisc;
  EXPECT_EQ(client.ask(packet("Z1,%x,4", begin + 8)), "OK");
  for (uint32_t left = 16; left > 12; --left) EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;hwbreak:;");
  for (uint32_t left = 14; left <= 16; ++left) {
    EXPECT_EQ(client.ask("bc"), "T05thread:p1.1;hwbreak:;");
    EXPECT_EQ(client.reg(kPcRegister), begin + 8);
    EXPECT_EQ(client.reg(kT1), left);
  }
  EXPECT_EQ(client.ask("bc"), "T05thread:p1.1;replaylog:begin;");
  EXPECT_EQ(client.reg(kInstructionsRegister), 0u);
  EXPECT_EQ(client.ask("bs"), "T05thread:p1.1;replaylog:begin;");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;hwbreak:;");
  EXPECT_EQ(client.reg(kT1), 16u);
}

TEST_P(Recorded, ContinuesBackToTheWriteOfWhatIsWatched) {
  RecordedJob recorded(add_one_and_wait(GetParam()));
  const auto numbers = static_cast<uint32_t>(recorded.outcome().dumps.at(0).address);
  Client client(recorded.port());
  client.ask("vAttach;2");
  EXPECT_EQ(client.ask("vCont;c"), "T05thread:p2.1;replaylog:end;");
  EXPECT_EQ(client.ask(packet("m%x,4", numbers + 60)), "01000000");
  EXPECT_EQ(client.ask(packet("Z2,%x,4", numbers + 60)), "OK");
  EXPECT_EQ(client.ask("bc"), packet("T05thread:p2.1;watch:%x;", numbers + 60));
  client.ask("vAttach;1");
  EXPECT_EQ(client.reg(kPcRegister), code_places().brisc + 20) << "BRISC stands behind its store";
  EXPECT_EQ(client.ask(packet("m%x,4", numbers + 60)), "01000000");
  EXPECT_EQ(client.ask("bs"), "T05thread:p1.1;");
  EXPECT_EQ(client.ask(packet("m%x,4", numbers + 60)), "00000000");
  EXPECT_EQ(client.ask("vCont;c"), packet("T05thread:p2.1;watch:%x;", numbers + 60)) << "forwards again";
  EXPECT_EQ(client.ask("bc"), "T05thread:p2.1;replaylog:begin;") << "nobody else has written there";
}

TEST_P(Recorded, EndsInTheStateOfTheRecordedRunHoweverOftenItWentBack) {
  RecordedJob recorded(add_one_and_wait(GetParam()));
  {
    Client client(recorded.port());
    client.ask("vAttach;1");
    const uint32_t begin = code_places().brisc;
    EXPECT_EQ(client.ask(packet("Z0,%x,4", begin + 16)), "OK");
    std::mt19937 random(4);
    for (int i = 0; i < 12; ++i) client.ask(std::array{"bs", "bc", "vCont;c", "vCont;s:p1.1"}[random() % 4]);
    EXPECT_EQ(client.ask(packet("z0,%x,4", begin + 16)), "OK");
    EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;replaylog:end;");
    EXPECT_EQ(client.ask("vCont;c"), "T05thread:p1.1;replaylog:end;") << "there is no more";
  }
  EXPECT_EQ(recorded.state_hash(), recorded.outcome().state_hash);
}

// Every stop of a forward run is found again backwards, in the opposite order.
TEST_P(Recorded, FindsTheStopsOfTwoProcessesInTheOppositeOrder) {
  RecordedJob recorded(add_one_and_wait(GetParam()));
  Client client(recorded.port());
  const auto [add, poll] = code_places();
  client.ask("vAttach;2");
  client.ask("vAttach;1");
  const auto numbers = static_cast<uint32_t>(recorded.outcome().dumps.at(0).address);
  client.ask("Hgp1.1");
  EXPECT_EQ(client.ask(packet("Z0,%x,4", add + 20)), "OK");
  client.ask("Hgp2.1");
  EXPECT_EQ(client.ask(packet("Z0,%x,4", poll + 12)), "OK") << "behind the poll";
  EXPECT_EQ(client.ask(packet("Z2,%x,4", numbers + 64)), "OK");
  std::vector<std::string> stops;
  for (std::string stop = client.ask("vCont;c"); stop.find("replaylog") == std::string::npos;
       stop = client.ask("vCont;c"))
    stops.push_back(stop);
  EXPECT_EQ(stops.size(), 18u) << "16 of BRISC, the end of the poll, the write behind it";
  std::reverse(stops.begin(), stops.end());
  for (const std::string& stop : stops) EXPECT_EQ(client.ask("bc"), stop);
}

TEST(Rewinder, RefusesChangesOfARecordedRun) {
  RecordedJob recorded(add_one_and_wait({emu::Timing::Relaxed}));
  Client client(recorded.port());
  client.ask("vAttach;1");
  EXPECT_EQ(client.ask("P7=2a000000"), "E.a recorded run cannot be changed");
  EXPECT_EQ(client.ask("M10000,4:07000000"), "E01");
}

TEST(Rewinder, IsNotThereForARunThatIsNotRecorded) {
  DebuggedJob debugged(add_one_and_wait({emu::Timing::Relaxed}));
  Client client(debugged.port());
  EXPECT_EQ(client.ask("qSupported").find("Reverse"), std::string::npos);
  client.ask("vAttach;1");
  EXPECT_EQ(client.ask("bs"), "");
  EXPECT_EQ(client.ask("bc"), "");
  client.ask("D");
}

}  // namespace
}  // namespace kerr::debug

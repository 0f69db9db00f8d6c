// What the counts say of a few events that are told to them.
#include "report/event_counts.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kerr::report {
namespace {

using emu::AccessKind;
using emu::Agent;
using emu::TileId;

emu::Actor by(Agent agent, TileId tile = TileId::at(0, 1, 2)) { return {tile, agent, 100}; }

emu::Message message(TileId from, TileId to, uint64_t sequence, uint64_t packet) {
  emu::Message m;
  m.source = from;
  m.destination = to;
  m.sequence = sequence;
  m.packet = packet;
  m.multicast = true;
  m.payload = emu::Payload(size_t{32});
  return m;
}

TEST(EventCounts, SumUpInstructionsAccessesAndPacketsOfAllTiles) {
  EventCounts counts;
  counts.retired(by(Agent::Brisc), 0, 0x13);
  counts.retired(by(Agent::Brisc, TileId::at(1, 3, 4)), 0, 0x13);
  counts.issued(by(Agent::Thread1), 0x02000000);
  counts.accessed(by(Agent::Brisc), AccessKind::Load, 0x1000, 4, 0);
  counts.accessed(by(Agent::Inbox), AccessKind::Store, 0x1000, 64, 0);
  const TileId a = TileId::at(0, 1, 2), b = TileId::at(0, 2, 2), c = TileId::at(0, 3, 2);
  counts.packet_left({}, message(a, b, 7, 7), 0);
  counts.packet_left({}, message(a, c, 8, 7), 0);
  counts.packet_arrived(message(a, b, 7, 7));

  const auto all = nlohmann::ordered_json::parse(json(counts.total()).dump(0));
  EXPECT_EQ(all["instructions"], (nlohmann::ordered_json{{"T1", 1}, {"BRISC", 2}}));
  ASSERT_EQ(all["accesses"].size(), 2u);
  EXPECT_EQ(all["accesses"][0],
            (nlohmann::ordered_json{{"agent", "inbox"}, {"region", "L1"}, {"loads", 0}, {"stores", 1}}));
  ASSERT_EQ(all["packets"].size(), 1u);
  EXPECT_EQ(all["packets"][0],
            (nlohmann::ordered_json{{"kind", "write"}, {"left", 2}, {"arrived", 1}, {"bytes", 64}, {"multicasts", 1}}));
}

// At 0xFFE80020 BRISC sees its PCBuf and a TRISC a semaphore.
TEST(EventCounts, NameARegionAsTheAgentSeesIt) {
  EventCounts counts;
  counts.accessed(by(Agent::Brisc), AccessKind::Load, 0xFFE80020, 4, 0);
  counts.accessed(by(Agent::Trisc0), AccessKind::Load, 0xFFE80020, 4, 0);
  const std::string lines = text(counts.total(), "");
  EXPECT_NE(lines.find("PCBuf 0\n"), std::string::npos) << lines;
  EXPECT_NE(lines.find("semaphores\n"), std::string::npos) << lines;
}

}  // namespace
}  // namespace kerr::report

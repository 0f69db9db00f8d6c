// What a timeline makes of events that are told to it, and what reports say of it.
#include "report/timeline/timeline.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <string>
#include <vector>

#include "isa/tensix/resources.hpp"
#include "report/timeline/critical_path.hpp"
#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::report {
namespace {

using emu::Agent;
using emu::Lacked;
using emu::TileId;
namespace wait = emu::wait;

const TileId kTile = TileId::at(0, 1, 2);
const TileId kOther = TileId::at(0, 3, 4);
constexpr auto kFpu = static_cast<uint8_t>(isa::tensix::Unit::Fpu);

struct TimelineTest : testing::Test {
  Timeline timeline;

  void retire(Agent hart, Cycle cycle, uint32_t pc, TileId tile = kTile) {
    timeline.retired({tile, hart, cycle}, pc, 0x13);
  }
  void stand(Agent agent, Cycle cycle, emu::WaitMask what, bool polls = false, TileId tile = kTile) {
    timeline.stalled({tile, agent, cycle}, {.what = what, .polls = polls});
  }
  void work(Agent thread, emu::UnitWork work, TileId tile = kTile) {
    timeline.issued({tile, thread, work.came}, 0);
    timeline.worked({tile, thread, work.came}, work);
  }
  void answer(Agent hart, TileId source, Cycle arrival) {
    emu::Message message;
    message.kind = emu::MessageKind::ReadResponse;
    message.source = source;
    message.destination = kTile;
    message.arrival = arrival;
    timeline.packet_arrived(message);
    timeline.released({kTile, hart, arrival}, Agent::Inbox);
  }
  const std::vector<Wait>& waits(Agent agent, TileId tile = kTile) { return timeline.node(tile.node)->of(agent).waits; }
};

TEST_F(TimelineTest, APollingHartHasWaitedSinceItEnteredItsLoop) {
  retire(Agent::Brisc, 100, 0x100);
  retire(Agent::Brisc, 110, 0x104);
  for (Cycle turn = 120; turn < 200; turn += 20) {
    retire(Agent::Brisc, turn, 0x108);
    retire(Agent::Brisc, turn + 10, 0x10C);
  }
  stand(Agent::Brisc, 200, wait::kNiu, true);
  timeline.released({kTile, Agent::Brisc, 500}, Agent::Inbox);
  retire(Agent::Brisc, 510, 0x108);
  retire(Agent::Brisc, 520, 0x10C);
  stand(Agent::Brisc, 530, wait::kNiu, true);
  timeline.released({kTile, Agent::Brisc, 900}, Agent::Inbox);
  retire(Agent::Brisc, 910, 0x108);
  retire(Agent::Brisc, 920, 0x110);
  ASSERT_EQ(waits(Agent::Brisc).size(), 1u);
  const Wait& w = waits(Agent::Brisc)[0];
  EXPECT_EQ(w.begin, 140u);  // the first jump back
  EXPECT_EQ(w.end, 920u);
  EXPECT_EQ(w.reason, Reason::Noc);
  EXPECT_EQ(w.by, Agent::Inbox);
  EXPECT_EQ(w.released, 900u);
}

TEST_F(TimelineTest, PollingACounterOfABufferIsWaitingForPagesOrRoom) {
  const auto load = [&](Cycle cycle, uint32_t address) {
    timeline.accessed({kTile, Agent::Ncrisc, cycle}, emu::AccessKind::Load, address, 2, 0);
  };
  retire(Agent::Ncrisc, 90, 0x100);
  load(100, 0xFFB4'8028);  // tiles received of buffer 0: stream 8
  stand(Agent::Ncrisc, 100, wait::stream(8), false);
  retire(Agent::Ncrisc, 140, 0x104);
  load(150, 0xFFB5'8020);  // tiles acked of buffer 16
  stand(Agent::Ncrisc, 150, wait::stream(24), false);
  retire(Agent::Ncrisc, 170, 0x108);
  load(180, 0xFFB7'04A4);  // no counter of a buffer
  stand(Agent::Ncrisc, 180, wait::stream(48), false);
  retire(Agent::Ncrisc, 200, 0x10C);
  ASSERT_EQ(waits(Agent::Ncrisc).size(), 3u);
  const auto said = [&](int n) { return name(waits(Agent::Ncrisc)[n].reason, waits(Agent::Ncrisc)[n].credit); };
  EXPECT_EQ(said(0), "pages of buffer 0");
  EXPECT_EQ(said(1), "room in buffer 16");
  EXPECT_EQ(said(2), "stream");

  work(Agent::Thread0, {.unit = kFpu, .came = 100, .start = 100, .until = 200});
  const Utilisation u = utilisation(timeline, 100, 200);
  ASSERT_EQ(u.cores.size(), 1u);
  const auto& credits = u.cores[0].credits[static_cast<size_t>(Agent::Ncrisc)];
  ASSERT_EQ(credits.size(), 2u);
  EXPECT_DOUBLE_EQ(credits.at(Credit{0, false}), 0.40);
  EXPECT_DOUBLE_EQ(credits.at(Credit{16, true}), 0.20);
  EXPECT_NE(text(u, "").find("waits: pages of buffer 0 40.0 %, room in buffer 16 20.0 %, stream 20.0 %"),
            std::string::npos);
  const auto ncrisc = nlohmann::ordered_json::parse(json(u).dump(0))["cores"][0]["agents"]["NCRISC"];
  EXPECT_DOUBLE_EQ(ncrisc["waits"]["stream"], 0.80) << "all of them";
  EXPECT_DOUBLE_EQ(ncrisc["buffers"]["room in buffer 16"], 0.20);
}

TEST_F(TimelineTest, OfTwoComparedCountersTheStoredOneEndedTheWait) {
  const uint32_t received = 0xFFB4'8028, acked = 0xFFB4'8020;
  const auto wait_from = [&](Cycle cycle) {
    for (const uint32_t counter : {received, acked})
      timeline.accessed({kTile, Agent::Ncrisc, cycle}, emu::AccessKind::Load, counter, 4, 0);
    stand(Agent::Ncrisc, cycle, wait::stream(8), false);
  };
  timeline.accessed({kTile, Agent::Ncrisc, 90}, emu::AccessKind::Store, acked, 4, 0);  // its own, before it waits
  wait_from(100);
  timeline.accessed({kTile, Agent::Brisc, 130}, emu::AccessKind::Store, received, 4, 0);
  retire(Agent::Ncrisc, 140, 0x104);
  wait_from(150);
  timeline.accessed({kTile, Agent::Trisc0, 160}, emu::AccessKind::Store, acked, 4, 0);
  retire(Agent::Ncrisc, 170, 0x108);
  ASSERT_EQ(waits(Agent::Ncrisc).size(), 2u);
  EXPECT_EQ(waits(Agent::Ncrisc)[0].credit, (Credit{0, false}));
  EXPECT_EQ(waits(Agent::Ncrisc)[1].credit, (Credit{0, true}));
}

TEST_F(TimelineTest, AHartThatOnlyLoopsWorks) {
  for (Cycle turn = 0; turn < 100; turn += 10) {
    retire(Agent::Trisc0, turn, 0x200);
    retire(Agent::Trisc0, turn + 5, 0x204);
  }
  EXPECT_TRUE(waits(Agent::Trisc0).empty());
}

TEST_F(TimelineTest, AHartThatHasToStopWaitsFromThereOn) {
  retire(Agent::Trisc1, 10, 0x300);
  stand(Agent::Trisc1, 12, wait::fifo(1));
  retire(Agent::Trisc1, 62, 0x304);
  ASSERT_EQ(waits(Agent::Trisc1).size(), 1u);
  EXPECT_EQ(waits(Agent::Trisc1)[0].begin, 12u);
  EXPECT_EQ(waits(Agent::Trisc1)[0].end, 62u);
  EXPECT_EQ(waits(Agent::Trisc1)[0].reason, Reason::FifoRoom);
}

TEST_F(TimelineTest, AThreadWaitsForItsInstructionThenStallsUntilItStarts) {
  work(Agent::Thread1, {.unit = kFpu, .came = 10, .start = 10, .until = 11});
  stand(Agent::Thread1, 11, wait::semaphore(2));
  stand(Agent::Thread1, 20, wait::semaphore(2));
  stand(Agent::Thread1, 30, wait::kSrcB);
  work(Agent::Thread1, {.unit = kFpu, .lacked = Lacked::SrcA, .came = 50, .start = 58, .until = 59});
  work(Agent::Thread1, {.unit = kFpu, .came = 59, .start = 59, .until = 60});
  const auto& all = waits(Agent::Thread1);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(std::pair(all[0].begin, all[0].end), (std::pair<Cycle, Cycle>(11, 30)));
  EXPECT_EQ(all[0].reason, Reason::Semaphore);
  EXPECT_EQ(std::pair(all[1].begin, all[1].end), (std::pair<Cycle, Cycle>(30, 50)));
  EXPECT_EQ(all[1].reason, Reason::SrcB);
  EXPECT_EQ(std::pair(all[2].begin, all[2].end), (std::pair<Cycle, Cycle>(50, 58)));
  EXPECT_EQ(all[2].reason, Reason::SrcA);
  const auto& busy = timeline.node(kTile.node)->units[kFpu];
  ASSERT_EQ(busy.size(), 2u) << "work without a pause is one span";
  EXPECT_EQ(std::pair(busy[1].begin, busy[1].end), (std::pair<Cycle, Cycle>(58, 60)));
}

TEST_F(TimelineTest, UtilisationCountsOnlyWhatLiesInItsTime) {
  work(Agent::Thread1, {.unit = kFpu, .came = 0, .start = 0, .until = 150});
  stand(Agent::Thread1, 150, wait::kSrcA);
  timeline.link_taken({0, kTile, emu::LinkUse::Way::X, 90, 130, 0});
  timeline.link_taken({0, kTile, emu::LinkUse::Way::X, 130, 150, 20});
  const Utilisation u = utilisation(timeline, 100, 200);
  ASSERT_EQ(u.cores.size(), 1u);
  EXPECT_DOUBLE_EQ(u.cores[0].units[kFpu], 0.5);
  EXPECT_DOUBLE_EQ(u.of_agent(Agent::Thread1).mean, 0.5);
  EXPECT_DOUBLE_EQ(u.cores[0].waiting[static_cast<size_t>(Agent::Thread1)][static_cast<size_t>(Reason::SrcA)], 0.5);
  ASSERT_EQ(u.links.size(), 1u);
  EXPECT_DOUBLE_EQ(u.links[0].busy, 0.5);
  EXPECT_DOUBLE_EQ(u.links[0].queue, 0.2);
  EXPECT_EQ(link_name(u.links[0]), "NoC 0 (1,2) east");
  EXPECT_NE(heat_map_text(u, "").find("50"), std::string::npos);
  EXPECT_NE(heat_map_svg(u, "a < b").find("NoC 0 (1,2) east: 50.0 %"), std::string::npos);
}

// Without the letters in the squares and the number at the busiest link, which lie on what they name.
TEST_F(TimelineTest, NoTextsOfAHeatMapOverlap) {
  timeline.link_taken({0, kTile, emu::LinkUse::Way::X, 90, 130, 0});
  timeline.link_taken({1, kOther, emu::LinkUse::Way::Y, 90, 130, 0});
  const std::string svg = heat_map_svg(utilisation(timeline, 0, 200), "kerr matmul 1024 1024 1024: 51307 cycles");
  struct Box {
    std::string text;
    double left, right, top, bottom;
  };
  std::vector<Box> boxes;
  const std::regex pattern("<text x=\"(\\d+)\" y=\"(\\d+)\"([^>]*)>([^<]+)</text>");
  for (std::sregex_iterator it(svg.begin(), svg.end(), pattern), end; it != end; ++it) {
    const std::string attributes = (*it)[3], text = (*it)[4];
    if (attributes.find("pointer-events") != std::string::npos || attributes.find("bold") != std::string::npos)
      continue;
    const size_t at = attributes.find("font-size=\"");
    const double size = at == std::string::npos ? 11 : std::stod(attributes.substr(at + 11));
    const double wide = 0.62 * size * static_cast<double>(text.size());  // in a wide font
    const double x = std::stod((*it)[1]), y = std::stod((*it)[2]);
    const bool ends = attributes.find("\"end\"") != std::string::npos;
    const double left = ends ? x - wide : attributes.find("\"middle\"") != std::string::npos ? x - wide / 2 : x;
    boxes.push_back({text, left, left + wide, y - 0.8 * size, y + 0.2 * size});
  }
  ASSERT_GT(boxes.size(), 50u);
  const double width = std::stod(svg.substr(svg.find("width=\"") + 7));
  for (size_t i = 0; i < boxes.size(); ++i) {
    EXPECT_GE(boxes[i].left, 0) << boxes[i].text;
    EXPECT_LE(boxes[i].right, width) << boxes[i].text;
    for (size_t j = 0; j < i; ++j) {
      const Box &a = boxes[i], &b = boxes[j];
      EXPECT_FALSE(a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
          << "'" << a.text << "' and '" << b.text << "'";
    }
  }
  EXPECT_NE(svg.find(">busiest: NoC 0 (1,2) east, 20.0 %<"), std::string::npos);
}

TEST_F(TimelineTest, DramBanksCountTheBytesOfTheirThreePorts) {
  const arch::NocCoord port = arch::dram_tile(2, 1);
  emu::Message read;
  read.kind = emu::MessageKind::ReadRequest;
  read.destination = TileId::at(0, port.x, port.y);
  read.arrival = 10;
  read.length = 4096;
  timeline.packet_arrived(read);
  const Utilisation u = utilisation(timeline, 0, 1000);
  ASSERT_EQ(u.banks.size(), 1u);
  EXPECT_EQ(u.banks[0].bank, 2);
  EXPECT_EQ(u.banks[0].bytes, 4096u);
}

// BRISC of (3,4) works and sends; that lets NCRISC of (1,2) go on, which wakes BRISC of (1,2), which ends the program.
TEST_F(TimelineTest, TheCriticalPathFollowsWaitsThroughAgentsAndPackets) {
  for (const TileId tile : {kTile, kOther})
    work(Agent::Thread0, {.unit = kFpu, .came = 1, .start = 1, .until = 2}, tile);
  retire(Agent::Brisc, 0, 0x100, kOther);
  retire(Agent::Brisc, 400, 0x104, kOther);
  emu::Message packet;
  packet.kind = emu::MessageKind::Atomic;
  packet.source = kOther;
  packet.destination = kTile;
  packet.sent = 402;
  packet.arrival = 450;
  timeline.packet_left({}, packet, 0);
  timeline.accessed({kOther, Agent::Brisc, 400}, emu::AccessKind::Store, 0xFFB20028, 4, 0);
  stand(Agent::Brisc, 410, wait::kL1, false, kOther);

  retire(Agent::Ncrisc, 0, 0x200);
  stand(Agent::Ncrisc, 5, wait::kL1);
  retire(Agent::Brisc, 0, 0x100);
  stand(Agent::Brisc, 5, wait::kMailbox);
  timeline.packet_arrived(packet);
  timeline.released({kTile, Agent::Ncrisc, 450}, Agent::Inbox);
  retire(Agent::Ncrisc, 452, 0x204);
  retire(Agent::Ncrisc, 480, 0x208);
  timeline.released({kTile, Agent::Brisc, 480}, Agent::Ncrisc);
  retire(Agent::Brisc, 483, 0x104);
  retire(Agent::Brisc, 500, 0x108);
  stand(Agent::Brisc, 501, wait::kL1);

  const std::vector<PathSegment> path = critical_path(timeline, 0, 505);
  ASSERT_FALSE(path.empty());
  EXPECT_EQ(path.front().begin, 0u);
  EXPECT_EQ(path.back().end, 501u);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].begin, path[i - 1].end);
  const auto j = nlohmann::ordered_json::parse(json(path).dump(0));
  EXPECT_EQ(j["sums"],
            (nlohmann::ordered_json{{"BRISC works", 423}, {"packet to another tile", 50}, {"NCRISC works", 28}}))
      << j.dump(1);
  EXPECT_NE(text(path, "").find("(3,4) to (1,2)"), std::string::npos);
}

TEST_F(TimelineTest, AnAnswerOfTheNocIsTheWaitOfTheOneWhoAsked) {
  work(Agent::Thread0, {.unit = kFpu, .came = 1, .start = 1, .until = 2});
  retire(Agent::Brisc, 0, 0x100);
  stand(Agent::Brisc, 50, wait::kNiu);
  answer(Agent::Brisc, kOther, 350);
  retire(Agent::Brisc, 352, 0x104);
  stand(Agent::Brisc, 360, wait::kL1);
  const auto j = nlohmann::ordered_json::parse(json(critical_path(timeline, 0, 400)).dump(0));
  EXPECT_EQ(j["sums"], (nlohmann::ordered_json{{"BRISC waits: NoC", 302}, {"BRISC works", 58}})) << j.dump(1);
}

TEST_F(TimelineTest, ATransferFromDramIsToldFromOthers) {
  const arch::NocCoord bank = arch::dram_tile(0, 0);
  for (const TileId source : {kOther, TileId::at(0, bank.x, bank.y)}) {
    stand(Agent::Ncrisc, 10, wait::kNiu);
    answer(Agent::Ncrisc, source, 30);
    retire(Agent::Ncrisc, 31, 0x100);
  }
  EXPECT_EQ(waits(Agent::Ncrisc).at(0).reason, Reason::Noc);
  EXPECT_EQ(waits(Agent::Ncrisc).at(1).reason, Reason::Dram);
}

TEST_F(TimelineTest, ATraceIsJsonWithATrackForEachAgentUnitAndLink) {
  retire(Agent::Brisc, 100, 0x100);
  stand(Agent::Brisc, 110, wait::kL1);
  work(Agent::Thread1, {.unit = kFpu, .came = 120, .start = 120, .until = 140});
  timeline.link_taken({1, kOther, emu::LinkUse::Way::Y, 130, 135, 0});
  std::string out;
  write_trace([&](std::string_view part) { out += part; }, timeline, 100, 200, 1000);
  const auto trace = nlohmann::json::parse(out);
  std::map<std::string, int> names;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X") ++names[event["name"]];
    if (event["ph"] == "M" && event["name"] != "process_sort_index" && event["name"] != "thread_sort_index")
      ++names[event["args"]["name"]];
  }
  for (const char* name : {"tile (1,2)", "BRISC", "T1", "FPU", "NoC 1", "NoC 1 (3,4) north"})
    EXPECT_EQ(names[name], 1) << name;
  EXPECT_EQ(names["waits: L1"], 1);
  EXPECT_EQ(names["busy"], 1);
  EXPECT_EQ(names["packets"], 1);
}

}  // namespace
}  // namespace kerr::report

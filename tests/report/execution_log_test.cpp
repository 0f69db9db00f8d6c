// The lines of a few instructions that are told to a log, and who else is told.
#include "report/execution_log.hpp"

#include <gtest/gtest.h>

#include "emu/machine/machine.hpp"
#include "report/event_counts.hpp"
#include "report/observers.hpp"

namespace kerr::report {
namespace {

using emu::Agent;
using emu::TileId;

constexpr TileId kTile = TileId::at(0, 1, 2), kOther = TileId::at(0, 2, 2);
constexpr uint32_t kLi5 = 0x00500293, kRet = 0x00008067, kNop = 0x02000000;  // li t0, 5; ret; a Tensix word

struct Followed {
  explicit Followed(arch::Hart hart) {
    emu::Tile& tile = machine.chip(0).tiles.at_present(kTile.node);
    log.follow(tile, {.core = {1, 2}, .hart = hart, .begin = 0x100, .end = 0x108, .labels = {{0x104, "leave"}}});
  }
  emu::Machine machine{emu::Options{}};
  std::string lines;
  ExecutionLog log{[this](std::string_view more) { lines += more; }};
};

TEST(ExecutionLog, WritesALineForEachInstructionOfTheCodeAsSpikeDoes) {
  Followed f(arch::Hart::Ncrisc);
  f.log.retired({kTile, Agent::Ncrisc, 52348}, 0x100, kLi5);
  f.log.retired({kTile, Agent::Ncrisc, 52349}, 0x104, kRet);
  EXPECT_EQ(f.lines, "") << "nothing is written before there is much, or flush()";
  f.log.flush();
  EXPECT_EQ(f.lines,
            "core 1,2 ncrisc: 0x00000100 (0x00500293) li t0, 5                         # 52348 t0 = 0x00000000\n"
            "core 1,2 ncrisc: >>>>  leave\n"
            "core 1,2 ncrisc: 0x00000104 (0x00008067) ret                              # 52349\n")
      << "the register holds 0, as the hart has only been said to execute";
}

TEST(ExecutionLog, LeavesOutOtherCodeHartsAndTiles) {
  Followed f(arch::Hart::Brisc);
  f.log.retired({kTile, Agent::Brisc, 1}, 0xFC, kLi5);
  f.log.retired({kTile, Agent::Brisc, 1}, 0x108, kLi5);
  f.log.retired({kTile, Agent::Ncrisc, 1}, 0x100, kLi5);
  f.log.retired({kOther, Agent::Brisc, 1}, 0x100, kLi5);
  f.log.retired({TileId::at(1, 1, 2), Agent::Brisc, 1}, 0x100, kLi5);
  f.log.issued({kTile, Agent::Thread0, 1}, kNop);
  f.log.flush();
  EXPECT_EQ(f.lines, "");
  EXPECT_EQ(f.log.run({1, 2}, arch::Hart::Brisc), nullptr);
}

TEST(ExecutionLog, FollowsTheThreadThatATriscFeeds) {
  Followed f(arch::Hart::Trisc1);
  f.log.issued({kTile, Agent::Thread1, 77}, kNop);
  f.log.issued({kTile, Agent::Thread2, 77}, kNop);
  f.log.flush();
  EXPECT_EQ(f.lines, "core 1,2 t1:              (0x02000000) NOP                              # 77\n");
}

TEST(ExecutionLog, KnowsHowFarAHartHasCome) {
  Followed f(arch::Hart::Brisc);
  f.log.retired({kTile, Agent::Brisc, 10}, 0x100, kLi5);
  f.log.retired({kTile, Agent::Brisc, 14}, 0x104, kRet);
  const HartRun* const run = f.log.run({1, 2}, arch::Hart::Brisc);
  ASSERT_NE(run, nullptr);
  EXPECT_EQ(run->instructions, 2u);
  EXPECT_EQ(run->first, 10u);
  EXPECT_EQ(run->last, 14u);
  EXPECT_EQ(run->pc, 0x104u);
  EXPECT_EQ(f.log.run({2, 2}, arch::Hart::Brisc), nullptr);
}

TEST(Observers, AreAllToldOfEverything) {
  EventCounts first, second;
  Observers both({&first, &second});
  both.retired({kTile, Agent::Brisc, 1}, 0, kLi5);
  both.issued({kTile, Agent::Thread1, 1}, kNop);
  both.accessed({kTile, Agent::Brisc, 1}, emu::AccessKind::Load, 0x1000, 4, 0);
  emu::Message message;
  message.source = kTile;
  message.destination = kOther;
  both.packet_left({}, message, 0);
  both.packet_arrived(message);
  for (const EventCounts* counts : {&first, &second}) {
    const Events all = counts->total();
    EXPECT_EQ(all.instructions[static_cast<size_t>(Agent::Brisc)], 1u);
    EXPECT_EQ(all.instructions[static_cast<size_t>(Agent::Thread1)], 1u);
    EXPECT_EQ(all.accesses[static_cast<size_t>(Agent::Brisc)][0].loads, 1u);
  }
}

struct Quiet final : emu::Observer {
  bool wants_all = false;
  int retired_calls = 0;
  const bool& wants_all_retired(emu::TileId) const override { return wants_all; }
  void retired(const emu::Actor&, uint32_t, uint32_t) override { ++retired_calls; }
};

TEST(Observers, AQuietOneMakesNoHartTellAllInstructions) {
  Quiet loud, quiet;
  const Observers both({&loud}, &quiet), alone({}, &quiet);
  EXPECT_FALSE(both.wants_all_retired(kTile));
  EXPECT_FALSE(alone.wants_all_retired(kTile));
  loud.wants_all = true;
  EXPECT_TRUE(both.wants_all_retired(kTile)) << "the other one may want them";
  Observers({&loud}, &quiet).retired({kTile, Agent::Brisc, 1}, 0, kLi5);
  EXPECT_EQ(loud.retired_calls, 1);
  EXPECT_EQ(quiet.retired_calls, 0);
}

// EventCounts takes no notice of these.
struct Calls final : emu::Observer {
  int calls = 0;
  void chip_made(int, emu::Cycle) override { ++calls; }
  void tile_made(const emu::TileView&) override { ++calls; }
  void pushed(const emu::Actor&, int, uint32_t, uint32_t) override { ++calls; }
  void served(const emu::Message&, emu::Cycle) override { ++calls; }
  void host_accessed(const emu::Actor&, emu::AccessKind, uint64_t, uint64_t) override { ++calls; }
  void noted(const arch::note::Note&, emu::Cycle) override { ++calls; }
};

TEST(Observers, AreAllToldOfChipsTilesPushesServersAndTheHost) {
  Calls first, second;
  Observers both({&first, &second});
  emu::Machine machine{emu::Options{}};
  both.chip_made(0, 0);
  both.tile_made(machine.chip(0).tiles.at_present(kTile.node).view());
  both.pushed({}, 0, kNop, 1);
  both.served({}, 0);
  both.host_accessed({}, emu::AccessKind::Load, 0, 4);
  both.noted(arch::note::Freed{1}, 0);
  EXPECT_EQ(first.calls, 6);
  EXPECT_EQ(second.calls, 6);
}

}  // namespace
}  // namespace kerr::report

// Links in exact timing: how long ways take, who waits for whom, what a multicast occupies.
#include "emu/noc/exact_fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "emu/noc/fabric.hpp"
#include "emu/timing/timing.hpp"

namespace kerr::emu {
namespace {

Cycle busy(unsigned flits) { return timing::link_cycles(timing::kBlackhole, flits); }

constexpr TileId tile(int x, int y) { return TileId::at(0, x, y); }

/// Packets and when they arrive, by sequence.
struct Packets {
  /// Sends `bytes` (0: an ack of one flit) whose first flit leaves at `start`.
  std::uint64_t send(Cycle start, TileId from, TileId to, std::size_t bytes = 0, int noc = 0) {
    Message message = packet(start, from, noc, bytes);
    message.destination = to;
    messages_.push_back(message);
    return message.sequence;
  }
  std::vector<std::uint64_t> multicast(Cycle start, TileId from, const std::vector<TileId>& to, std::size_t bytes,
                                       int noc = 0, bool y_major = false) {
    Message message = packet(start, from, noc, bytes);
    message.multicast = true;
    message.y_major = y_major;
    std::vector<std::uint64_t> sequences;
    for (const TileId receiver : to) {
      message.destination = receiver;
      message.sequence = next_++;
      message.packet = sequences.empty() ? message.sequence : sequences.front();
      sequences.push_back(message.sequence);
      messages_.push_back(message);
    }
    return sequences;
  }
  /// Until everything has arrived, in windows of `window` cycles.
  void run(Cycle window = kExactWindowCycles) {
    Cycle end = 0;
    do {
      end += window;
      std::vector<Message> sent;
      std::erase_if(messages_, [&](Message& m) {
        const bool now = m.sent - flits(m) < end;
        if (now) sent.push_back(m);
        return now;
      });
      fabric.inject(sent);
      std::vector<Message> delivered;
      fabric.advance(end, delivered);
      for (const Message& m : delivered) {
        EXPECT_GE(m.arrival, end - window + kExactWindowCycles);
        arrival[m.sequence] = m.arrival;
      }
      EXPECT_TRUE(fabric.empty() || fabric.next_event() >= end);
    } while (!messages_.empty() || !fabric.empty());
  }

  ExactFabric fabric;
  std::map<std::uint64_t, Cycle> arrival;

  Message packet(Cycle start, TileId from, int noc, std::size_t bytes) {
    Message message;
    message.kind = bytes ? MessageKind::Write : MessageKind::WriteAck;
    message.payload = Payload(bytes);
    message.source = from;
    message.noc = static_cast<std::uint8_t>(noc);
    message.sequence = next_++;
    message.sent = start + flits(message);
    return message;
  }
  std::vector<Message> messages_;
  std::uint64_t next_ = 0;
};

class Fabric : public ::testing::Test, protected Packets {};

TEST_F(Fabric, TheNextTileIsTwentyTwoCyclesAway) {
  const auto ack = send(100, tile(1, 2), tile(2, 2));
  run();
  EXPECT_EQ(arrival[ack], 122u);
}

TEST_F(Fabric, AWayTakesNineCyclesAHopAndOneAFlitMore) {
  const auto far = send(0, tile(1, 2), tile(14, 5), 16384);
  const auto back = send(0, tile(14, 5), tile(1, 2), 64, 1);
  const auto round = send(0, tile(14, 5), tile(1, 2), 64, 0);
  run();
  EXPECT_EQ(arrival[far], 3 + 5 + 9 * (13 + 3) + 5 + 256u);
  EXPECT_EQ(arrival[back], 3 + 5 + 9 * (13 + 3) + 5 + 1u);
  EXPECT_EQ(arrival[round], 3 + 5 + 9 * (4 + 9) + 5 + 1u) << "NoC 0 runs east and south only";
}

TEST_F(Fabric, TwoPacketsThatShareALinkGoOneAfterTheOther) {
  const auto first = send(0, tile(1, 2), tile(5, 2), 1024);
  const auto second = send(0, tile(2, 2), tile(5, 3), 64);
  run();
  // The first comes to router (2,2) 9 cycles later than the second starts from there.
  EXPECT_EQ(arrival[second], 3 + 5 + 9 * 4 + 5 + 1u);
  EXPECT_EQ(arrival[first], 3 + 5 + 9 * 4 + 5 + 16u) << "its head is late enough";
}

TEST_F(Fabric, WhoComesLaterToALinkWaitsForAllFlits) {
  const auto first = send(0, tile(1, 2), tile(5, 2), 1024);   // 17 flits at (2,2) from cycle 17
  const auto second = send(10, tile(2, 2), tile(5, 3), 64);  // ready at (2,2) at cycle 18
  run();
  EXPECT_EQ(arrival[first], 3 + 5 + 9 * 4 + 5 + 16u);
  EXPECT_EQ(arrival[second], (17 + busy(17)) + 9 * 4 + 5 + 1u);
}

TEST_F(Fabric, AFarPacketDoesNotDelayANearOneThatReachesTheLinkFirst) {
  const auto far = send(0, tile(1, 2), tile(14, 2), 16384);  // its head is at (10,2) at cycle 8 + 9 * 9 = 89
  const auto before = send(40, tile(10, 2), tile(11, 2));    // sent later, at the link at cycle 48
  const auto behind = send(82, tile(10, 2), tile(11, 2));    // at the link at cycle 90, one behind the far one
  run();
  EXPECT_EQ(arrival[before], 40 + 22u);
  EXPECT_EQ(arrival[far], 3 + 5 + 9 * 13 + 5 + 256u);
  EXPECT_EQ(arrival[behind], 89 + busy(257) + 9 + 5u);
}

TEST_F(Fabric, TheNocsHaveLinksOfTheirOwnAndSoHaveTheDirections) {
  const auto east = send(0, tile(2, 2), tile(4, 2), 16384);
  const auto south = send(0, tile(2, 2), tile(2, 4), 16384);  // as if from another NIU: the fabric sees no NIU
  const auto west = send(0, tile(4, 2), tile(2, 2), 16384, 1);
  run();
  for (const auto sequence : {east, south, west}) EXPECT_EQ(arrival[sequence], 3 + 5 + 18 + 5 + 256u);
}

TEST_F(Fabric, TheWayIntoTheDestinationIsALinkToo) {
  const auto from_west = send(0, tile(1, 5), tile(3, 5), 640);
  const auto from_north = send(0, tile(3, 3), tile(3, 5), 640);
  run();
  EXPECT_EQ(std::min(arrival[from_west], arrival[from_north]), 3 + 5 + 18 + 5 + 10u);
  EXPECT_EQ(std::max(arrival[from_west], arrival[from_north]), 3 + 5 + 18 + 5 + 10u + busy(11));
}

TEST_F(Fabric, AMulticastReachesEveryReceiverAsAUnicastWould) {
  std::vector<TileId> to;
  for (int x = 2; x <= 6; ++x) {
    for (int y = 3; y <= 7; ++y) to.push_back(tile(x, y));
  }
  const auto sequences = multicast(0, tile(1, 3), to, 2048);
  run();
  for (std::size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(arrival[sequences[i]], 3 + 5 + 9 * hops(0, tile(1, 3), to[i]) + 5 + 32u) << i;
}

TEST_F(Fabric, AMulticastOccupiesEachLinkOnce) {
  multicast(0, tile(1, 2), {tile(4, 2), tile(4, 5), tile(4, 7), tile(6, 2)}, 1024);  // 17 flits
  const auto behind = send(1, tile(2, 2), tile(3, 2));
  const auto after = send(18, tile(2, 2), tile(3, 2));
  run();
  EXPECT_EQ(arrival[behind], 1 + 3 + 5 + 9 + 5u) << "before the multicast comes by";
  EXPECT_EQ(arrival[after], (17 + busy(17)) + 9 + 5u) << "behind it: 17 flits, not four times as many";
}

TEST_F(Fabric, TheMajorAxisOfAMulticastSaysWhichLinksItTakes) {
  for (const bool y_major : {false, true}) {
    const Cycle start = y_major ? 1000 : 0;
    multicast(start, tile(1, 2), {tile(4, 6)}, 16384, 0, y_major);
    const auto row = send(start + 10, tile(2, 2), tile(3, 2));
    const auto column = send(start + 10, tile(1, 3), tile(1, 4));
    run();
    const Cycle unloaded = start + 10 + 22;
    EXPECT_EQ(arrival[row] > unloaded, !y_major);
    EXPECT_EQ(arrival[column] > unloaded, y_major);
  }
}

TEST_F(Fabric, ResultsDoNotDependOnHowOftenItIsAsked) {
  std::map<std::uint64_t, Cycle> expected;
  for (const Cycle window : {22, 1, 7, 13}) {
    Packets other;
    std::mt19937 random(7);
    std::map<std::pair<int, int>, Cycle> free;  // a NIU sends one flit a cycle
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    Cycle start = 0;
    for (int i = 0; i < 300; ++i) {
      start += static_cast<Cycle>(below(6));
      const TileId from = tile(below(17), below(12));
      const TileId to = tile(below(17), below(12));
      const int noc = below(2);
      if (from == to) continue;
      const auto bytes = static_cast<std::size_t>(64 * below(20));
      Cycle& niu = free[{from.node, noc}];
      niu = std::max(niu, start) + 40;
      other.send(niu, from, to, bytes, noc);
    }
    other.run(window);
    if (expected.empty()) expected = other.arrival;
    EXPECT_EQ(other.arrival, expected) << window;
  }
}

TEST_F(Fabric, PacketsOfOneWayDoNotOvertake) {
  std::mt19937 random(3);
  Cycle free = 0;
  std::vector<std::uint64_t> sequences;
  for (int i = 0; i < 200; ++i) {
    const std::size_t bytes = 64 * (random() % 30);
    sequences.push_back(send(free, tile(3, 3), tile(10, 9), bytes));
    free += 1 + bytes / 64;
    for (int other = 0; other < 3; ++other) {
      const TileId from = tile(static_cast<int>(random() % 17), static_cast<int>(random() % 12));
      if (from != tile(10, 9) && from != tile(3, 3)) send(free + random() % 100, from, tile(10, 9), 640);
    }
  }
  run();
  for (std::size_t i = 1; i < sequences.size(); ++i) EXPECT_LT(arrival[sequences[i - 1]], arrival[sequences[i]]) << i;
}

TEST(FabricObserver, IsToldOfEveryLinkThatAPacketTakesOnceAndHowLongItsHeadWaited) {
  struct Notes final : Observer {
    void link_taken(const LinkUse& use) override { all.push_back(use); }
    std::vector<LinkUse> all;
  } notes;
  ExactFabric fabric(timing::kBlackhole, &notes);
  Packets other;
  std::vector<Message> sent;
  for (const int x : {1, 2}) {
    Message m = other.packet(0, tile(x, 2), 0, 1024);
    m.destination = tile(3, 2);
    sent.push_back(m);
  }
  fabric.inject(sent);
  std::vector<Message> delivered;
  fabric.advance(1000, delivered);
  ASSERT_EQ(delivered.size(), 2u);
  ASSERT_EQ(notes.all.size(), 5u) << "(1,2) east; (2,2) east twice; into (3,2) twice";
  Cycle waited = 0;
  for (const LinkUse& use : notes.all) {
    EXPECT_EQ(use.end - use.begin, busy(17));
    EXPECT_EQ(use.noc, 0);
    EXPECT_EQ(use.way, use.from == tile(3, 2) ? LinkUse::Way::Exit : LinkUse::Way::X);
    waited += use.waited;
  }
  EXPECT_EQ(waited, busy(17) - 9) << "the head from (1,2) comes nine cycles after the other";
}

}  // namespace
}  // namespace kerr::emu

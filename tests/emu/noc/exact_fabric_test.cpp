// Links in exact timing: how long ways take, who waits for whom, what a multicast occupies. docs/hardware/noc.md 6.1
#include "emu/noc/exact_fabric.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>

#include "emu/noc/fabric.hpp"
#include "emu/snapshot/chunk_file.hpp"
#include "emu/timing/timing.hpp"

namespace kerr::emu {
namespace {

constexpr TileId tile(int x, int y) { return TileId::at(0, x, y); }

constexpr uint8_t kAny = 0xFF;  // virtual channel: the router's choice

/// Packets and when they arrive, by sequence.
struct Packets {
  explicit Packets(const timing::Parameters& parameters = timing::kBlackhole, Observer* observer = nullptr)
      : fabric(parameters, observer) {}
  /// Sends `bytes` (0: an ack of one flit) whose first flit leaves at `start`, on the virtual channel `vc`.
  uint64_t send(Cycle start, TileId from, TileId to, size_t bytes = 0, int noc = 0, uint8_t vc = 1) {
    Message message = packet(start, from, noc, bytes);
    message.destination = to;
    message.static_vc = vc != kAny;
    message.vc = vc == kAny ? uint8_t{0} : vc;
    messages_.push_back(message);
    return message.sequence;
  }
  /// The request for `bytes`; as soon as it arrives they are sent.
  uint64_t read(Cycle start, TileId from, TileId to, size_t bytes, int noc = 0, uint8_t vc = 1) {
    const uint64_t sequence = send(start, from, to, 0, noc, vc);
    messages_.back().kind = MessageKind::ReadRequest;
    messages_.back().length = static_cast<uint32_t>(bytes);
    return sequence;
  }
  std::vector<uint64_t> multicast(Cycle start, TileId from, const std::vector<TileId>& to, size_t bytes, int noc = 0,
                                  bool y_major = false, bool linked = false) {
    Message message = packet(start, from, noc, bytes);
    message.multicast = true;
    message.y_major = y_major;
    message.linked = linked;
    std::vector<uint64_t> sequences;
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
      std::vector<Message> leaving;
      std::erase_if(messages_, [&](Message& m) {
        const bool now = m.sent - flits(m) < end;
        if (now) leaving.push_back(m);
        return now;
      });
      sent += leaving.size();
      fabric.inject(leaving);
      std::vector<Message> delivered;
      fabric.advance(end, delivered);
      for (const Message& m : delivered) {
        EXPECT_GE(m.arrival, end - window + kExactWindowCycles);
        arrival[m.sequence] = m.arrival;
        if (m.kind == MessageKind::ReadRequest) answer(m);
      }
      EXPECT_TRUE(fabric.empty() || fabric.next_event() >= end);
      if (each_window) each_window(end);
      if (end > kTooLong) return;
    } while (!messages_.empty() || !fabric.empty());
  }
  static constexpr Cycle kTooLong = 3'000'000;
  std::function<void(Cycle)> each_window;

  ExactFabric fabric;
  std::map<uint64_t, Cycle> arrival;
  size_t sent = 0;

  void answer(const Message& request) {
    Cycle& free = answered_[{request.destination.node, request.noc}];
    free = std::max(free, request.arrival);
    Message message = packet(free, request.destination, request.noc, request.length);
    message.kind = MessageKind::ReadResponse;
    message.destination = request.source;
    free = message.sent;
    messages_.push_back(message);
  }

  Message packet(Cycle start, TileId from, int noc, size_t bytes) {
    Message message;
    message.kind = bytes ? MessageKind::Write : MessageKind::WriteAck;
    message.payload = Payload(bytes);
    message.source = from;
    message.noc = static_cast<uint8_t>(noc);
    message.sequence = next_++;
    message.sent = start + flits(message);
    return message;
  }
  std::vector<Message> messages_;
  std::map<std::pair<int, int>, Cycle> answered_;  // until when a NIU sends what was read
  uint64_t next_ = 0;
};

class Fabric : public ::testing::Test, protected Packets {};

std::vector<uint8_t> saved(ExactFabric& fabric) {
  MemorySink sink;
  SaveArchive archive(sink);
  archive(fabric);
  return sink.data;
}

class Bytes final : public ByteSource {
 public:
  explicit Bytes(const std::vector<uint8_t>& bytes) : bytes_(bytes) {}
  void read(std::span<uint8_t> out) override {
    if (bytes_.size() - at_ < out.size()) throw SnapshotError("no more bytes");
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(at_), out.size(), out.begin());
    at_ += out.size();
  }

 private:
  const std::vector<uint8_t>& bytes_;
  size_t at_ = 0;
};

void restore(ExactFabric& fabric, const std::vector<uint8_t>& file, Cycle now) {
  std::destroy_at(&fabric);
  std::construct_at(&fabric);
  Bytes bytes(file);
  LoadArchive archive(bytes);
  archive(fabric);
  fabric.resume(now);
}

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

TEST_F(Fabric, WhoComesFirstToALinkGoesFirst) {
  const auto first = send(0, tile(1, 2), tile(5, 2), 1024);
  const auto second = send(0, tile(2, 2), tile(5, 3), 64);
  run();
  // The first comes to router (2,2) 9 cycles later than the second starts from there.
  EXPECT_EQ(arrival[second], 3 + 5 + 9 * 4 + 5 + 1u);
  EXPECT_EQ(arrival[first], 3 + 5 + 9 * 4 + 5 + 16u) << "its head is late enough";
}

TEST_F(Fabric, OnOneVirtualChannelALaterPacketWaitsForAllFlits) {
  const auto first = send(0, tile(1, 2), tile(5, 2), 1024);  // 17 flits at (2,2) from cycle 17
  const auto second = send(10, tile(2, 2), tile(5, 3), 64);  // ready at (2,2) at cycle 18
  run();
  EXPECT_EQ(arrival[first], 3 + 5 + 9 * 4 + 5 + 16u);
  EXPECT_EQ(arrival[second], (17 + 17) + 9 * 4 + 5 + 1u);
}

TEST_F(Fabric, OnTwoVirtualChannelsFlitsTakeTurns) {
  const auto first = send(0, tile(1, 2), tile(5, 2), 1024, 0, 0);  // 17 flits at (2,2) from cycle 17
  const auto second = send(10, tile(2, 2), tile(5, 3), 64, 0, 1);  // 2 flits from cycle 18: second and fourth
  run();
  EXPECT_EQ(arrival[second], 3 + 5 + 10 + 9 * 4 + 5 + 1 + 1u);
  EXPECT_EQ(arrival[first], 3 + 5 + 9 * 4 + 5 + 16 + 2u);
}

TEST_F(Fabric, WhatIsNotPinnedTakesTheOtherChannelOfItsClass) {
  send(0, tile(1, 2), tile(5, 2), 16384, 0, 0);
  const auto pinned = send(20, tile(2, 2), tile(3, 2), 64, 0, 0);
  const auto free = send(20, tile(2, 2), tile(4, 2), 64, 0, kAny);
  run();
  EXPECT_GT(arrival[pinned], 257u);
  EXPECT_LT(arrival[free], 70u);
}

// A: (2,2) to (4,2). B stands before the way into (4,2), which A's packet of another source keeps: C, behind B, cannot
// go past it on the same channel, though its own way is free.
TEST_F(Fabric, APacketThatStandsHoldsUpWhatIsBehindItOnItsChannel) {
  send(0, tile(4, 1), tile(4, 3), 16384);                          // down column 4: holds channel 1 of (4,2) south
  const auto turns = send(20, tile(2, 2), tile(4, 4), 4096);       // wants that channel; its flits fill the row
  const auto behind = send(60, tile(3, 2), tile(6, 2), 64);        // same channel of the row
  const auto beside = send(60, tile(3, 2), tile(7, 2), 64, 0, 0);  // another channel
  run();
  EXPECT_GT(arrival[turns], 8 + 9 + 257 + 65u);
  EXPECT_GT(arrival[behind], 250u);
  EXPECT_EQ(arrival[beside], 60 + 3 + 5 + 9 * 4 + 5 + 1u);
}

TEST_F(Fabric, WhatLeavesDoesNotWaitForWhatGoesOn) {
  send(0, tile(4, 1), tile(4, 3), 16384);
  send(20, tile(2, 2), tile(4, 4), 448);                     // 8 flits, in the buffer of (4,2)
  const auto leaves = send(60, tile(3, 2), tile(4, 2), 64);  // comes behind them
  run();
  EXPECT_EQ(arrival[leaves], 60 + 3 + 5 + 9 + 5 + 1u);
}

TEST_F(Fabric, TwoStreamsRoundARingLoseAQuarterOfItsLinks) {
  // docs/hardware/timing.md 7.5: 49.5 bytes a cycle on silicon, of 64, for two pairs of neighbours on NoC 1.
  constexpr Cycle packets = 32;
  for (const int x : {1, 3})
    for (Cycle i = 0; i < packets; ++i) send(257 * i, tile(x, 2), tile(x + 1, 2), 16384, 1);
  run();
  Cycle last = 0;
  for (const auto& [sequence, when] : arrival) last = std::max(last, when);
  EXPECT_NEAR(2.0 * packets * 16384 / static_cast<double>(last), 49.5, 1.0);
}

TEST_F(Fabric, ALoneStreamTakesAFlitACycle) {
  constexpr Cycle packets = 32;
  for (Cycle i = 0; i < packets; ++i) send(257 * i, tile(3, 2), tile(2, 2), 16384);
  run();
  EXPECT_EQ(arrival[packets - 1], 3 + 5 + 16 * 9 + 5 + packets * 257 - 1);
}

TEST_F(Fabric, AFarPacketDoesNotDelayANearOneThatReachesTheLinkFirst) {
  const auto far = send(0, tile(1, 2), tile(14, 2), 16384);    // its head is at (10,2) at cycle 8 + 9 * 9 = 89
  const auto before = send(40, tile(10, 2), tile(11, 2), 64);  // sent later, at the link at cycle 48
  const auto behind = send(82, tile(10, 2), tile(11, 2), 64);  // at the link at cycle 90, one behind the far one
  run();
  EXPECT_EQ(arrival[before], 40 + 22 + 1u);
  EXPECT_EQ(arrival[far], 3 + 5 + 9 * 13 + 5 + 256u);
  EXPECT_EQ(arrival[behind], 89 + 257 + 9 + 5 + 1u);
}

TEST_F(Fabric, TheNocsHaveLinksOfTheirOwnAndSoHaveTheDirections) {
  const auto east = send(0, tile(2, 2), tile(4, 2), 16384);
  const auto west = send(0, tile(4, 2), tile(2, 2), 16384, 1);
  const auto south = send(0, tile(3, 1), tile(3, 3), 16384);
  run();
  for (const auto sequence : {east, south, west}) EXPECT_EQ(arrival[sequence], 3 + 5 + 18 + 5 + 256u);
}

TEST_F(Fabric, TheWayIntoTheDestinationIsALinkToo) {
  const auto from_west = send(0, tile(1, 5), tile(3, 5), 640);
  const auto from_north = send(0, tile(3, 3), tile(3, 5), 640);
  run();
  EXPECT_EQ(std::min(arrival[from_west], arrival[from_north]), 3 + 5 + 18 + 5 + 10u);
  EXPECT_EQ(std::max(arrival[from_west], arrival[from_north]), 3 + 5 + 18 + 5 + 10u + 11);
}

TEST_F(Fabric, AMulticastReachesEveryReceiverAsAUnicastWould) {
  std::vector<TileId> to;
  for (int x = 2; x <= 6; ++x) {
    for (int y = 3; y <= 7; ++y) to.push_back(tile(x, y));
  }
  const auto sequences = multicast(0, tile(1, 3), to, 2048);
  run();
  for (size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(arrival[sequences[i]], 3 + 5 + 9 * hops(0, tile(1, 3), to[i]) + 5 + 32u) << i;
}

TEST_F(Fabric, AMulticastOccupiesEachLinkOnce) {
  multicast(0, tile(1, 2), {tile(4, 2), tile(4, 5), tile(4, 7), tile(6, 2)}, 1024);  // 17 flits
  const auto beside = send(0, tile(2, 2), tile(3, 2), 6400);
  run();
  EXPECT_EQ(arrival[beside], 3 + 5 + 9 + 5 + 100 + 17u) << "their flits take turns: 17, not four times as many";
}

TEST_F(Fabric, TheMajorAxisOfAMulticastSaysWhichLinksItTakes) {
  for (const bool y_major : {false, true}) {
    const Cycle start = y_major ? 1000 : 0;
    multicast(start, tile(1, 2), {tile(4, 6)}, 16384, 0, y_major);
    const auto row = send(start + 10, tile(2, 2), tile(3, 2), 640);
    const auto column = send(start + 10, tile(1, 3), tile(1, 4), 640);
    run();
    const Cycle unloaded = start + 10 + 22 + 10;
    EXPECT_EQ(arrival[row] > unloaded, !y_major);
    EXPECT_EQ(arrival[column] > unloaded, y_major);
  }
}

TEST_F(Fabric, AMulticastWaitsUntilItsWholeTreeIsFree) {
  const auto first = multicast(0, tile(1, 2), {tile(2, 2), tile(3, 2), tile(4, 2)}, 16384);
  const auto crossing =
      multicast(60, tile(3, 1), {tile(3, 2), tile(4, 2)}, 64, 0, true);  // (3,2) east is the first one's
  const auto elsewhere = multicast(60, tile(3, 1), {tile(3, 3)}, 64);
  run();
  EXPECT_EQ(arrival[first[2]], 3 + 5 + 27 + 5 + 256u);
  EXPECT_GT(arrival[crossing[0]], 257u) << "also where nothing is in its way";
  EXPECT_GT(arrival[elsewhere[0]], arrival[crossing[0]] - 9) << "a NIU's multicasts keep their order";
}

TEST_F(Fabric, AMulticastThatWaitsIsNotPassedByLaterOnesThatWantItsLinks) {
  multicast(0, tile(3, 2), {tile(4, 2)}, 16384);
  const auto waits = multicast(20, tile(1, 2), {tile(2, 2), tile(4, 2)}, 64);
  const auto later = multicast(60, tile(2, 2), {tile(3, 2)}, 16384);  // its only link is free, but the other one's
  run();
  EXPECT_LT(arrival[waits[1]], arrival[later[0]]);
}

TEST_F(Fabric, MulticastsOfALinkedTrainFollowEachOther) {
  const std::vector<TileId> row{tile(2, 2), tile(9, 2)};
  const auto first = multicast(0, tile(1, 2), row, 1024, 0, false, true);
  const auto second = multicast(17, tile(1, 2), row, 1024, 0, false, true);
  const auto other = multicast(5000, tile(1, 2), row, 1024);
  const auto later = multicast(5017, tile(1, 2), row, 1024);
  run();
  EXPECT_EQ(arrival[second[1]], arrival[first[1]] + 17);
  EXPECT_GE(arrival[later[1]], arrival[other[1]] + 17 + 8 * 9) << "without a train it waits until its way is empty";
}

TEST_F(Fabric, ADramTileWorksOnSoManyReadsUntilTheirDataHaveLeft) {
  const Cycle most = timing::kBlackhole.dram_reads;
  std::vector<uint64_t> reads;
  for (Cycle i = 0; i < most + 2; ++i) reads.push_back(read(i, tile(1, 3), tile(0, 5), 2048));
  run();
  for (Cycle i = 1; i < most; ++i) EXPECT_EQ(arrival[reads[i]], arrival[reads[0]] + i);
  // Into the router, 33 flits, a hop until the exits know of it.
  const Cycle left = arrival[reads[0]] + timing::kBlackhole.noc_inject + timing::kBlackhole.noc_niu_to_router + 32;
  EXPECT_EQ(arrival[reads[most]], left + timing::kBlackhole.noc_hop + timing::kBlackhole.noc_router_to_niu);
  EXPECT_EQ(arrival[reads[most + 1]], arrival[reads[most]] + 33);
}

TEST_F(Fabric, ReadsThatWaitForDramHoldUpWhatIsBehindThemOnTheirChannel) {
  const Cycle count = timing::kBlackhole.dram_reads + 2 * timing::kBlackhole.noc_channel_flits;
  for (Cycle i = 0; i < count; ++i) read(i, tile(1, 3), tile(0, 5), 16384);
  const uint64_t behind = read(count, tile(1, 3), tile(0, 8), 64);
  const uint64_t other = send(count + 1, tile(1, 3), tile(0, 8), 64, 0, 2);
  const uint64_t into = send(count + 3, tile(1, 3), tile(0, 5), 64, 0, 2);
  run();
  EXPECT_GT(arrival[behind], timing::kBlackhole.noc_channel_flits * 257) << "until a buffer has room for it";
  EXPECT_LT(arrival[other], 300);
  EXPECT_LT(arrival[into], 300) << "writes are no reads";
}

TEST_F(Fabric, OnlyDramTilesLetReadsWait) {
  const uint64_t first = read(0, tile(1, 3), tile(2, 3), 16384);
  uint64_t last = 0;
  for (Cycle i = 1; i < 20; ++i) last = read(i, tile(1, 3), tile(2, 3), 16384);
  run();
  EXPECT_EQ(arrival[last], arrival[first] + 19);
}

/// Traffic of all kinds, more than the links can carry for a while.
void send_at_random(Packets& packets, unsigned seed, int count) {
  std::mt19937 random(seed);
  std::map<std::pair<int, int>, Cycle> free;  // a NIU sends one flit a cycle
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Cycle start = 0;
  for (int i = 0; i < count; ++i) {
    start += static_cast<Cycle>(below(6));
    const int x = below(17);
    const TileId from = tile(x % 9 == 0 ? x + 1 : x, below(12));  // DRAM tiles only answer
    const int noc = below(2);
    const auto bytes = static_cast<size_t>(below(4) == 0 ? 16384 : 64 * below(20));

    Cycle& niu = free[{from.node, noc}];
    niu = std::max(niu, start);
    if (below(10) == 0) {
      std::vector<TileId> to;
      const int x0 = below(14), y0 = below(9);
      for (int column = x0; column <= x0 + below(3); ++column) {
        for (int row = y0; row <= y0 + below(3); ++row) {
          const TileId there = tile(column, row);
          if (there != from && std::find(to.begin(), to.end(), there) == to.end()) to.push_back(there);
        }
      }
      if (!to.empty()) packets.multicast(niu, from, to, bytes, noc, below(2) == 0, below(2) == 0);
    } else {
      const TileId to = below(2) == 0 ? tile(9 * below(2), below(12)) : tile(below(17), below(12));
      if (from == to) continue;
      const uint8_t vc = below(3) == 0 ? kAny : static_cast<uint8_t>(below(8));
      if (to.x() % 9 == 0 && below(3) != 0) {
        packets.read(niu++, from, to, bytes, noc, vc);
        continue;
      }
      packets.send(niu, from, to, bytes, noc, vc);
    }
    niu += 1 + bytes / 64;
  }
}

TEST_F(Fabric, EverythingArrivesHoweverSmallTheBuffers) {
  for (const Cycle flits : {1, 2, 5, 16, 32}) {
    timing::Parameters parameters;
    parameters.noc_channel_flits = flits;
    for (unsigned seed = 0; seed < 3; ++seed) {
      Packets other(parameters);
      send_at_random(other, seed, 400);
      other.run();
      EXPECT_TRUE(other.fabric.empty()) << flits;
      EXPECT_EQ(other.arrival.size(), other.sent) << flits;
    }
  }
}

TEST_F(Fabric, ResultsDoNotDependOnHowOftenItIsAsked) {
  std::map<uint64_t, Cycle> expected;
  for (const Cycle window : {22, 1, 7, 13}) {
    Packets other;
    send_at_random(other, 7, 500);
    other.run(window);
    if (expected.empty()) expected = other.arrival;
    EXPECT_EQ(other.arrival, expected) << window;
  }
}

TEST_F(Fabric, ARestoredOneGoesOnLikeTheSavedOne) {
  Packets whole;
  send_at_random(whole, 11, 400);
  whole.run();
  for (const Cycle at : {220, 1100, 4400}) {
    Packets other;
    send_at_random(other, 11, 400);
    other.each_window = [&](Cycle end) {
      if (end != at) return;
      EXPECT_FALSE(other.fabric.empty());
      const std::vector<uint8_t> file = saved(other.fabric);
      restore(other.fabric, file, end);
      EXPECT_EQ(saved(other.fabric), file);
    };
    other.run();
    EXPECT_EQ(other.arrival, whole.arrival) << at;
  }
}

// Asan and the library's assertions watch.
TEST_F(Fabric, AFileThatMakesNoSenseIsRefusedOrRunsOn) {
  std::mt19937 random(5);
  int refused = 0, ran = 0;
  for (unsigned seed = 0; seed < 5; ++seed) {
    Packets other;
    send_at_random(other, seed, 60);
    other.each_window = [&](Cycle end) {
      if (end != 220) return;
      const std::vector<uint8_t> file = saved(other.fabric);
      for (int i = 0; i < 60; ++i) {
        std::vector<uint8_t> changed = file;
        changed[random() % changed.size()] = static_cast<uint8_t>(random());
        changed[random() % changed.size()] ^= static_cast<uint8_t>(1u << random() % 8);
        if (random() % 10 == 0) changed.resize(random() % changed.size());
        const auto restored = std::make_unique<ExactFabric>();
        try {
          restore(*restored, changed, end);
          std::vector<Message> delivered;
          for (Cycle later = end; later < end + 4400; later += kExactWindowCycles) restored->advance(later, delivered);
          ++ran;
        } catch (const SnapshotError&) {
          ++refused;
        }
      }
    };
    other.run();
  }
  EXPECT_GT(refused, 10);
  EXPECT_GT(ran, 10);
}

TEST_F(Fabric, PacketsOfOneWayDoNotOvertake) {
  std::mt19937 random(3);
  Cycle free = 0;
  std::vector<uint64_t> sequences;
  for (int i = 0; i < 200; ++i) {
    const size_t bytes = 64 * (1 + random() % 30);
    sequences.push_back(send(free, tile(3, 3), tile(10, 9), bytes));
    free += 1 + bytes / 64;
    for (int other = 0; other < 3; ++other) {
      const TileId from = tile(static_cast<int>(random() % 17), static_cast<int>(random() % 12));
      if (from != tile(10, 9) && from != tile(3, 3)) send(free + random() % 100, from, tile(10, 9), 640);
    }
  }
  run();
  for (size_t i = 1; i < sequences.size(); ++i) EXPECT_LT(arrival[sequences[i - 1]], arrival[sequences[i]]) << i;
}

TEST(FabricObserver, IsToldOfEveryFlitOnEveryLinkAndHowLongHeadsWaited) {
  struct Notes final : Observer {
    void link_taken(const LinkUse& use) override { all.push_back(use); }
    std::vector<LinkUse> all;
  } notes;
  Packets packets(timing::kBlackhole, &notes);
  for (const int x : {1, 2}) packets.send(0, tile(x, 2), tile(3, 2), 1024);
  packets.run();
  std::map<std::pair<TileId, LinkUse::Way>, Cycle> busy, until;
  Cycle waited = 0;
  for (const LinkUse& use : notes.all) {
    EXPECT_EQ(use.noc, 0);
    const auto link = std::pair(use.from, use.way);
    EXPECT_GE(use.begin, until[link]) << "in the order of time, no cycle twice";
    until[link] = use.end;
    busy[link] += use.end - use.begin;
    waited += use.waited;
  }
  const std::map<std::pair<TileId, LinkUse::Way>, Cycle> expected{
      {{tile(1, 2), LinkUse::Way::X}, 17}, {{tile(2, 2), LinkUse::Way::X}, 34}, {{tile(3, 2), LinkUse::Way::Exit}, 34}};
  EXPECT_EQ(busy, expected);
  EXPECT_EQ(waited, 17 - 9u) << "the head from (1,2) comes nine cycles after the other";
}

}  // namespace
}  // namespace kerr::emu

// How much later a seed lets packets arrive.   docs/hardware/noc.md 6.2
#include "emu/noc/reorder.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace kerr::emu {
namespace {

Message message(MessageKind kind, uint64_t sequence = 0) {
  Message m;
  m.source = TileId::at(0, 1, 2);
  m.destination = TileId::at(0, 5, 6);
  m.vc = 1;
  m.static_vc = true;
  m.kind = kind;
  m.sequence = sequence;
  return m;
}

TEST(Reorder, WithoutASeedNothingIsLate) {
  EXPECT_EQ(Reorder().extra(message(MessageKind::Write)), 0u);
  EXPECT_EQ(Reorder(std::nullopt).extra(message(MessageKind::WriteAck, 7)), 0u);
}

TEST(Reorder, WritesAndAtomicsOfOneFlowKeepTheirOrder) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Reorder reorder(seed);
    const Cycle first = reorder.extra(message(MessageKind::Write, 1));
    EXPECT_EQ(reorder.extra(message(MessageKind::Write, 2)), first);
    EXPECT_EQ(reorder.extra(message(MessageKind::InlineWrite, 3)), first);
    EXPECT_EQ(reorder.extra(message(MessageKind::Atomic, 4)), first);
    EXPECT_LE(first, Reorder::kMostCycles);
  }
}

TEST(Reorder, NoReadPassesAWriteButAWriteMayPassARead) {
  unsigned passed = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const Reorder reorder(seed);
    const Cycle write = reorder.extra(message(MessageKind::Write, 1));
    const Cycle read = reorder.extra(message(MessageKind::ReadRequest, 2));
    EXPECT_GE(read, write);
    EXPECT_LE(read, Reorder::kMostCycles);
    EXPECT_EQ(reorder.extra(message(MessageKind::ReadRequest, 3)), read);
    passed += read > write;
    Message linked = message(MessageKind::ReadRequest, 2);
    linked.linked = true;
    EXPECT_EQ(reorder.extra(linked), write);
  }
  EXPECT_GT(passed, 40u);
}

TEST(Reorder, EverythingThatMakesAFlowMakesAnotherLatency) {
  std::vector<Message> flows(6, message(MessageKind::Write));
  flows[1].noc = 1;
  flows[2].vc = 2;
  flows[3].multicast = true;
  flows[4].source = TileId::at(0, 2, 2);
  flows[5].destination = TileId::at(0, 5, 7);
  std::set<std::vector<Cycle>> latencies;
  for (const Message& flow : flows) {
    std::vector<Cycle> of_seeds;
    for (uint64_t seed = 0; seed < 20; ++seed) of_seeds.push_back(Reorder(seed).extra(flow));
    latencies.insert(of_seeds);
  }
  EXPECT_EQ(latencies.size(), flows.size());
}

TEST(Reorder, ResponsesAndRequestsWithoutAVcOfTheirOwnPassEachOther) {
  const Reorder reorder(3);
  std::set<Cycle> acks, free, train;
  for (uint64_t sequence = 0; sequence < 50; ++sequence) {
    acks.insert(reorder.extra(message(MessageKind::WriteAck, sequence)));
    Message write = message(MessageKind::Write, sequence);
    write.static_vc = false;
    free.insert(reorder.extra(write));
    write.linked = true;
    train.insert(reorder.extra(write));
  }
  EXPECT_GT(acks.size(), 20u);
  EXPECT_GT(free.size(), 20u);
  EXPECT_EQ(train.size(), 1u);
}

}  // namespace
}  // namespace kerr::emu

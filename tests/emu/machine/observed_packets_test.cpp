// An observer is told of packets (issuer, command buffer, request of a response), of servers, and of the host.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "isa/tensix/instructions.hpp"
#include "tests/emu/machine/random_tiles.hpp"
#include "tests/emu/machine/record.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
namespace tx = isa::tensix;

class Packets : public Recorded {};
INSTANTIATE_TEST_SUITE_P(Timings, Packets, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Packets, APacketNamesWhoIssuedItByWhichBufferAndAResponseItsRequest) {
  for (const int noc : {0, 1}) {
    SCOPED_TRACE(noc);
    Kernel k;
    for (const int buffer : {0, 1, 3}) k.noc_init(noc, buffer);
    k.noc_write(noc, 0x400, there_, 0x500, 100);
    k.noc_wait(noc, niu::kMstWrAckReceived, 1);
    k.noc_increment(noc, there_, 0x600, 5);
    k.noc_wait(noc, niu::kMstAtomicRespReceived, 1);
    k.noc_read(noc, there_, 0x500, 0x800, 64);
    k.noc_wait(noc, niu::kMstRdRespReceived, 1);
    k.stop();
    Record record;
    Machine machine({.timing = GetParam(), .observer = &record});
    TestHost host(machine);
    host.write32(there_, 0x600, 10);
    for (auto& events : record.events) events.clear();
    host.start(here_, k);
    machine.advance(6000);
    ASSERT_FALSE(machine.faulted()) << machine.faults().front().text();
    const auto left = record.of(raw(here_), What::Left), answers = record.of(raw(there_), What::Left);
    const auto arrived = record.of(raw(here_), What::Arrived), stores = record.of(raw(here_), What::Accessed);
    ASSERT_EQ(left.size(), 3u);
    ASSERT_EQ(answers.size(), 3u);
    ASSERT_EQ(arrived.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(left[i].who.agent, Agent::Brisc);
      EXPECT_EQ(left[i].buffer, (std::array{0, 3, 1})[i]);
      EXPECT_EQ(left[i].request, PacketName{}) << "a request answers nothing";
      const uint32_t command = arch::niu_address(noc, left[i].buffer, niu::kCmdCtrl);
      EXPECT_TRUE(
          std::ranges::any_of(stores, [&](const Event& e) { return e.who == left[i].who && e.address == command; }));
      EXPECT_EQ(answers[i].request, left[i].packet);
      EXPECT_EQ(answers[i].who.agent, Agent::Inbox);
      EXPECT_EQ(answers[i].buffer, Observer::kNoBuffer);
      EXPECT_EQ(arrived[i].request, left[i].packet);
      EXPECT_EQ(arrived[i].packet, answers[i].packet);
    }
    std::vector<Event> there = record.of(raw(there_), What::Accessed);
    ASSERT_EQ(there.size(), 3u);  // a transfer is one access
    EXPECT_EQ(there[0].bytes, 100u);
    EXPECT_EQ(there[1].kind, AccessKind::Atomic);
    EXPECT_EQ(there[1].value, 15u);
    EXPECT_EQ(there[2].bytes, 64u);
  }
}

// A thread issues a request by STOREREG: it is told as the issuer.
TEST_P(Packets, AThreadMayIssueARequest) {
  Kernel k;
  k.noc_init(0, 0);
  k.noc_set(0, 0, niu::kTargAddrLo, 0x400);
  k.noc_set(0, 0, niu::kRetAddrLo, 0x800);
  k.noc_set(0, 0, niu::kRetAddrHi, there_.packed());
  k.noc_set(0, 0, niu::kCtrl, niu::kCtrlWordWrite);
  k.noc_set(0, 0, niu::kAtLenBe, 16);
  const uint32_t command = arch::niu_address(0, 0, niu::kCmdCtrl) - 0xFFB00000;
  for (const uint32_t word : {tx::SETDMAREG{.reg_index_16b = 8, .payload_sig_sel = 1}.encode(),
                              tx::SETDMAREG{.reg_index_16b = 9, .payload_sig_sel = 0}.encode(),
                              tx::STOREREG{.reg_addr = command >> 2, .tdma_data_reg_index = 4}.encode()})
    k.store_word(arch::kInstructionPushBase, word);
  k.stop();
  run(k);
  const auto left = seen(here_, What::Left);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].who.agent, Agent::Thread0);
  EXPECT_EQ(left[0].who.pusher, Agent::Brisc);
  EXPECT_EQ(left[0].who.word, (tx::STOREREG{.reg_addr = command >> 2, .tdma_data_reg_index = 4}.encode()));
  EXPECT_EQ(left[0].buffer, 0);
}

TEST_P(Packets, EachAnswerToAMulticastNamesIt) {
  const NocCoord corner = arch::tensix_tiles(arch::kP100a.harvesting)[3];
  Kernel k;
  k.noc_init(0, 0);
  k.noc_set(0, 0, niu::kTargAddrLo, 0x400);
  k.noc_set(0, 0, niu::kRetAddrLo, 0x800);
  k.noc_set(0, 0, niu::kRetAddrHi, uint32_t{here_.packed()} << 12 | corner.packed());
  k.noc_issue(0, 0, niu::kCtrlWordWrite | niu::kCtrlBroadcast | niu::kCtrlVcStatic | niu::ctrl_static_vc(4), 32);
  k.noc_wait(0, niu::kMstWrAckReceived, 3);
  k.stop();
  run(k);
  const auto left = seen(here_, What::Left), arrived = seen(here_, What::Arrived);
  ASSERT_EQ(left.size(), 3u);
  ASSERT_EQ(arrived.size(), 3u);
  for (const Event& answer : arrived) {
    EXPECT_EQ(answer.message, MessageKind::WriteAck);
    EXPECT_EQ(answer.request, left[0].packet);
  }
}

TEST_P(Packets, AServerTellsWhenItExecutesARequestAlsoIfItLendsTheBytes) {
  Kernel k;
  for (const int buffer : {0, 1}) k.noc_init(0, buffer);
  k.noc_write(0, 0x400, bank_, 0x1000, 64);
  k.noc_wait(0, niu::kMstWrAckReceived, 1);
  k.noc_read(0, bank_, 0x1000, 0x3000, 64);
  k.noc_wait(0, niu::kMstRdRespReceived, 1);
  k.noc_read(0, bank_, 0x10000, 0x4000, 2048);  // lent
  k.noc_wait(0, niu::kMstRdRespReceived, 2);
  k.stop();
  host_.write(bank_, 0x10000, std::vector<uint8_t>(4096, 5));
  run(k);
  const auto left = seen(here_, What::Left), served = seen(bank_, What::Served), answers = seen(bank_, What::Left);
  ASSERT_EQ(left.size(), 3u);
  ASSERT_EQ(served.size(), 3u);
  ASSERT_EQ(answers.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(served[i].packet, left[i].packet);
    EXPECT_EQ(answers[i].request, left[i].packet);
    EXPECT_EQ(answers[i].who.agent, Agent::Units);
  }
  EXPECT_EQ(served[2].address, 0x10000u);
}

TEST_P(Packets, RequestsForTheHostsMemoryAreServedToo) {
  const NocCoord pcie = arch::kPcieTiles[arch::kP100a.harvesting.pcie_instance];
  const uint64_t host_memory = arch::pcie::kNocHostBase | TestMemory::kBase;
  Kernel k;
  for (const int buffer : {0, 1}) k.noc_init(0, buffer);
  k.noc_write(0, 0x400, arch::kTranslatedPcie, host_memory, 64);
  k.noc_wait(0, niu::kMstWrAckReceived, 1);
  k.noc_read(0, arch::kTranslatedPcie, host_memory, 0x3000, 64);
  k.noc_wait(0, niu::kMstRdRespReceived, 1);
  k.stop();
  run(k);
  const auto served = record_.of(pcie, What::Served);
  ASSERT_EQ(served.size(), 2u);
  EXPECT_EQ(served[0].message, MessageKind::Write);
  EXPECT_EQ(served[1].message, MessageKind::ReadRequest);
}

TEST_P(Packets, ARefusedRequestIsNotServed) {
  Kernel k;
  k.noc_init(0, 1);
  k.noc_read(0, bank_, 0xFF123400, 0x3000, 64);  // registers, which are not modelled
  k.stop();
  write(0, k);
  start(1);
  machine_.advance(6000);
  EXPECT_TRUE(machine_.faulted());
  EXPECT_EQ(seen(bank_, What::Arrived).size(), 1u);
  EXPECT_TRUE(seen(bank_, What::Served).empty());
}

TEST_P(Packets, WhatTheHostDoesIsTold) {
  for (auto& events : record_.events) events.clear();
  host_.write32(bank_, 0x2000, 1);
  host_.read32(bank_, 0x2000);
  host_.write32(here_, 0x500, 9);
  const auto dram = seen(bank_, What::ByHost), l1 = seen(here_, What::Accessed);
  ASSERT_EQ(dram.size(), 2u);
  EXPECT_EQ(dram[0].kind, AccessKind::Store);
  EXPECT_EQ(dram[1].kind, AccessKind::Load);
  EXPECT_EQ(dram[1].address, 0x2000u);
  EXPECT_EQ(dram[1].bytes, 4u);
  ASSERT_EQ(l1.size(), 1u);
  EXPECT_EQ(l1[0].who.agent, Agent::Host);
  EXPECT_EQ(l1[0].value, 9u);
}

}  // namespace
}  // namespace kerr::emu

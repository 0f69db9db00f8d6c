// What an observer is told beside addresses: values, the instruction and its pusher, command buffers, requests.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "arch/stream_registers.hpp"
#include "arch/sync.hpp"
#include "emu/machine/snapshot.hpp"
#include "emu/observe/observer.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/machine/random_tiles.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
namespace tx = isa::tensix;
using namespace isa::reg;

/// Everything that is told, by the tile it is told of.
class Record final : public Observer {
 public:
  struct Event {
    enum class What { Retired, Pushed, Issued, Accessed, Left, Arrived, Served, ByHost };
    What what = What::Retired;
    Actor who{};
    AccessKind kind = AccessKind::Load;
    uint64_t address = 0;  // of a pushed or issued word: the word
    uint64_t bytes = 0;
    uint32_t value = 0;  // of a push: its number
    int buffer = 0;      // of a push: the thread
    MessageKind message = MessageKind::Write;
    PacketName packet{}, request{};
    friend bool operator==(const Event&, const Event&) = default;
  };
  using What = Event::What;

  void chip_made(int, Cycle now) override {
    made_at.push_back(now);
    for (auto& view : views) view = {};
  }
  void tile_made(const TileView& view) override { views[view.tile.node] = view; }
  void retired(const Actor& who, uint32_t pc, uint32_t word) override {
    EXPECT_EQ(who.pc, pc);
    EXPECT_EQ(who.word, word);
    add({.what = What::Retired, .who = who, .address = pc});
  }
  void pushed(const Actor& who, int thread, uint32_t word, uint32_t number) override {
    add({.what = What::Pushed, .who = who, .address = word, .value = number, .buffer = thread});
  }
  void issued(const Actor& who, uint32_t word) override {
    EXPECT_EQ(who.word, word);
    add({.what = What::Issued, .who = who, .address = word});
  }
  void accessed(const Actor& who, AccessKind kind, uint32_t address, uint32_t bytes, uint32_t value) override {
    add({.what = What::Accessed, .who = who, .kind = kind, .address = address, .bytes = bytes, .value = value});
  }
  void packet_left(const Actor& who, const Message& m, int buffer) override {
    add({.what = What::Left,
         .who = who,
         .buffer = buffer,
         .message = m.kind,
         .packet = m.name(),
         .request = m.request()});
  }
  void packet_arrived(const Message& m) override { add(m.destination, What::Arrived, m); }
  void served(const Message& m, Cycle) override { add(m.destination, What::Served, m); }
  void host_accessed(const Actor& who, AccessKind kind, uint64_t address, uint64_t bytes) override {
    add({.what = What::ByHost, .who = who, .kind = kind, .address = address, .bytes = bytes});
  }

  std::vector<Event>& of(NocCoord raw) { return events[NocGeometry::node_of(raw)]; }
  std::vector<Event> of(NocCoord raw, What what) {
    std::vector<Event> some;
    std::ranges::copy_if(of(raw), std::back_inserter(some), [&](const Event& e) { return e.what == what; });
    return some;
  }

  std::array<std::vector<Event>, arch::kGridTiles> events;
  std::array<TileView, arch::kGridTiles> views{};
  std::vector<Cycle> made_at;

 private:
  void add(Event event) { events[event.who.tile.node].push_back(event); }
  void add(TileId where, What what, const Message& m) {
    events[where.node].push_back(
        {.what = what, .address = m.address, .message = m.kind, .packet = m.name(), .request = m.request()});
  }
};
using What = Record::What;
using Event = Record::Event;

class Causes : public ::testing::TestWithParam<Timing> {
 protected:
  static constexpr uint32_t kTrisc0 = arch::kDefaultResetPc[2];

  const NocCoord here_ = arch::tensix_tiles(arch::kP100a.harvesting)[0];
  const NocCoord there_ = arch::tensix_tiles(arch::kP100a.harvesting)[1];
  const NocCoord bank_ = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 0, 0);
  TestMemory memory_;
  Record record_;
  Machine machine_{{.host_memory = &memory_, .timing = GetParam(), .observer = &record_}};
  TestHost host_{machine_};

  NocCoord raw(NocCoord tile) { return arch::raw_of(NocGeometry(arch::kP100a.harvesting).translation(0), 0, tile); }
  void write(uint32_t address, const Kernel& kernel) { host_.write(here_, address, kernel.finish(address).bytes); }
  void start(uint32_t harts) {  // a bit each
    uint32_t held = arch::kSoftResetAllHarts;
    for (unsigned hart = 0; hart < arch::kHarts; ++hart)
      if (harts >> hart & 1) held &= ~(1u << arch::kSoftResetBit[hart]);
    for (auto& events : record_.events) events.clear();
    host_.write32(here_, TestHost::kSoftReset, held);
  }
  void run(Cycle cycles = 6000) {
    machine_.advance(cycles);
    EXPECT_FALSE(machine_.faulted()) << machine_.faults().front().text();
  }
  void run(const Kernel& kernel) {
    write(0, kernel);
    start(1);
    run();
  }
  std::vector<Event> seen(NocCoord tile, What what) { return record_.of(raw(tile), what); }
  /// What `agent` of here_ has accessed at `address`.
  Event access(Agent agent, uint32_t address) {
    for (const Event& e : seen(here_, What::Accessed))
      if (e.who.agent == agent && e.address == address) return e;
    ADD_FAILURE() << fmt::format("{} has not accessed {:#x}", name(agent), address);
    return {};
  }
};
INSTANTIATE_TEST_SUITE_P(Timings, Causes, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Causes, AHartsAccessHasItsValueAndItsInstruction) {
  Kernel k;
  k.lw(t1, zero, 0x108);  // 0x0
  k.lb(t2, zero, 0x10B);
  k.sb(t1, zero, 0x10D);  // 0x8
  k.sh(t1, zero, 0x112);
  k.addi(t0, zero, 0x114);
  k.amoadd_w(t2, t1, t0);                                                  // 0x14
  k.store_reg(arch::kOverlayBase + 8 * arch::kStreamStride + 4 * 12, t1);  // storage of a stream
  k.load_word(t2, arch::kOverlayBase + 8 * arch::kStreamStride + 4 * 12);
  k.stop();
  host_.write32(here_, 0x108, 0x87654321);
  host_.write32(here_, 0x114, 3);
  run(k);
  struct Expected {
    uint32_t address;
    AccessKind kind;
    uint64_t bytes;
    uint32_t value, pc;
  };
  for (const Expected& want :
       {Expected{0x108, AccessKind::Load, 4, 0x87654321, 0x0}, Expected{0x10B, AccessKind::Load, 1, 0x87, 0x4},
        Expected{0x10D, AccessKind::Store, 1, 0x21, 0x8}, Expected{0x112, AccessKind::Store, 2, 0x4321, 0xC},
        Expected{0x114, AccessKind::Atomic, 4, 0x87654324, 0x14}}) {
    const Event e = access(Agent::Brisc, want.address);
    EXPECT_EQ(e.kind, want.kind) << want.address;
    EXPECT_EQ(e.bytes, want.bytes) << want.address;
    EXPECT_EQ(e.value, want.value) << want.address;
    EXPECT_EQ(e.who.pc, want.pc) << want.address;
    EXPECT_EQ(e.who.word, host_.read32(here_, want.pc)) << want.address;
  }
  const auto all = seen(here_, What::Accessed);
  std::vector<uint32_t> of_register;
  for (const Event& e : all)
    if (e.address == arch::kOverlayBase + 8 * arch::kStreamStride + 4 * 12) of_register.push_back(e.value);
  EXPECT_EQ(of_register, (std::vector<uint32_t>{0x87654321 & of_register.at(0), of_register.at(0)}));
  EXPECT_NE(of_register.at(0), 0u);
}

TEST_P(Causes, AnObserverMayLookAtWhatATileHolds) {
  Kernel k;
  k.li(a0, 0x1234);
  k.sw(a0, zero, 0x400);
  k.stop();
  run(k);
  const TileView& view = record_.views[NocGeometry::node_of(raw(here_))];
  ASSERT_EQ(view.l1.size(), L1::kBytes);
  EXPECT_EQ(view.l1[0x400], 0x34);
  EXPECT_EQ(view.registers[0][10], 0x1234u);
  EXPECT_EQ(record_.made_at, (std::vector<Cycle>{0}));
}

// Each word that a thread issues names the push that brought it.
void expect_pushes_match(const std::vector<Event>& pushed, const std::vector<Event>& issued, Agent thread) {
  for (const Event& word : issued) {
    if (word.who.agent != thread) continue;
    ASSERT_NE(word.who.push, 0u);
    const auto push = std::ranges::find_if(
        pushed, [&](const Event& p) { return agent_of_thread(p.buffer) == thread && p.value == word.who.push; });
    ASSERT_NE(push, pushed.end());
    EXPECT_EQ(word.who.pc, push->who.pc);
    EXPECT_EQ(word.who.pusher, push->who.agent);
  }
}

constexpr uint32_t kSetGpr = tx::SETDMAREG{.reg_index_16b = 0, .payload_sig_sel = 0x40}.encode();

TEST_P(Causes, AThreadsWordNamesWhoPushedIt) {
  Kernel trisc, brisc;
  trisc.ttinsn(kSetGpr);  // 0x6000
  trisc.ttinsn(tx::SEMPOST{.sem_sel = 2}.encode());
  trisc.ttinsn(tx::LOADIND{.addr_reg = 0, .result_reg = 4, .offset_half_reg = 6, .size_sel = 1}.encode());
  trisc.stop();
  write(kTrisc0, trisc);
  host_.write32(here_, 0x400, 77);
  start(1u << 2);
  run(1500);
  const auto pushed = seen(here_, What::Pushed), issued = seen(here_, What::Issued);
  ASSERT_EQ(issued.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(issued[i].who.pc, kTrisc0 + 4 * i);
    EXPECT_EQ(issued[i].who.pusher, Agent::Trisc0);
    EXPECT_EQ(issued[i].who.push, i + 1);
  }
  expect_pushes_match(pushed, issued, Agent::Thread0);
  const Event load = access(Agent::Thread0, 0x400);
  EXPECT_EQ(load.value, 77u);
  EXPECT_EQ(load.who.pc, kTrisc0 + 8);
  EXPECT_EQ(load.who.pusher, Agent::Trisc0);
  EXPECT_EQ(load.who.word, issued[2].who.word);
}

TEST_P(Causes, WordsOfAMopAndOfAReplayNameThePushOfThatWord) {
  Kernel k;
  const uint32_t nop = tx::NOP{}.encode(), post = tx::SEMPOST{.sem_sel = 4}.encode();
  uint32_t word = 0;
  for (const uint32_t value : {2u, 3u, nop, nop, nop, post, nop, post, post})
    k.store_word(arch::kMopConfigBase + 4 * word++, value);
  k.ttinsn(tx::MOP{.mop_type = 1}.encode());
  k.ttinsn(tx::REPLAY{.load_mode = 1, .len = 2}.encode());
  k.ttinsn(kSetGpr);
  k.ttinsn(kSetGpr);
  k.ttinsn(tx::REPLAY{.load_mode = 0, .len = 2}.encode());
  k.stop();
  write(kTrisc0, k);
  start(1u << 2);
  run(3000);
  const auto pushed = seen(here_, What::Pushed), issued = seen(here_, What::Issued);
  ASSERT_EQ(pushed.size(), 5u);
  ASSERT_EQ(issued.size(), 6u + 2u);
  for (size_t i = 0; i < issued.size(); ++i) {
    EXPECT_EQ(issued[i].who.push, i < 6 ? 1u : 5u) << i;
    EXPECT_EQ(issued[i].address, i < 6 ? post : kSetGpr) << i;
  }
  expect_pushes_match(pushed, issued, Agent::Thread0);
}

// Both FIFOs in front of thread 0 are used, and full at times.
TEST_P(Causes, BriscPushesIntoAThreadBesideItsTrisc) {
  Kernel brisc, trisc;
  for (int i = 0; i < 60; ++i) brisc.store_word(arch::kInstructionPushBase, kSetGpr);
  for (int i = 0; i < 3; ++i) brisc.store_word(arch::kInstructionPushBase + 0x10000, kSetGpr);
  brisc.stop();
  for (int i = 0; i < 90; ++i) trisc.ttinsn(kSetGpr);
  trisc.stop();
  write(0, brisc);
  write(kTrisc0, trisc);
  start(1u << 0 | 1u << 2);
  run();
  const auto pushed = seen(here_, What::Pushed), issued = seen(here_, What::Issued);
  ASSERT_EQ(pushed.size(), 153u);
  ASSERT_EQ(issued.size(), 153u);
  expect_pushes_match(pushed, issued, Agent::Thread0);
  expect_pushes_match(pushed, issued, Agent::Thread1);
  EXPECT_EQ(std::ranges::count(issued, Agent::Brisc, [](const Event& e) { return e.who.pusher; }), 63);
}

TEST_P(Causes, APacketNamesWhoIssuedItByWhichBufferAndAResponseItsRequest) {
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
    const auto arrived = record.of(raw(here_), What::Arrived);
    ASSERT_EQ(left.size(), 3u);
    ASSERT_EQ(answers.size(), 3u);
    ASSERT_EQ(arrived.size(), 3u);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(left[i].who.agent, Agent::Brisc);
      EXPECT_EQ(left[i].buffer, (std::array{0, 3, 1})[i]);
      EXPECT_EQ(left[i].request, PacketName{}) << "a request answers nothing";
      const auto stored = std::ranges::find_if(record.of(raw(here_), What::Accessed), [&](const Event& e) {
        return e.who == left[i].who && e.address == niu::kCmdCtrl + arch::niu_address(noc, left[i].buffer, 0);
      });
      EXPECT_NE(stored->bytes, 0u);
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
TEST_P(Causes, AThreadMayIssueARequest) {
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

TEST_P(Causes, EachAnswerToAMulticastNamesIt) {
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

TEST_P(Causes, AServerTellsWhenItExecutesARequestAlsoIfItLendsTheBytes) {
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

TEST_P(Causes, RequestsForTheHostsMemoryAreServedToo) {
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

TEST_P(Causes, ARefusedRequestIsNotServed) {
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

TEST_P(Causes, WhatTheHostDoesIsTold) {
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

constexpr Cycle kCycles = 256 * 22;

TEST_P(Causes, EverythingThatIsToldIsTheSameForAllNumbersOfThreads) {
  for (unsigned seed = 41; seed <= 43; ++seed) {
    const RandomTiles world(seed);
    const auto told = [&](int shards) {
      auto record = std::make_unique<Record>();
      run(world, {.shards = shards, .timing = GetParam(), .observer = record.get(), .always_in_parallel = true},
          kCycles, kCycles);
      return record;
    };
    const auto expected = told(1);
    for (const int shards : {2, 4}) EXPECT_EQ(told(shards)->events, expected->events) << seed << ", shards " << shards;
  }
}

// Pushers of words that were on their way, and requests of responses that were, are not known any more.
TEST_P(Causes, AnObservedMachineIsRestoredAndTellsOn) {
  Kernel trisc;
  const isa::Label again = trisc.here();
  for (int i = 0; i < 20; ++i) trisc.ttinsn(kSetGpr);
  trisc.j(again);
  write(kTrisc0, trisc);
  start(1u << 2);
  run(1024);
  const std::vector<uint8_t> saved = save_snapshot(machine_);

  Record record;
  Machine restored({.host_memory = &memory_, .timing = GetParam(), .observer = &record});
  load_snapshot(restored, saved);
  EXPECT_EQ(record.made_at, (std::vector<Cycle>{0, machine_.now()}));
  EXPECT_EQ(record.views[NocGeometry::node_of(raw(here_))].l1.size(), L1::kBytes);
  run(1024);
  restored.advance(1024);
  EXPECT_EQ(restored.state_hash(), machine_.state_hash());
  const auto issued = record.of(raw(here_), What::Issued), pushed = record.of(raw(here_), What::Pushed);
  ASSERT_GT(issued.size(), 100u);
  const auto known = std::ranges::find_if(issued, [](const Event& e) { return e.who.push != 0; });
  ASSERT_NE(known, issued.end());
  for (auto e = issued.begin(); e != known; ++e) {
    EXPECT_EQ(e->who.pc, Actor::kNoPc);
    EXPECT_EQ(e->who.pusher, Agent::Host);
  }
  expect_pushes_match(pushed, {known, issued.end()}, Agent::Thread0);
}

}  // namespace
}  // namespace kerr::emu

// An observer is told more than addresses: values, the instruction, and who pushed a coprocessor's word.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "arch/stream_registers.hpp"
#include "emu/machine/snapshot.hpp"
#include "isa/tensix/instructions.hpp"
#include "tests/emu/machine/random_tiles.hpp"
#include "tests/emu/machine/record.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
namespace tx = isa::tensix;
using namespace isa::reg;
using What = Record::What;
using Event = Record::Event;

class Causes : public Recorded {};
INSTANTIATE_TEST_SUITE_P(Timings, Causes, ::testing::Values(Timing::Relaxed, Timing::Exact),
                         [](const auto& p) { return p.param == Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(Causes, AHartsAccessHasItsValueAndItsInstruction) {
  Kernel k;
  k.lw(t1, zero, 0x108);  // 0x0
  k.lb(t2, zero, 0x10B);
  k.sb(t1, zero, 0x10D);  // 0x8
  k.sh(t1, zero, 0x112);
  k.addi(t0, zero, 0x114);
  k.amoadd_w(t2, t1, t0);  // 0x14
  constexpr uint32_t kRegister = arch::kOverlayBase + 8 * arch::kStreamStride + 4 * 10;
  k.store_word(kRegister, 77);
  k.load_word(t2, kRegister);
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
  std::vector<std::pair<AccessKind, uint32_t>> of_register;
  for (const Event& e : seen(here_, What::Accessed))
    if (e.address == kRegister) of_register.emplace_back(e.kind, e.value);
  EXPECT_EQ(of_register,
            (std::vector<std::pair<AccessKind, uint32_t>>{{AccessKind::Store, 77}, {AccessKind::Load, 77}}));
}

TEST_P(Causes, AnObserverMayLookAtWhatATileHolds) {
  Kernel k;
  k.li(a0, 0x1234);
  k.sw(a0, zero, 0x400);
  k.stop();
  run(k);
  const TileView& view = record_.views.at({0, NocGeometry::node_of(raw(here_))});
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

TEST_P(Causes, AnAtomicOfTheScalarUnitIsOneAccess) {
  Kernel trisc;
  trisc.ttinsn(kSetGpr);
  trisc.ttinsn(tx::SETDMAREG{.reg_index_16b = 8, .payload_sig_sel = 3}.encode());
  trisc.ttinsn(tx::ATINCGET{.addr_reg = 0, .in_out_reg = 4, .wrap_val = 31}.encode());
  trisc.stop();
  write(kTrisc0, trisc);
  host_.write32(here_, 0x400, 77);
  start(1u << 2);
  run(1500);
  std::vector<Event> accesses = seen(here_, What::Accessed);
  std::erase_if(accesses, [](const Event& e) { return e.who.agent != Agent::Thread0; });
  ASSERT_EQ(accesses.size(), 1u);
  EXPECT_EQ(accesses[0].kind, AccessKind::Atomic);
  EXPECT_EQ(accesses[0].address, 0x400u);
  EXPECT_EQ(accesses[0].bytes, 4u);
  EXPECT_EQ(accesses[0].value, 80u);
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

constexpr Cycle kRunCycles = 256 * 22;

TEST_P(Causes, EverythingThatIsToldIsTheSameForAllNumbersOfThreads) {
  for (unsigned seed = 41; seed <= 43; ++seed) {
    const RandomTiles world(seed);
    const auto told = [&](int shards) {
      auto record = std::make_unique<Record>();
      emu::run(world, {.shards = shards, .timing = GetParam(), .observer = record.get(), .always_in_parallel = true},
               kRunCycles, kRunCycles);
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
  EXPECT_EQ(record.views.at({0, NocGeometry::node_of(raw(here_))}).l1.size(), L1::kBytes);
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

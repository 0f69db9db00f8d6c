// Missing barriers under a NoC that uses what hardware leaves open.   docs/hardware/noc.md 6.2
#include <algorithm>
#include <functional>
#include <string>

#include "emu/machine/snapshot.hpp"
#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
namespace niu = arch::niu;
using namespace isa::reg;

constexpr NocCoord kSender{1, 2}, kReceiver{7, 9};
constexpr uint32_t kData = 0x2000, kFlag = 0x3000, kResult = 0x4000;
constexpr uint32_t kNew = 0x600D;
constexpr uint64_t kSeeds = 24;

enum class Barrier { Missing, There };

/// What the sender does with the barrier missing or there; it leaves the data in the receiver's kData and raises kFlag.
using Sender = std::function<void(Kernel&, Barrier)>;

// The receiver waits for the flag and then keeps what it finds in kData.
Kernel receiver() {
  Kernel k;
  k.wait_for_word(kFlag, 1);
  k.load_word(t1, kData);
  k.store_reg(kResult, t1);
  k.stop();
  return k;
}

uint32_t received(const Sender& send, Barrier barrier, uint64_t seed, Timing timing) {
  TestMemory memory;
  Machine machine(Options{.host_memory = &memory, .timing = timing, .noc_reorder = seed});
  TestHost host(machine);
  Kernel sender;
  for (const int noc : {0, 1}) {
    for (const int buffer : {0, 1, 3}) sender.noc_init(noc, buffer);
  }
  sender.store_word(kData, kNew);
  sender.store_word(kFlag, 1);
  send(sender, barrier);
  sender.stop();
  host.start(kReceiver, receiver());
  host.start(kSender, sender);
  machine.advance(100'000);
  EXPECT_FALSE(machine.faulted()) << machine.faults().front().text();
  EXPECT_EQ(host.read32(kReceiver, kFlag), 1u);
  return host.read32(kReceiver, kResult);
}

void multicast(Kernel& k, uint32_t from, uint32_t to) {
  k.noc_set(0, 0, niu::kTargAddrLo, from);
  k.noc_set(0, 0, niu::kRetAddrLo, to);
  k.noc_set(0, 0, niu::kRetAddrHi, uint32_t{kReceiver.packed()} | uint32_t{kReceiver.packed()} << 12);
  k.noc_issue(0, 0, niu::kCtrlWrite | niu::kCtrlRespMarked | niu::kCtrlBroadcast | niu::ctrl_static_vc(4), 4);
}

struct Case {
  std::string name;
  Sender send;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"DataOnNoc0AndFlagOnNoc1",
       [](Kernel& k, Barrier barrier) {
         k.noc_write(0, kData, kReceiver, kData, 4);
         if (barrier == Barrier::There) k.noc_wait(0, niu::kMstWrAckReceived, 1);
         k.noc_write(1, kFlag, kReceiver, kFlag, 4);
       }},
      {"DataByMulticastAndFlagByUnicast",
       [](Kernel& k, Barrier barrier) {
         multicast(k, kData, kData);
         if (barrier == Barrier::There) k.noc_wait(0, niu::kMstWrAckReceived, 1);
         k.noc_write(0, kFlag, kReceiver, kFlag, 4);
       }},
      {"DataReadBackFromDramBeforeTheWriteIsAcknowledged",
       [](Kernel& k, Barrier barrier) {
         const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 3, 0);
         k.noc_write(0, kData, bank, 0x1000, 4);
         if (barrier == Barrier::There) k.noc_wait(0, niu::kMstWrAckReceived, 1);
         k.noc_read(1, bank, 0x1000, 0x5000, 4);
         k.noc_wait(1, niu::kMstRdRespReceived, 1);
         k.noc_write(0, 0x5000, kReceiver, kData, 4);
         k.noc_write(0, kFlag, kReceiver, kFlag, 4);
       }},
      {"DataReadIsOverwrittenByALaterWrite",
       [](Kernel& k, Barrier barrier) {
         const NocCoord bank = arch::dram_bank_tile_for_noc(arch::kP100a.harvesting, 3, 0);
         k.noc_write(0, kData, bank, 0x1000, 4);
         k.noc_wait(0, niu::kMstWrAckReceived, 1);
         k.noc_read(0, bank, 0x1000, 0x5000, 4);
         if (barrier == Barrier::There) k.noc_wait(0, niu::kMstRdRespReceived, 1);
         k.noc_write(0, 0x6000, bank, 0x1000, 4);  // zero
         k.noc_wait(0, niu::kMstRdRespReceived, 1);
         k.noc_write(0, 0x5000, kReceiver, kData, 4);
         k.noc_write(0, kFlag, kReceiver, kFlag, 4);
       }},
  };
  return all;
}

class MissingBarrier : public ::testing::TestWithParam<std::tuple<size_t, Timing>> {
 protected:
  const Case& the_case() const { return cases()[std::get<0>(GetParam())]; }
  Timing timing() const { return std::get<1>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Kinds, MissingBarrier,
                         ::testing::Combine(::testing::Range(size_t{0}, cases().size()),
                                            ::testing::Values(Timing::Relaxed, Timing::Exact)),
                         [](const auto& p) {
                           return cases()[std::get<0>(p.param)].name +
                                  (std::get<1>(p.param) == Timing::Exact ? "Exact" : "Relaxed");
                         });

TEST_P(MissingBarrier, IsFoundBySomeSeedAndTheProgramThatHasItNeverFails) {
  unsigned wrong = 0;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    wrong += received(the_case().send, Barrier::Missing, seed, timing()) != kNew;
    EXPECT_EQ(received(the_case().send, Barrier::There, seed, timing()), kNew) << "seed " << seed;
  }
  EXPECT_GT(wrong, 0u);
  EXPECT_LT(wrong, kSeeds);
}

// On one NoC, VC and way nothing is passed: what stock firmware relies on.
TEST(Reordered, DataThenFlagOnOneVcNeedsNoBarrier) {
  const Sender send = [](Kernel& k, Barrier) {
    k.noc_write(0, kData, kReceiver, kData, 4);
    k.noc_write(0, kFlag, kReceiver, kFlag, 4);
  };
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const Timing timing : {Timing::Relaxed, Timing::Exact}) {
      EXPECT_EQ(received(send, Barrier::Missing, seed, timing), kNew) << "seed " << seed;
    }
  }
}

TEST(Reordered, MachinesRunAlikeHoweverTheyAreRun) {
  constexpr Cycle kEnd = 40'960;
  for (const Timing timing : {Timing::Relaxed, Timing::Exact}) {
    const auto hash = [&](Options options) {
      options.timing = timing;
      options.always_in_parallel = true;
      BusyMachine busy(options, 6);
      busy.machine.advance(kEnd);
      EXPECT_FALSE(busy.machine.faulted());
      return busy.machine.state_hash();
    };
    const uint64_t expected = hash({.noc_reorder = 5});
    EXPECT_EQ(hash({.shards = 3, .noc_reorder = 5}), expected);
    EXPECT_EQ(hash({.parking = false, .noc_reorder = 5}), expected);
    EXPECT_EQ(hash({.scheduler = Scheduler::Reference, .noc_reorder = 5}), expected);
    EXPECT_NE(hash({.noc_reorder = 6}), expected);
    EXPECT_NE(hash({}), expected);
  }
}

TEST(Reordered, ASnapshotGoesOnLikeTheRunThatItWasTakenOf) {
  for (const Timing timing : {Timing::Relaxed, Timing::Exact}) {
    const Options options{.timing = timing, .noc_reorder = 5};
    BusyMachine busy(options, 4);
    busy.machine.advance(3'000);
    const std::vector<uint8_t> half = save_snapshot(busy.machine);
    busy.machine.advance(20'000);
    TestMemory memory;
    Options again = options;
    again.host_memory = &memory;
    Machine restored(again);
    load_snapshot(restored, half);
    restored.advance(20'000);
    EXPECT_EQ(restored.state_hash(), busy.machine.state_hash());

    Machine orderly(Options{.timing = timing});
    try {
      load_snapshot(orderly, half);
      FAIL();
    } catch (const SnapshotError& error) {
      EXPECT_EQ(std::string(error.what()),
                "the snapshot is of a machine with a NoC reordered by seed 5, this one has an orderly NoC");
    }
  }
}

}  // namespace
}  // namespace kerr::emu

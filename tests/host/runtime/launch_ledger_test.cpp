// What queues and slow dispatch know of one another.
#include "host/runtime/launch_ledger.hpp"

#include <gtest/gtest.h>

#include "host/error.hpp"

namespace kerr::host {
namespace {

constexpr arch::NocCoord kFirstTile{1, 2}, kOther{2, 2};

TEST(LaunchLedger, SlotsGoRoundTheLaunchRing) {
  LaunchLedger ledger(arch::kFwB);
  for (uint32_t i = 0; i < arch::kFwB.launch_entries + 1; ++i) ledger.launched(kFirstTile);
  EXPECT_EQ(ledger.slot(kFirstTile), 1u);
  EXPECT_EQ(ledger.slot(kOther), 0u);
  ledger.set_slot(kOther, 3 * arch::kFwB.launch_entries + 2);
  EXPECT_EQ(ledger.slot(kOther), 2u);
}

TEST(LaunchLedger, CodeIsKnownByTileAndHalf) {
  LaunchLedger ledger(arch::kFwB);
  ledger.set_code(kFirstTile, 0, 7);
  ledger.set_code(kFirstTile, 1, 9);
  EXPECT_EQ(ledger.code(kFirstTile, 0), 7u);
  EXPECT_EQ(ledger.code(kOther, 0), 0u);
  ledger.forget_code(kFirstTile);
  EXPECT_EQ(ledger.code(kFirstTile, 0), 0u);
  EXPECT_EQ(ledger.code(kFirstTile, 1), 0u);
}

TEST(LaunchLedger, AQueueIsClaimedOnce) {
  LaunchLedger ledger(arch::kFwB);
  {
    const auto first = ledger.claim_queues(1);
    EXPECT_THROW((void)ledger.claim_queues(3), DeviceError) << "a split queue takes both";
    const auto second = ledger.claim_queues(2);
  }
  const auto both = ledger.claim_queues(3);
}

TEST(LaunchLedger, OnlyTheOtherQueuesAreDrained) {
  LaunchLedger ledger(arch::kFwB);
  int drained[2] = {};
  for (uint32_t i = 0; i < 2; ++i) ledger.set_drain(i, [&drained, i] { ++drained[i]; });
  ledger.drain_others(0);
  ledger.set_drain(1, {});
  ledger.drain_others(0);
  EXPECT_EQ(drained[0], 0);
  EXPECT_EQ(drained[1], 1);
}

}  // namespace
}  // namespace kerr::host

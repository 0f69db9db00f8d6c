// Remarks of many tiles: the same whatever the shards, and in snapshots.   docs/architecture.md "Remarks"
#include <string>
#include <vector>

#include "emu/machine/snapshot.hpp"
#include "tests/emu/machine/busy.hpp"

namespace kerr::emu {
namespace {

using arch::NocCoord;
constexpr uint32_t kPushToThread0 = 0xFFE4'0000;

/// BRISC of `count` tiles pushes odd words, each tile one more than the one before.
void start_odd_programs(Machine& machine, int count) {
  TestHost host(machine);
  for (int n = 0; n < count; ++n) {
    Kernel k;
    for (int i = 0; i <= n; ++i) k.store_word(kPushToThread0, 0x8F00'0001);
    k.store_word(kPushToThread0, 0x3822'0000);
    k.stop();
    host.start(NocCoord{static_cast<uint8_t>(1 + n % 6), static_cast<uint8_t>(2 + n / 6)}, k);
  }
}

std::vector<std::string> texts(const Machine& machine) {
  std::vector<std::string> all;
  for (const Remark& remark : machine.remarks().remarks) all.push_back(remark.text());
  return all;
}

TEST(MachineRemarks, AreOneForEachKindWhateverTheShards) {
  std::vector<std::string> expected;
  for (const int shards : {1, 3}) {
    Machine machine(Options{.shards = shards, .always_in_parallel = shards > 1});
    EXPECT_FALSE(machine.take_remark_news());
    start_odd_programs(machine, 12);
    machine.advance(4096);
    ASSERT_FALSE(machine.faulted()) << machine.faults().front().text();
    EXPECT_TRUE(machine.take_remark_news());
    EXPECT_FALSE(machine.take_remark_news());
    const std::vector<std::string> found = texts(machine);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NE(found[0].find("78 times on 12 tiles"), std::string::npos) << found[0];
    if (expected.empty()) expected = found;
    EXPECT_EQ(found, expected);
  }
}

TEST(MachineRemarks, SurviveASnapshot) {
  Machine machine(Options{});
  start_odd_programs(machine, 3);
  machine.advance(4096);
  const std::vector<uint8_t> saved = save_snapshot(machine);
  Machine restored(Options{});
  load_snapshot(restored, saved);
  EXPECT_EQ(texts(restored), texts(machine));
  EXPECT_FALSE(texts(restored).empty());
  Machine strict(Options{.strict = true});
  EXPECT_THROW(load_snapshot(strict, saved), SnapshotError);
}

TEST(MachineRemarks, AreForgottenByAReset) {
  Machine machine(Options{});
  start_odd_programs(machine, 1);
  machine.advance(4096);
  EXPECT_FALSE(texts(machine).empty());
  machine.reset(0);
  EXPECT_TRUE(texts(machine).empty());
}

}  // namespace
}  // namespace kerr::emu

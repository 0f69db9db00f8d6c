// How the data of a launch are cut.
#include "host/runtime/cq/lowering.hpp"

#include <gtest/gtest.h>

#include "arch/banks.hpp"
#include "arch/boards.hpp"
#include "arch/cq.hpp"
#include "host/runtime/cq/decode.hpp"
#include "host/runtime/cq/go_targets.hpp"

namespace kerr::host::cq {
namespace {

namespace wire = arch::cq;

std::vector<arch::NocCoord> cores(size_t n) {
  std::vector<arch::NocCoord> all;
  for (size_t i = 0; i < n; ++i) all.push_back({static_cast<uint8_t>(1 + i / 10), static_cast<uint8_t>(2 + i % 10)});
  return all;
}

TEST(Lowering, SharedDataAreCutWhereTheCallerSays) {
  const std::vector<std::byte> bytes(2500);
  for (const auto& [most, expected] : {std::pair{1024u, 3u}, {4096u, 1u}}) {
    std::vector<Command> out;
    lower_shared(out, wire::PackedLargeType::Binaries, 0x8000, cores(20), bytes, most);
    EXPECT_EQ(out.size(), expected);
  }
}

// All workers of a P100A but its queue's: 110 by multicast, the eight below the queue's tiles one by one.
TEST(GoTargets, AreALargeRectangleAndWhatIsLeft) {
  const auto tiles = arch::worker_tiles(arch::kP100a.harvesting);
  const std::vector<arch::NocCoord> workers(tiles.begin(), tiles.end());
  const std::vector<uint32_t> words = go_targets(workers, 0, true);
  ASSERT_EQ(words.size(), 9u);
  EXPECT_EQ(words[0], 110u << 24 | 2 << 18 | 1 << 12 | 11 << 6 | 13);
  EXPECT_EQ(words[1], 4u << 6 | 14);
  EXPECT_EQ(words[8], 11u << 6 | 14);
  EXPECT_EQ(go_targets(workers, 1, true)[0], 110u << 24 | 11 << 18 | 13 << 12 | 2 << 6 | 1)
      << "NoC 1 begins at the far corner";
  EXPECT_EQ(go_targets(workers, 0, false).size(), 118u);
  EXPECT_EQ(go_targets(cores(3), 0, true), (std::vector<uint32_t>{2 << 6 | 1, 3 << 6 | 1, 4 << 6 | 1}));
}

std::vector<std::string> commands_of(std::vector<arch::NocCoord> some, size_t image_bytes) {
  LaunchPlan plan;
  plan.cores = some;
  const std::vector<std::byte> image(image_bytes);
  plan.groups.push_back({.cores = some, .launch = {}, .image_address = 0x8000, .image = image});
  std::vector<std::string> names;
  for (const Command& command : lower_writes(plan, arch::kFwB, [](arch::NocCoord) { return 0u; })) {
    names.push_back(std::string(decode_dispatch(command.payload, 0, command.payload.size()).at(0).name));
  }
  return names;
}

TEST(Lowering, SmallWritesToFewCoresGoOneByOne) {
  using Names = std::vector<std::string>;
  auto with_hole = cores(40);
  with_hole.erase(with_hole.begin());
  EXPECT_EQ(commands_of(cores(40), 64), Names{"WRITE_PACKED_LARGE"});
  EXPECT_EQ(commands_of(with_hole, 64), (Names{"WRITE_PACKED_LARGE", "WRITE_PACKED", "WRITE_PACKED"}));
  EXPECT_EQ(commands_of(with_hole, 4096), Names{"WRITE_PACKED_LARGE"}) << "the image would take longer than a path";
  EXPECT_EQ(commands_of(cores(3), 64), (Names{"WRITE_PACKED", "WRITE_PACKED"}));
  EXPECT_EQ(commands_of(cores(3), 0), Names{"WRITE_PACKED"});
}

}  // namespace
}  // namespace kerr::host::cq

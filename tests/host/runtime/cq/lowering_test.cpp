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

size_t commands_for_own_data(size_t n, uint32_t bytes_per_core, Pieces pieces) {
  std::vector<Command> out;
  lower_per_core(out, wire::PackedType::Rta, 0x8000, cores(n), std::vector<std::byte>(n * bytes_per_core),
                 bytes_per_core, pieces);
  if (pieces == Pieces::Small) {
    for (const Command& command : out)
      EXPECT_LE(sizeof(wire::RelayInline) + command.payload.size(), wire::kPageBytes) << n << " cores";
  }
  return out.size();
}

// fast-dispatch.md 16.2: 32 + align16(4 n) + n * slice <= 4096, slices of at least 16.
TEST(Lowering, SmallPiecesFillAPageWithTheCoresOwnData) {
  EXPECT_EQ(commands_for_own_data(7, 48, Pieces::Small), 1u);
  EXPECT_EQ(commands_for_own_data(7, 576, Pieces::Small), 1u);
  EXPECT_EQ(commands_for_own_data(7, 592, Pieces::Small), 2u);
  EXPECT_EQ(commands_for_own_data(25, 144, Pieces::Small), 1u);
  EXPECT_EQ(commands_for_own_data(25, 160, Pieces::Small), 2u);
  EXPECT_EQ(commands_for_own_data(110, 48, Pieces::Small), 2u) << "32 bytes and 16";
  EXPECT_EQ(commands_for_own_data(110, 48, Pieces::Whole), 1u);
}

TEST(Lowering, SmallPiecesOfSharedDataAreAKibibyteWithABarrierAfterEach) {
  const std::vector<std::byte> bytes(2500);
  for (const auto& [pieces, expected] : {std::pair{Pieces::Small, 6}, {Pieces::Whole, 1}, {Pieces::Large, 1}}) {
    std::vector<Command> out;
    lower_shared(out, wire::PackedLargeType::Binaries, 0x8000, cores(20), bytes, pieces);
    EXPECT_EQ(static_cast<int>(out.size()), expected);
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

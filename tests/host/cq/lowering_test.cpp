// How the data of a launch are cut.
#include "host/cq/lowering.hpp"

#include <gtest/gtest.h>

#include "arch/cq.hpp"

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
  lower_per_core(out, wire::PackedType::kRta, 0x8000, cores(n), std::vector<std::byte>(n * bytes_per_core),
                 bytes_per_core, pieces);
  if (pieces == Pieces::kSeed000) {
    for (const Command& command : out)
      EXPECT_LE(sizeof(wire::RelayInline) + command.payload.size(), wire::kPageBytes) << n << " cores";
  }
  return out.size();
}

// fast-dispatch.md 16.2: 32 + align16(4 n) + n * slice <= 4096, slices of at least 16.
TEST(Lowering, TheSeedsHostFillsAPageWithTheCoresOwnData) {
  EXPECT_EQ(commands_for_own_data(7, 48, Pieces::kSeed000), 1u);
  EXPECT_EQ(commands_for_own_data(7, 576, Pieces::kSeed000), 1u);
  EXPECT_EQ(commands_for_own_data(7, 592, Pieces::kSeed000), 2u);
  EXPECT_EQ(commands_for_own_data(25, 144, Pieces::kSeed000), 1u);
  EXPECT_EQ(commands_for_own_data(25, 160, Pieces::kSeed000), 2u);
  EXPECT_EQ(commands_for_own_data(110, 48, Pieces::kSeed000), 2u) << "32 bytes and 16";
  EXPECT_EQ(commands_for_own_data(110, 48, Pieces::kWhole), 1u);
}

TEST(Lowering, TheSeedsHostCutsSharedDataByTheKibibyteWithABarrierAfterEach) {
  const std::vector<std::byte> bytes(2500);
  for (const auto [pieces, expected] : {std::pair{Pieces::kSeed000, 6}, {Pieces::kWhole, 1}, {Pieces::kLarge, 1}}) {
    std::vector<Command> out;
    lower_shared(out, wire::PackedLargeType::kBinaries, 0x8000, cores(20), bytes, pieces);
    EXPECT_EQ(static_cast<int>(out.size()), expected);
  }
}

}  // namespace
}  // namespace kerr::host::cq

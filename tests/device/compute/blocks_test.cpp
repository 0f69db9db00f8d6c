// Tiles to other places and in other layouts.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

constexpr uint32_t kTiles = 4;

class CompiledBlocks : public testing::TestWithParam<bool> {
 public:
  // The bytes of datum `column` of row `row` of a block: row by row, or in tiles and their faces.
  size_t in_rows(uint32_t row, uint32_t column) const { return (row * 32 * kTiles + column) * datum_; }
  size_t in_tiles(uint32_t row, uint32_t column) const {
    const uint32_t tile = column / 32, face = row / 16 * 2 + column / 16 % 2;
    return (tile * 1024 + face * 256 + row % 16 * 16 + column % 16) * datum_;
  }
  using Place = size_t (CompiledBlocks::*)(uint32_t, uint32_t) const;
  void expect_moved(uint32_t number, Place from, Place to) {
    const auto out = run(number);
    uint32_t wrong = 0;
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t column = 0; column < 32 * kTiles; ++column)
        wrong +=
            std::memcmp(out.data() + (this->*to)(row, column), in_.data() + (this->*from)(row, column), datum_) != 0;
    }
    EXPECT_EQ(wrong, 0u);
  }
  std::vector<std::byte> run(uint32_t number) {
    const auto page = static_cast<uint32_t>(1024 * datum_);
    return on_.run(wide_ ? KERR_KERNEL_compute_blocks_fp32 : KERR_KERNEL_compute_blocks, {{0, page, in_}}, kTiles, page,
                   {number});
  }

  const bool wide_ = GetParam();
  const size_t datum_ = wide_ ? 4 : 2;
  const Tensor tensor_ = graph::random_tensor(32, 32 * kTiles, wide_ ? Format::Fp32 : Format::Bf16, 9);
  const std::vector<std::byte> in_ = graph::to_tiles(tensor_, 1, kTiles);
  OnCore on_;
};
INSTANTIATE_TEST_SUITE_P(Formats, CompiledBlocks, testing::Bool(),
                         [](const auto& wide) { return wide.param ? "Fp32" : "Bf16"; });

TEST_P(CompiledBlocks, RowsBecomeTiles) { expect_moved(0, &CompiledBlocks::in_rows, &CompiledBlocks::in_tiles); }
TEST_P(CompiledBlocks, TilesBecomeRows) { expect_moved(1, &CompiledBlocks::in_tiles, &CompiledBlocks::in_rows); }
TEST_P(CompiledBlocks, PartsOfLongerRowsArePacked) {
  expect_moved(2, &CompiledBlocks::in_tiles, &CompiledBlocks::in_rows);
}
TEST_P(CompiledBlocks, TilesAreTilesAgainBehindRows) {
  expect_moved(5, &CompiledBlocks::in_tiles, &CompiledBlocks::in_tiles);
}

TEST_P(CompiledBlocks, TilesArePackedOutOfOrder) {
  const auto out = run(3);
  const size_t page = 1024 * datum_;
  for (uint32_t i = 0; i < kTiles; ++i)
    EXPECT_EQ(std::memcmp(out.data() + i * page, in_.data() + (kTiles - 1 - i) * page, page), 0) << i;
}

TEST_P(CompiledBlocks, ThePackerAddsToL1) {
  Tensor twice{32, 32 * kTiles, tensor_.format, {}};
  graph::from_tiles(run(4), kTiles, twice);
  for (size_t i = 0; i < twice.values.size(); ++i) ASSERT_EQ(twice.values[i], 2 * tensor_.values[i]) << i;
}

}  // namespace
}  // namespace kerr::device_tests

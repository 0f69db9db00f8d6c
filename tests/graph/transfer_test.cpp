#include "graph/transfer.hpp"

#include <gtest/gtest.h>

#include "host/device/emulated_device.hpp"

namespace kerr::graph {
namespace {

class Transfer : public testing::Test {
 protected:
  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

TEST_F(Transfer, BringsBackWhatItHasBrought) {
  for (const Format format : {Format::Bf16, Format::Fp32, Format::Bfp8}) {
    const Tensor x = random_tensor(70, 33, format, 5);
    const host::Buffer buffer = upload(chip_, x);
    EXPECT_EQ(buffer.pages(), 3u * 2);
    EXPECT_EQ(buffer.page_bytes(), kernels::tile_bytes(format));
    EXPECT_EQ(download(chip_, buffer, {70, 33, format, {}}).values, x.values);
  }
}

TEST_F(Transfer, LeavesRoomBesideAMatrixAndFillsItWithPadding) {
  const Tensor x = random_tensor(10, 10, Format::Fp32, 6);
  const host::Buffer buffer = upload(chip_, x, 2, 3, 0.5f);
  EXPECT_EQ(buffer.pages(), 6u);
  EXPECT_EQ(download(chip_, buffer, {10, 10, Format::Fp32, {}}, 3).values, x.values);
  const Tensor all = download(chip_, buffer, {64, 96, Format::Fp32, {}});
  EXPECT_EQ(all.at(9, 9), x.at(9, 9));
  EXPECT_EQ(all.at(9, 10), 0.5);
  EXPECT_EQ(all.at(63, 95), 0.5);
}

TEST_F(Transfer, GivesEachMatrixOfABatchTilesOfItsOwn) {
  const Tensor both = random_tensor(2 * 40, 20, Format::Bf16, 7);
  const host::Buffer buffer = upload(chip_, both, 2, 1, 0, 2);
  EXPECT_EQ(buffer.pages(), 4u);
  EXPECT_EQ(download(chip_, buffer, {2 * 40, 20, Format::Bf16, {}}, 1, 2).values, both.values);
}

}  // namespace
}  // namespace kerr::graph

// Tensors in shards of L1: the same bits as those in DRAM.
#include <gtest/gtest.h>

#include <array>

#include "graph/tensor.hpp"
#include "host/chip.hpp"
#include "host/device/emulated_device.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"

namespace kerr {
namespace {

using graph::Tensor;
using kernels::Format;

class ShardsOfL1 : public testing::Test {
 protected:
  static constexpr std::uint32_t kPage = kernels::tile_bytes(Format::Bf16);

  // Shards on `cores` tiles, the first of them `first`; of 0 tiles in DRAM.
  host::Buffer allocate(std::uint32_t tiles, std::uint32_t cores, std::uint32_t first = 0) {
    if (cores == 0) return chip_.allocate(host::Memory::kDram, std::uint64_t{tiles} * kPage, kPage);
    return chip_.allocate_sharded(host::Memory::kL1, std::uint64_t{tiles} * kPage, kPage,
                                  chip_.workers().subspan(first, cores));
  }
  host::Buffer upload(const Tensor& tensor, std::uint32_t cores, std::uint32_t first = 0) {
    const host::Buffer buffer = allocate(tensor.tiles(), cores, first);
    chip_.write(buffer, graph::to_tiles(tensor, tensor.tile_rows(), tensor.tile_columns()));
    return buffer;
  }
  Tensor download(const host::Buffer& buffer, std::uint32_t rows, std::uint32_t columns) {
    std::vector<std::byte> tiles(buffer.bytes());
    chip_.read(buffer, tiles);
    Tensor tensor{rows, columns, Format::Bf16, {}};
    graph::from_tiles(tiles, tensor.tile_columns(), tensor);
    return tensor;
  }
  static kernels::Shards shards(const host::Buffer& buffer) {
    if (!buffer.is_sharded()) return {};
    kernels::Shards all{buffer.pages_in_a_row(0), {}};
    for (std::uint32_t page = 0; page < buffer.pages(); page += all.pages) all.tiles.push_back(buffer.page(page).tile);
    return all;
  }

  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

TEST_F(ShardsOfL1, OperandsAndResultsOfExpressions) {
  constexpr std::uint32_t kTiles = 23;
  const Tensor x = graph::random_tensor(32 * kTiles, 32, Format::Bf16, 1),
               y = graph::random_tensor(32 * kTiles, 32, Format::Bf16, 2);
  kernels::Expression product;
  product.apply(kernels::Operation::Multiply, std::array{product.input(0), product.input(1)});
  // Tiles on which each lies; 5 and 7 do not divide 23, and a core's share crosses shards.
  const auto run = [&](std::uint32_t of_x, std::uint32_t of_y, std::uint32_t of_result, std::uint32_t cores) {
    const host::Buffer a = upload(x, of_x), b = upload(y, of_y, 9), c = allocate(kTiles, of_result, 3);
    chip_.run(kernels::elementwise_program(product, Format::Bf16, kTiles, chip_.layout(), chip_.workers().first(cores),
                                           {.inputs = {a.address(), b.address()},
                                            .output = c.address(),
                                            .input_shards = {shards(a), shards(b)},
                                            .output_shards = shards(c)}));
    return download(c, x.rows, x.columns).values;
  };
  const std::vector<float> expected = run(0, 0, 0, 4);
  EXPECT_EQ(run(5, 0, 7, 4), expected);
  EXPECT_EQ(run(0, 1, 0, 11), expected);
  EXPECT_EQ(run(23, 5, 2, 1), expected);
}

TEST_F(ShardsOfL1, MatricesOfAProduct) {
  const Tensor a = graph::random_tensor(96, 128, Format::Bf16, 1), b = graph::random_tensor(128, 160, Format::Bf16, 2);
  const auto run = [&](std::uint32_t of_a, std::uint32_t of_b, std::uint32_t of_c) {
    const kernels::MatmulPlan plan = kernels::plan_matmul_direct(96, 160, 128, 5);
    EXPECT_EQ(plan.m_tiles * plan.n_tiles, 15u);
    const host::Buffer at_a = upload(a, of_a), at_b = upload(b, of_b, 8), at_c = allocate(15, of_c, 4);
    chip_.run(kernels::matmul_program(plan, chip_.layout(), chip_.workers(),
                                      {.a = at_a.address(),
                                       .b = at_b.address(),
                                       .c = at_c.address(),
                                       .a_shards = shards(at_a),
                                       .b_shards = shards(at_b),
                                       .c_shards = shards(at_c)}));
    return download(at_c, 96, 160).values;
  };
  const std::vector<float> expected = run(0, 0, 0);
  EXPECT_EQ(run(5, 0, 0), expected);
  EXPECT_EQ(run(3, 7, 4), expected);
}

TEST_F(ShardsOfL1, TooSmallOnesAreRefusedAndSoIsMulticast) {
  const auto refusal = [&](const kernels::MatmulPlan& plan, const kernels::Shards& of_a) -> std::string {
    try {
      kernels::matmul_program(plan, chip_.layout(), chip_.workers(), {.a_shards = of_a});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  const kernels::Shards some{2, {chip_.workers()[0], chip_.workers()[1]}};
  EXPECT_NE(
      refusal(kernels::plan_matmul_direct(96, 160, 128, 5), some).find("A has 12 tiles, and 2 shards of 2 hold 4"),
      std::string::npos);
  EXPECT_NE(refusal(kernels::plan_matmul_multicast(96, 160, 128, {chip_.workers(), 1'000'000}), some)
                .find("plan_matmul_direct()"),
            std::string::npos);
  kernels::Expression same;
  same.input(0);
  EXPECT_THROW(kernels::elementwise_program(same, Format::Bf16, 5, chip_.layout(), chip_.workers(),
                                            {.inputs = {0}, .input_shards = {some}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace kerr

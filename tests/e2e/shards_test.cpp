// Tensors in shards of L1 and of DRAM banks: the same bits as those that go round the banks.
#include <gtest/gtest.h>

#include <array>

#include "graph/tensor.hpp"
#include "host/device/emulated_device.hpp"
#include "host/runtime/chip.hpp"
#include "kernels/elementwise/elementwise.hpp"
#include "kernels/matmul/matmul.hpp"

namespace kerr {
namespace {

using graph::Tensor;
using kernels::Format;

class Shards : public testing::Test {
 protected:
  static constexpr uint32_t kPage = kernels::tile_bytes(Format::Bf16);

  static constexpr uint32_t kBanks = 1000;  // instead of a number of tiles: a shard in each DRAM bank

  // Shards on `cores` tiles, the first of them `first`; of 0 tiles round the banks.
  host::Buffer allocate(uint32_t tiles, uint32_t cores, uint32_t first = 0) {
    if (cores == 0) return chip_.allocate(host::Memory::Dram, uint64_t{tiles} * kPage, kPage);
    if (cores == kBanks) return chip_.allocate_sharded(host::Memory::Dram, uint64_t{tiles} * kPage, kPage);
    return chip_.allocate_sharded(host::Memory::L1, uint64_t{tiles} * kPage, kPage,
                                  chip_.workers().subspan(first, cores));
  }
  host::Buffer upload(const Tensor& tensor, uint32_t cores, uint32_t first = 0) {
    const host::Buffer buffer = allocate(tensor.tiles(), cores, first);
    chip_.write(buffer, graph::to_tiles(tensor, tensor.tile_rows(), tensor.tile_columns()));
    return buffer;
  }
  Tensor download(const host::Buffer& buffer, uint32_t rows, uint32_t columns) {
    std::vector<std::byte> tiles(buffer.bytes());
    chip_.read(buffer, tiles);
    Tensor tensor{rows, columns, Format::Bf16, {}};
    graph::from_tiles(tiles, tensor.tile_columns(), tensor);
    return tensor;
  }
  host::EmulatedDevice device_;
  host::Chip chip_{device_};
};

TEST_F(Shards, OperandsAndResultsOfExpressions) {
  constexpr uint32_t kTiles = 23;
  const Tensor x = graph::random_tensor(32 * kTiles, 32, Format::Bf16, 1),
               y = graph::random_tensor(32 * kTiles, 32, Format::Bf16, 2);
  kernels::Expression product;
  product.apply(kernels::Operation::Multiply, std::array{product.input(0), product.input(1)});
  // Tiles on which each lies; 5 and 7 do not divide 23, and a core's share crosses shards.
  const auto run = [&](uint32_t of_x, uint32_t of_y, uint32_t of_result, uint32_t cores) {
    const host::Buffer a = upload(x, of_x), b = upload(y, of_y, 9), c = allocate(kTiles, of_result, 3);
    chip_.run(kernels::elementwise_program(product, Format::Bf16, kTiles, chip_.layout(), chip_.workers().first(cores),
                                           {.inputs = {a.address(), b.address()},
                                            .output = c.address(),
                                            .input_shards = {kernels::shards_of(a), kernels::shards_of(b)},
                                            .output_shards = kernels::shards_of(c)}));
    return download(c, x.rows, x.columns).values;
  };
  const std::vector<float> expected = run(0, 0, 0, 4);
  EXPECT_EQ(run(5, 0, 7, 4), expected);
  EXPECT_EQ(run(0, 1, 0, 11), expected);
  EXPECT_EQ(run(23, 5, 2, 1), expected);
  EXPECT_EQ(run(kBanks, 5, kBanks, 3), expected);
}

TEST_F(Shards, MatricesOfAProduct) {
  constexpr uint32_t kM = 96, kN = 160, kK = 128;
  const kernels::MatmulPlan plans[] = {kernels::plan_matmul_direct({kM, kN, kK}, 5),
                                       kernels::plan_matmul_multicast({kM, kN, kK}, {chip_.workers(), 1'000'000})};
  EXPECT_TRUE(plans[1].multicast());
  EXPECT_GT(plans[1].grid_rows, 1u);
  EXPECT_GT(plans[1].grid_columns, 1u);
  std::vector<float> expected;
  for (const kernels::MatmulPlan& plan : plans) {
    const auto run = [&](uint32_t of_a, uint32_t of_b, uint32_t of_c) {
      const Tensor a = graph::random_tensor(kM, kK, Format::Bf16, 1), b = graph::random_tensor(kK, kN, Format::Bf16, 2);
      const host::Buffer at_a = allocate(plan.m_tiles * plan.k_tiles, of_a),
                         at_b = allocate(plan.k_tiles * plan.n_tiles, of_b, 8),
                         at_c = allocate(plan.m_tiles * plan.n_tiles, of_c, 4);
      chip_.write(at_a, graph::to_tiles(a, plan.m_tiles, plan.k_tiles));
      chip_.write(at_b, graph::to_tiles(b, plan.k_tiles, plan.n_tiles));
      chip_.run(kernels::matmul_program(plan, chip_.layout(), chip_.workers(),
                                        {.a = at_a.address(),
                                         .b = at_b.address(),
                                         .c = at_c.address(),
                                         .a_shards = kernels::shards_of(at_a),
                                         .b_shards = kernels::shards_of(at_b),
                                         .c_shards = kernels::shards_of(at_c)}));
      std::vector<std::byte> tiles(at_c.bytes());
      chip_.read(at_c, tiles);
      Tensor c{kM, kN, Format::Bf16, {}};
      graph::from_tiles(tiles, plan.n_tiles, c);
      return c.values;
    };
    if (expected.empty()) expected = run(0, 0, 0);
    EXPECT_EQ(run(0, 0, 0), expected);
    EXPECT_EQ(run(5, 0, 0), expected);
    EXPECT_EQ(run(3, 7, 4), expected);
    EXPECT_EQ(run(kBanks, kBanks, kBanks), expected);
    EXPECT_EQ(run(0, kBanks, 2), expected);
  }
}

TEST_F(Shards, TooSmallOnesAreRefused) {
  const auto refusal = [&](const kernels::MatmulPlan& plan, const kernels::Shards& of_a) -> std::string {
    try {
      kernels::matmul_program(plan, chip_.layout(), chip_.workers(), {.a_shards = of_a});
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "accepted";
  };
  const kernels::Shards some{2, {chip_.workers()[0], chip_.workers()[1]}};
  for (const kernels::MatmulPlan& plan : {kernels::plan_matmul_direct({96, 160, 128}, 5),
                                          kernels::plan_matmul_multicast({96, 160, 128}, {chip_.workers(), 1'000'000})})
    EXPECT_NE(refusal(plan, some).find("A has 12 tiles, and 2 shards of 2 hold 4"), std::string::npos);
  kernels::Expression same;
  same.input(0);
  EXPECT_THROW(kernels::elementwise_program(same, Format::Bf16, 5, chip_.layout(), chip_.workers(),
                                            {.inputs = {0}, .input_shards = {some}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace kerr

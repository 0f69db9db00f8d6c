#include <gtest/gtest.h>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

struct Size {
  uint32_t rows, columns, k;  // tiles
};

class CompiledMatmul : public testing::Test {
 protected:
  // The kernel's product of random matrices against that of generated kernels.
  void compare(const char* kernel, Size size, bool by_tile, Format left, Format right, const graph::RunOptions& options,
               bool transposes = false) {
    const Tensor a = graph::random_tensor(32 * size.rows, 32 * size.k, left, 1);
    const Tensor b = graph::random_tensor(32 * size.k, 32 * size.columns, right, 2);
    const Tensor c =
        on_.run(kernel, {{0, a}, {1, transposes ? with_transposed_tiles(b) : b}},
                {a.rows, b.columns, options.matmul.out, {}}, {size.rows, size.columns, size.k, by_tile, transposes});
    EXPECT_EQ(c.values, on_.generated("a @ b", {{"a", a}, {"b", b}}, options).values)
        << size.rows << " x " << size.columns << " tiles, K of " << size.k << (by_tile ? ", tile by tile" : "");
  }

  static Tensor with_transposed_tiles(const Tensor& b) {
    Tensor t = b;
    const auto at = [&](uint32_t row, uint32_t column) { return size_t{row} * b.columns + column; };
    for (uint32_t row = 0; row < b.rows; ++row) {
      for (uint32_t column = 0; column < b.columns; ++column)
        t.values[at(row / 32 * 32 + column % 32, column / 32 * 32 + row % 32)] = b.values[at(row, column)];
    }
    return t;
  }

  OnCore on_;
};

TEST_F(CompiledMatmul, GivesTheBitsOfGeneratedOnes) {
  for (const Size size : {Size{1, 1, 1}, {2, 3, 3}, {3, 2, 2}, {1, 8, 2}, {8, 1, 2}, {2, 4, 5}}) {
    for (const bool by_tile : {false, true}) {
      compare(KERR_KERNEL_compute_matmul, size, by_tile, Format::Bf16, Format::Bf16,
              {.matmul = {.fidelity = kernels::Fidelity::HiFi2}});
    }
  }
}

TEST_F(CompiledMatmul, TransposesTilesOfTheRightOperand) {
  for (const Size size : {Size{1, 1, 1}, {2, 3, 2}, {3, 2, 2}}) {
    for (const bool by_tile : {false, true}) {
      compare(KERR_KERNEL_compute_matmul, size, by_tile, Format::Bf16, Format::Bf16,
              {.matmul = {.fidelity = kernels::Fidelity::HiFi2}}, true);
    }
  }
}

TEST_F(CompiledMatmul, KnowsOtherFormats) {
  for (const bool by_tile : {false, true}) {
    compare(KERR_KERNEL_compute_matmul_wide, {2, 2, 2}, by_tile, Format::Bfp8, Format::Bfp8,
            {.format = Format::Fp32,
             .matmul = {.fidelity = kernels::Fidelity::HiFi4, .fp32_accumulate = true, .out = Format::Fp32}});
    compare(KERR_KERNEL_compute_matmul_int8, {2, 2, 2}, by_tile, Format::Int8, Format::Int8,
            {.format = Format::Int32, .matmul = {.fidelity = kernels::Fidelity::HiFi4, .out = Format::Int32}});
  }
}

}  // namespace
}  // namespace kerr::device_tests

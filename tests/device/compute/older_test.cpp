// What older releases of tt-metal call differently.
#include <gtest/gtest.h>

#include <bit>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

constexpr uint32_t kDepth = 3;

class OlderKernel : public testing::Test {
 protected:
  // The product to a power; 0: as it is.
  std::vector<float> run(uint32_t exponent) {
    return on_.run(KERR_KERNEL_compute_older, {{0, a_}, {1, b_}}, {32, 32, Format::Bf16, {}}, {kDepth, exponent})
        .values;
  }

  const Tensor a_ = graph::random_tensor(32, 32 * kDepth, Format::Bf16, 1);
  const Tensor b_ = graph::random_tensor(32 * kDepth, 32, Format::Bf16, 2);
  OnCore on_;
};

TEST_F(OlderKernel, WithItsHeadersAndDefaultsGivesTheBitsOfGeneratedOnes) {
  const graph::RunOptions options{.matmul = {.fidelity = kernels::Fidelity::HiFi4}};
  EXPECT_EQ(run(0), on_.generated("a @ b", {{"a", a_}, {"b", b_}}, options).values);
}

TEST_F(OlderKernel, GivesExponentsOfPowersAsNumbersAndLaterOnesGiveThemAsBits) {
  const std::vector<float> squares = run(2);
  EXPECT_NE(squares, run(0));
  EXPECT_EQ(squares, run(std::bit_cast<uint32_t>(2.0f)));
}

}  // namespace
}  // namespace kerr::device_tests

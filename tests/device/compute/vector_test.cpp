#include <gtest/gtest.h>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

struct Case {
  const char* call;
  const char* expression;
  float low, high;
};
constexpr Case kCases[] = {
#define X(call, expression, low, high) {#call, expression, low, high},
#include "tests/device/compute/kernels/vector_cases.def"
};

class CompiledVectorFunctions : public testing::Test {
 protected:
  void compare(const char* kernel, Format format) {
    for (uint32_t number = 0; number < std::size(kCases); ++number) {
      const Case& c = kCases[number];
      const Tensor all = graph::random_tensor(32, 96, format, c.low, c.high, number);
      const auto part = [&](uint32_t tile) {
        Tensor t{32, 32, format, {}};
        for (uint32_t row = 0; row < 32; ++row) {
          const auto first = all.values.begin() + 96 * row + 32 * tile;
          t.values.insert(t.values.end(), first, first + 32);
        }
        return t;
      };
      graph::Inputs inputs{{"x", part(0)}, {"y", part(1)}, {"z", part(2)}};
      const Tensor got = on_.run(kernel, {{0, all}}, {32, 32, format, {}}, {number});
      EXPECT_EQ(got.values, on_.generated(c.expression, inputs, {.format = format}).values) << c.call;
    }
  }

  OnCore on_;
};

TEST_F(CompiledVectorFunctions, GiveTheBitsOfExpressionsOfBf16) { compare(KERR_KERNEL_compute_vector, Format::Bf16); }
TEST_F(CompiledVectorFunctions, GiveTheBitsOfExpressionsOfFp32) {
  compare(KERR_KERNEL_compute_vector_fp32, Format::Fp32);
}
TEST_F(CompiledVectorFunctions, GiveTheBitsOfExpressionsOfFp16) {
  compare(KERR_KERNEL_compute_vector_fp16, Format::Fp16);
}

}  // namespace
}  // namespace kerr::device_tests

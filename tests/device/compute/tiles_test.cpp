// Operations of the matrix unit on numbers for which all that they do is exact: quarters from -1 to 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

Tensor quarters(uint32_t rows, uint32_t columns, Format format, uint64_t seed) {
  Tensor t = graph::random_tensor(rows, columns, format, seed);
  for (float& value : t.values) value = static_cast<float>(static_cast<int>(value * 5)) / 4;
  return t;
}

struct Operands {
  Tensor xw, y;  // x and w side by side

  float x(uint32_t i, uint32_t j) const { return xw.values[64 * i + j]; }
  float w(uint32_t i, uint32_t j) const { return xw.values[64 * i + 32 + j]; }
  float y_(uint32_t i, uint32_t j) const { return y.values[32 * i + j]; }
  float sum(uint32_t i, uint32_t j, uint32_t down, uint32_t right, uint32_t count) const {
    float total = 0;
    for (uint32_t n = 0; n < count; ++n) total += x(i + n * down, j + n * right);
    return total;
  }
  float sum_of_w(uint32_t i) const {
    float total = 0;
    for (uint32_t j = 0; j < 32; ++j) total += w(i, j);
    return total;
  }
  float total() const {
    float all = 0;
    for (uint32_t i = 0; i < 32; ++i) all += sum(i, 0, 0, 1, 32);
    return all;
  }
  float most(uint32_t i, uint32_t j, uint32_t down, uint32_t right) const {
    float most = x(i, j);
    for (uint32_t n = 1; n < 32; ++n) most = std::max(most, x(i + n * down, j + n * right));
    return most;
  }
  float product(uint32_t i, uint32_t j) const {
    float sum = 0;
    for (uint32_t k = 0; k < 32; ++k) sum += x(i, k) * y_(k, j);
    return std::max(sum, 0.0f);
  }
};

struct Case {
  const char* code;
  float (*reference)(const Operands&, uint32_t i, uint32_t j);
};
constexpr Case kCases[] = {
#define X(value, ...)                                                                                       \
  {#__VA_ARGS__, [](const Operands& o, [[maybe_unused]] uint32_t i, [[maybe_unused]] uint32_t j) -> float { \
     [[maybe_unused]] const auto x = [&](uint32_t r, uint32_t c) { return o.x(r, c); };                     \
     [[maybe_unused]] const auto w = [&](uint32_t r, uint32_t c) { return o.w(r, c); };                     \
     [[maybe_unused]] const auto y = [&](uint32_t r, uint32_t c) { return o.y_(r, c); };                    \
     [[maybe_unused]] const auto sum = [&](auto... a) { return o.sum(a...); };                              \
     [[maybe_unused]] const auto most = [&](auto... a) { return o.most(a...); };                            \
     [[maybe_unused]] const auto sum_of_w = [&](uint32_t r) { return o.sum_of_w(r); };                      \
     [[maybe_unused]] const auto total = [&] { return o.total(); };                                         \
     [[maybe_unused]] const auto relu_of_product = [&](uint32_t r, uint32_t c) { return o.product(r, c); }; \
     return value;                                                                                          \
   }},
#include "tests/device/compute/kernels/tile_cases.def"
};

class CompiledTileOperations : public testing::Test {
 protected:
  void compare(const char* kernel, Format in, Format out) {
    const Operands o{quarters(32, 64, in, 3), quarters(32, 32, in, 4)};
    const Tensor ones{32, 32, in, std::vector<float>(1024, 1.0f)};
    for (uint32_t number = 0; number < std::size(kCases); ++number) {
      const Tensor got = on_.run(kernel, {{0, o.xw}, {1, o.y}, {2, ones}}, {32, 32, out, {}}, {number});
      uint32_t wrong = 0, first = 0;
      for (uint32_t n = 1024; n-- > 0;) {
        if (got.values[n] == kCases[number].reference(o, n / 32, n % 32)) continue;
        ++wrong;
        first = n;
      }
      EXPECT_EQ(wrong, 0u) << kCases[number].code << ": first at row " << first / 32 << ", column " << first % 32
                           << ": " << got.values[first] << " instead of "
                           << kCases[number].reference(o, first / 32, first % 32);
    }
  }

  OnCore on_;
};

TEST_F(CompiledTileOperations, AreExactInBf16) { compare(KERR_KERNEL_compute_tiles, Format::Bf16, Format::Bf16); }
TEST_F(CompiledTileOperations, AreExactInAWideDst) {
  compare(KERR_KERNEL_compute_tiles_wide, Format::Bf16, Format::Fp32);
}
TEST_F(CompiledTileOperations, AreExactInFp32) { compare(KERR_KERNEL_compute_tiles_fp32, Format::Fp32, Format::Fp32); }

}  // namespace
}  // namespace kerr::device_tests

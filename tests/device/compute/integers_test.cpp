// Integers of 32 bits in two's complement.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "tests/device/compute/on_core.hpp"

namespace kerr::device_tests {
namespace {

struct Case {
  const char* code;
  int64_t (*value)(int64_t x, int64_t y, int64_t z);  // the low 32 bits count
};
constexpr Case kCases[] = {
#define X(result, ...)                                                                     \
  {#__VA_ARGS__, [](int64_t a, int64_t b, int64_t c) -> int64_t {                          \
     [[maybe_unused]] const auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b), \
                                 z = static_cast<int32_t>(c);                              \
     return result;                                                                        \
   }},
#include "tests/device/compute/kernels/integer_cases.def"
};

TEST(CompiledIntegerFunctions, CalculateModuloTwoToTheThirtySecond) {
  OnCore on;
  std::mt19937 random(5);
  std::vector<int32_t> numbers(3 * 1024);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int32_t>(random());
    if (i % 4 == 0) numbers[i] >>= 24;  // small ones, zeros and equal ones, too
  }
  std::vector<std::byte> bytes(4 * numbers.size());
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  for (uint32_t number = 0; number < std::size(kCases); ++number) {
    const auto out = on.run(KERR_KERNEL_compute_integers, {{0, 4096, bytes}}, 1, 4096, {number});
    uint32_t wrong = 0;
    for (size_t i = 0; i < 1024; ++i) {
      int32_t got = 0;
      std::memcpy(&got, out.data() + 4 * i, 4);
      const auto wanted = static_cast<int32_t>(kCases[number].value(numbers[i], numbers[1024 + i], numbers[2048 + i]));
      wrong += got != wanted;
    }
    EXPECT_EQ(wrong, 0u) << kCases[number].code;
  }
}

}  // namespace
}  // namespace kerr::device_tests

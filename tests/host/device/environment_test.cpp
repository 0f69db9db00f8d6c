#include "host/device/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "host/error.hpp"

namespace kerr::host {
namespace {

constexpr const char* kName = "KERR_TEST_SEED";

std::optional<uint64_t> seed_of(const char* text) {
  ::setenv(kName, text, 1);
  return seed_of_environment(kName);
}

TEST(Environment, HoldsASeedInDecimalOrHexadecimalOrNone) {
  EXPECT_EQ(seed_of("12"), 12u);
  EXPECT_EQ(seed_of("0x10"), 16u);
  EXPECT_EQ(seed_of("18446744073709551615"), ~uint64_t{0});
  EXPECT_EQ(seed_of(""), std::nullopt);
  ::unsetenv(kName);
  EXPECT_EQ(seed_of_environment(kName), std::nullopt);
}

TEST(Environment, ThatHoldsNoNumberIsRefusedByName) {
  for (const char* text : {"on", "-1", " 5", "5x", "18446744073709551616"}) {
    try {
      seed_of(text);
      ADD_FAILURE() << text;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.category(), Category::HostError);
      EXPECT_NE(std::string(error.what()).find(kName), std::string::npos) << error.what();
    }
  }
  ::unsetenv(kName);
}

}  // namespace
}  // namespace kerr::host

#include <gtest/gtest.h>

#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {
namespace {

class Silicon : public testing::TestWithParam<Micro> {};

TEST_P(Silicon, IsMatchedWithinTheTolerance) {
  const Micro& m = GetParam();
  EXPECT_NEAR(m.measure(), m.silicon, m.tolerance * m.silicon + 0.005) << m.group << ": " << m.name;
}

std::string test_name(const testing::TestParamInfo<Micro>& info) {
  std::string name;
  for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Micro, Silicon, testing::ValuesIn(all_micros()), test_name);

}  // namespace
}  // namespace kerr::timing_tests

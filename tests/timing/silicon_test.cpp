#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

static void PrintTo(const Micro& m, std::ostream* out) { *out << m.group << ": " << m.name; }

namespace {

class Silicon : public testing::TestWithParam<Micro> {};

TEST_P(Silicon, IsMatchedWithinTheTolerance) {
  const Micro& m = GetParam();
  const double kerr = m.measure();
  EXPECT_NE(fits(m, kerr), m.expected_miss)
      << m.group << ": " << m.name << ": " << kerr << " where silicon takes " << m.silicon;
}

std::string test_name(const testing::TestParamInfo<Micro>& info) {
  std::string name;
  for (const char c : info.param.group + " " + info.param.name)
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

TEST(SiliconPage, HoldsTheTableOfThisModel) {
  std::ifstream file(KERR_SOURCE_DIR "/docs/performance/timing.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_NE(page.str().find(markdown().substr(1)), std::string::npos)
      << "Put the output of kerr_timing_table between the marks of docs/performance/timing.md.";
}

INSTANTIATE_TEST_SUITE_P(Micro, Silicon, testing::ValuesIn(all_micros()), test_name);

}  // namespace
}  // namespace kerr::timing_tests

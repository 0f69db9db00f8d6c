#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "tests/timing/micro.hpp"

namespace kerr::timing_tests {

static void PrintTo(const Micro& m, std::ostream* out) { *out << m.group << ": " << m.name; }

namespace {

bool long_rows() { return std::getenv("KERR_LONG_ROWS") != nullptr; }

class Silicon : public testing::TestWithParam<Micro> {};

TEST_P(Silicon, IsMatchedWithinTheTolerance) {
  const Micro& m = GetParam();
  if (m.slow && !long_rows()) GTEST_SKIP() << "long";
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
  std::string line;
  while (std::getline(file, line) && line != "<!-- table -->") {
  }
  const std::vector<std::string> table = timing_tests::table(long_rows());
  for (size_t i = 1; i < table.size(); ++i) {  // no empty line before the first group
    ASSERT_TRUE(std::getline(file, line));
    const bool whole = !table[i].ends_with("| ");  // of a slow row only the beginning
    ASSERT_EQ(whole ? line : line.substr(0, table[i].size()), table[i])
        << "Put the output of kerr_timing_table between the marks of docs/performance/timing.md.";
  }
  std::getline(file, line);
  EXPECT_EQ(line, "<!-- end of table -->");
}

INSTANTIATE_TEST_SUITE_P(Micro, Silicon, testing::ValuesIn(all_micros()), test_name);

}  // namespace
}  // namespace kerr::timing_tests

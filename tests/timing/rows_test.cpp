// Whole matmuls beside silicon. The long ones only if KERR_LONG_ROWS is set (make test-long).
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>

#include "tests/timing/matmul_rows.hpp"

namespace kerr::timing_tests {

static void PrintTo(const MatmulRow& row, std::ostream* out) { *out << row.table << ": " << row.name(); }

namespace {

class MatmulOnSilicon : public testing::TestWithParam<MatmulRow> {};

TEST_P(MatmulOnSilicon, TakesAsLongWithinItsBand) {
  const MatmulRow& row = GetParam();
  const uint64_t quick = row.table == "seed" ? 1024 : 512;
  if (row.shape.m * row.shape.n * row.shape.k > quick * quick * quick && std::getenv("KERR_LONG_ROWS") == nullptr)
    GTEST_SKIP() << "long";
  const double us = kerr_us(row);
  EXPECT_NE(row.fits(us), row.expected_miss)
      << row.table << ", " << row.name() << ": " << us << " us where silicon takes " << row.silicon_us();
}

std::string test_name(const testing::TestParamInfo<MatmulRow>& info) {
  std::string name;
  for (const char c : info.param.table + " " + info.param.name())
    name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(Rows, MatmulOnSilicon, testing::ValuesIn(matmul_rows()), test_name);

}  // namespace
}  // namespace kerr::timing_tests

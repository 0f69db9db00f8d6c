// What kernels in C++ cost beside generated ones: the products of examples/matmul_multicast, in exact timing. The long
// one only if KERR_LONG_ROWS is set (make test-long).
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace kerr::timing_tests {
namespace {

constexpr double kMostTimes = 1.3;
constexpr uint32_t kQuick = 512;

std::string output_of(const std::string& command) {
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char part[4096];
  while (const size_t bytes = std::fread(part, 1, sizeof part, pipe)) text.append(part, bytes);
  ::pclose(pipe);
  return text;
}

// The number behind "name: "; 0 if there is none.
double cycles(const std::string& text, const std::string& name) {
  const size_t at = text.find(name + ": ");
  return at == std::string::npos ? 0 : std::atof(text.c_str() + at + name.size() + 2);
}

class MatmulInCpp : public testing::TestWithParam<uint32_t> {};

TEST_P(MatmulInCpp, TakesAtMostThreeTenthsMoreCyclesThanGeneratedKernels) {
  const uint32_t size = GetParam();
  if (size > kQuick && std::getenv("KERR_LONG_ROWS") == nullptr) GTEST_SKIP() << "long";
  const std::string n = std::to_string(size);
  const std::string text = output_of(std::string(KERR_MATMUL_MULTICAST) + " " + n + " " + n + " " + n + " 2>&1");
  EXPECT_NE(text.find("verified, the same bits as generated kernels"), std::string::npos) << text;
  const double in_cpp = cycles(text, "C++"), generated = cycles(text, "generated");
  ASSERT_GT(in_cpp, 0) << text;
  EXPECT_LE(in_cpp, kMostTimes * generated) << text;
  RecordProperty("ratio", std::to_string(in_cpp / generated));
}

INSTANTIATE_TEST_SUITE_P(Cubes, MatmulInCpp, testing::Values(kQuick, 2048u),
                         [](const auto& cube) { return "Of" + std::to_string(cube.param); });

}  // namespace
}  // namespace kerr::timing_tests

// Replays the committed corpus of the fuzzer on each target: nothing crashes, and the same bytes leave the same state.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/fuzz/targets.hpp"

namespace kerr::fuzz {
namespace {

class FuzzTarget : public testing::TestWithParam<Target> {};

TEST_P(FuzzTarget, TakesEveryInputOfTheCorpus) {
  unsigned count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(KERR_SOURCE_DIR) /
                                                               "tests/fuzz/corpus" / GetParam().name)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
    const std::vector<uint8_t> bytes(text.begin(), text.end());
    EXPECT_EQ(GetParam().run(bytes), GetParam().run(bytes)) << entry.path();
    ++count;
  }
  EXPECT_GE(count, 10u);
}

TEST_P(FuzzTarget, TakesRandomBytes) {
  std::mt19937 random(1);
  for (unsigned n = 0; n < GetParam().random_inputs; ++n) {
    std::vector<uint8_t> bytes(random() % 600);
    std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<uint8_t>(random()); });
    EXPECT_EQ(GetParam().run(bytes), GetParam().run(bytes)) << "input " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzTarget, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace kerr::fuzz

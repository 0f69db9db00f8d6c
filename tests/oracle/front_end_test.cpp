// Replays what the reference simulator made of random front-end programs.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "oracle/front_end_case.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

TEST(FrontEndVectors, RandomProgramsLeaveTheRecordedState) {
  std::ifstream file(std::string(KERR_SOURCE_DIR) + "/tests/oracle/vectors/front_end.txt");
  ASSERT_TRUE(file);
  unsigned replayed = 0;
  for (std::string line; std::getline(file, line);) {
    unsigned seed = 0, crc = 0;
    if (std::sscanf(line.c_str(), "%u %X", &seed, &crc) != 2) continue;
    std::mt19937 random(seed);
    const FrontEndCase c = random_front_end_case(random);
    EXPECT_EQ(crc32(run_on_coprocessor(c)), crc) << "seed " << seed << "\n" << describe(c);
    ++replayed;
  }
  EXPECT_GE(replayed, 100u);
}

}  // namespace
}  // namespace kerr::oracle

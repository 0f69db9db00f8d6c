#include "emu/timing/parameters.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace kerr::emu::timing {
namespace {

TEST(TimingParameters, EachHasANameOfItsOwnAndAllowsItsUsualValue) {
  std::set<std::string_view> names;
  for (const ParameterRow& row : parameter_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(find_parameter(row.name), &row);
    EXPECT_EQ(kBlackhole.*row.member, row.value) << row.name;
    EXPECT_EQ(problem_with(row, row.value), std::nullopt) << row.name;
  }
  EXPECT_EQ(find_parameter("warp_factor"), nullptr);
}

TEST(TimingParameters, AValueThatNothingCanHaveIsRefused) {
  EXPECT_EQ(problem_with(*find_parameter("noc_channel_flits"), 33), "must be from 1 to 32, not 33");
  EXPECT_EQ(problem_with(*find_parameter("noc_hop"), 64), "must be from 1 to 63, not 64");
  EXPECT_EQ(problem_with(*find_parameter("noc_hop"), 0), "must be from 1 to 63, not 0");
  EXPECT_EQ(problem_with(*find_parameter("hart_mispredict"), 0), std::nullopt);
}

TEST(TimingParameters, AtAnotherClockOnlyWhatHasItsOwnClockChanges) {
  const Parameters slow = at_clock(kBlackhole, 675);
  EXPECT_EQ(slow.clock_mhz, 675u);
  EXPECT_EQ(slow.dram_access, kBlackhole.dram_access / 2);
  EXPECT_EQ(slow.dram_tenth_bytes_per_cycle, 2 * kBlackhole.dram_tenth_bytes_per_cycle);
  EXPECT_EQ(slow.noc_hop, kBlackhole.noc_hop);
  EXPECT_EQ(at_clock(kBlackhole, kBlackhole.clock_mhz), kBlackhole);
}

}  // namespace
}  // namespace kerr::emu::timing

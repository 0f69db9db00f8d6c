// kerr reset, as a shell sees it.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(ResetCommand, ResetNamesItsSteps) {
  const Outcome outcome = kerr("reset");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("the interface timer reset the chip"), std::string::npos) << outcome.text;
  EXPECT_TRUE(parsed(kerr("reset --json").text).at("chip_reset"));
}

}  // namespace
}  // namespace kerr::cli

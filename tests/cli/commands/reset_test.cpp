// kerr reset, as a shell sees it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(ResetCommand, ResetNamesItsSteps) {
  const Outcome outcome = kerr("reset");
  EXPECT_EQ(outcome.status, 0);
  EXPECT_NE(outcome.text.find("the interface timer reset the chip"), std::string::npos) << outcome.text;
  EXPECT_TRUE(nlohmann::json::parse(kerr("reset --json").text).at("chip_reset"));
}

}  // namespace
}  // namespace kerr::cli

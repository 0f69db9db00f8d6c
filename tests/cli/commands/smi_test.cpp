// kerr smi, as a shell sees it.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/command.hpp"
#include "tests/cli/json.hpp"

namespace kerr::cli {
namespace {

TEST(SmiCommand, SmiShowsWhatTheManagementControllerSays) {
  const nlohmann::json json = parsed(kerr("smi --board p150 --json").text);
  EXPECT_EQ(json.at("board"), "p150a");
  EXPECT_EQ(json.at("tensix_tiles"), 140);
  EXPECT_EQ(json.at("clocks").at("AICLK"), 800);
  EXPECT_EQ(json.at("temperature").at("ASIC"), 40.0);
  EXPECT_TRUE(json.at("power").at("input").is_null()) << "the emulator has no power meter";
  const Outcome text = kerr("smi");
  EXPECT_EQ(text.status, 0);
  EXPECT_NE(text.text.find("Tensix columns 3, 8  (120 tiles good)"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("DRAM banks 3  (7 good)"), std::string::npos) << text.text;
  EXPECT_NE(text.text.find("AICLK                  800 MHz"), std::string::npos) << text.text;
}

TEST(SmiCommand, ABoardMayBeGivenTheNameThatItGivesItself) {
  EXPECT_EQ(parsed(kerr("smi --board p150a --json").text).at("board"), "p150a");
  EXPECT_NE(kerr("smi").text.find("800 MHz  idle: 1350 while programs run"), std::string::npos);
}

}  // namespace
}  // namespace kerr::cli

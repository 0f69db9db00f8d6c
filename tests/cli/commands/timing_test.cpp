// kerr timing show, as a shell sees it.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(TimingCommand, ReadsBackTheTimingParametersThatItShows) {
  const Scratch shown(kerr("timing show --clock 800 --json").text);
  EXPECT_EQ(kerr("timing show --json --timing-parameters " + shown.path()).text,
            kerr("timing show --clock 800 --json").text);
  EXPECT_NE(kerr("timing show --json").text, kerr("timing show --clock 800 --json").text);
}

TEST(TimingCommand, NamesWhatIsWrongWithTimingParameters) {
  const struct {
    const char* file;
    const char* offender;
  } wrong[] = {
      {"{", "no JSON"},
      {"3", "a list or an object"},
      {R"({"warp_factor": 3})", "'warp_factor'"},
      {R"([{"name": "noc_hop", "value": 9, "unit": "ns"}])", "noc_hop is in cycles, not in \"ns\""},
      {R"([{"name": "noc_hop", "value": 9, "colour": 1}])", "'colour'"},
      {R"({"noc_hop": -1})", "noc_hop = -1"},
      {R"({"noc_hop": 0})", "noc_hop must be from 1"},
      {R"([{"name": "noc_hop", "value": 9}, {"name": "noc_hop", "value": 8}])", "noc_hop is there twice"},
  };
  for (const auto& [content, offender] : wrong) {
    const Scratch file(content);
    const Outcome outcome = kerr("timing show --timing-parameters " + file.path());
    EXPECT_EQ(outcome.status, 2) << content;
    EXPECT_NE(outcome.text.find(offender), std::string::npos) << content << "\n" << outcome.text;
    EXPECT_NE(outcome.text.find(file.path()), std::string::npos) << outcome.text;
  }
  const Scratch good(R"({"noc_hop": 10})");
  EXPECT_EQ(kerr("matmul 8 8 8 --timing-parameters " + good.path()).status, 2) << "exact timing only";
}

}  // namespace
}  // namespace kerr::cli

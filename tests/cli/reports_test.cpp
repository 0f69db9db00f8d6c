// What kerr matmul prints and writes of a profile and of a timeline.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/reports.hpp"
#include "jobs/matmul.hpp"
#include "kernels/blocks/zone.hpp"

namespace kerr::cli {
namespace {

constexpr auto kMultiply = static_cast<uint32_t>(kernels::Zone::Multiply);

TEST(ProfileReport, AddsUpZonesByHartAndListsCoresFromTheFirstStart) {
  const jobs::Profile profile{
      {.name = "matmul", .start_cycles = 100, .end_cycles = 400, .cores = {{{1, 2}, 110, 300}, {{2, 2}, 120, 400}}},
      {.all = {{{1, 2}, arch::Hart::Trisc1, kMultiply, 130, 150},
               {{1, 2}, arch::Hart::Trisc1, kMultiply, 160, 190},
               {{2, 2}, arch::Hart::Trisc1, kMultiply, 200, 300}}}};
  EXPECT_EQ(text(profile, "  "),
            "  program 'matmul': 300 cycles from go to done\n"
            "  hart     zone       cores    zones  cycles a core        least         most\n"
            "  TRISC1   multiply       2        3             75           50          100\n"
            "  core          start        end     cycles\n"
            "  (1,2)             0        190        190\n"
            "  (2,2)            10        290        280\n");
  const auto parsed = nlohmann::json::parse(json(profile).dump(0));
  EXPECT_EQ(parsed.at("cores").size(), 2u);
  EXPECT_EQ(parsed.at("zones").at(2).at("zone"), "multiply");
}

TEST(TimelineReport, WritesATraceAndAPicture) {
  jobs::MatmulJob job{.shape = {32, 32, 32}, .observing = {.watch = jobs::Watch::Timeline}};
  job.device.emulator.timing = emu::Timing::Exact;
  const jobs::MatmulOutcome outcome = jobs::run(job);
  const auto folder = std::filesystem::temp_directory_path();
  const TimelineRequest request{.trace = (folder / "kerr_utilisation_trace.json").string(),
                                .heat_map = (folder / "kerr_utilisation_links.svg").string()};
  TimelineFiles(request).write(*outcome.timeline, outcome.clock_mhz, "32",
                               job.device.emulator.boards.front().harvesting);
  std::ifstream trace(request.trace), picture(request.heat_map);
  EXPECT_GT(nlohmann::json::parse(trace).at("traceEvents").size(), 100u);
  const std::string svg{std::istreambuf_iterator<char>(picture), {}};
  EXPECT_EQ(svg.substr(0, 4), "<svg");
  EXPECT_NE(svg.find("NoC 0 ("), std::string::npos);
  std::filesystem::remove(request.trace);
  std::filesystem::remove(request.heat_map);
}

}  // namespace
}  // namespace kerr::cli

// What a page is made of, of a machine of several chips.
#include "report/page/run_shown.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "arch/boards.hpp"

namespace kerr::report {
namespace {

RunShown of_two_chips(const Timeline& timeline, const Profile& profile) {
  RunShown run{.title = "two", .timing = "relaxed", .timeline = &timeline, .profile = &profile, .end = 100};
  run.chips = {{"p100a", arch::kP100a.harvesting}, {"p150", arch::kP150.harvesting}};
  return run;
}

TEST(RunShown, HasEachChipWithItsOwnTilesAndCode) {
  Timeline timeline;
  Profile profile({arch::kP100a, arch::kP100a});
  emu::TileId tile = emu::TileId::at(1, 3, 4);
  const emu::Actor brisc{.tile = tile, .agent = emu::Agent::Brisc, .cycle = 5, .pc = 0x1000};
  timeline.retired(brisc, 0x1000, 0x13);
  profile.retired(brisc, 0x1000, 0x13);
  const Json run = json(of_two_chips(timeline, profile));
  const auto j = nlohmann::ordered_json::parse(run.dump(0));
  EXPECT_EQ(j["board"], "p100a");
  EXPECT_TRUE(j["code"].empty());
  ASSERT_EQ(j["more_chips"].size(), 1u);
  const auto& second = j["more_chips"][0];
  EXPECT_EQ(second["board"], "p150");
  ASSERT_EQ(second["code"].size(), 1u);
  EXPECT_EQ(second["code"][0]["hart"], "BRISC");
  EXPECT_EQ(second["code"][0]["places"].size(), 1u);
  EXPECT_NE(second["tiles"], j["tiles"]) << "another harvesting";
  EXPECT_NE(second["data"], j["data"]);
  EXPECT_TRUE(second["launches"].empty());
}

TEST(RunShown, HasTheKernelsOfEachChip) {
  Timeline timeline;
  Profile profile({arch::kP100a, arch::kP150});
  for (const uint8_t chip : {0, 1, 2}) {  // of two: a damaged log may name any
    arch::note::Launched launch{.program = chip == 0 ? "sum" : "product", .chip = chip};
    launch.groups.push_back({.cores = {{1, 2}}, .slots = {}, .kernels = {}});
    launch.groups[0].kernels.push_back(
        {.hart = arch::Hart::Brisc, .code = {chip == 0 ? "adder" : "multiplier", 0x1000, 16, nullptr, 0}});
    profile.noted(launch, 2);
  }
  for (const int chip : {0, 1}) {
    const emu::Actor brisc{.tile = emu::TileId::at(chip, 1, 2), .agent = emu::Agent::Brisc, .cycle = 5, .pc = 0x1000};
    timeline.retired(brisc, 0x1000, 0x13);
    profile.retired(brisc, 0x1000, 0x13);
  }
  const auto first = nlohmann::ordered_json::parse(json(of_two_chips(timeline, profile)).dump(0));
  const auto& second = first["more_chips"][0];
  ASSERT_EQ(first["launches"].size(), 1u);
  EXPECT_EQ(first["launches"][0]["program"], "sum");
  ASSERT_EQ(first["code"].size(), 1u);
  EXPECT_EQ(first["code"][0]["name"], "adder");
  ASSERT_EQ(second["launches"].size(), 1u);
  EXPECT_EQ(second["launches"][0]["program"], "product");
  ASSERT_EQ(second["code"].size(), 1u);
  EXPECT_EQ(second["code"][0]["name"], "multiplier");
}

TEST(RunShown, OfOneChipHasNoOthers) {
  const Timeline timeline;
  const Profile profile({arch::kP100a});
  RunShown run = of_two_chips(timeline, profile);
  run.chips.pop_back();
  EXPECT_FALSE(nlohmann::ordered_json::parse(json(run).dump(0)).contains("more_chips"));
}

TEST(RunShown, APathIsOfItsChip) {
  Timeline timeline;
  for (const int chip : {0, 1}) {
    const emu::TileId tile = emu::TileId::at(chip, 1, 2);
    const auto end = static_cast<emu::Cycle>(chip == 0 ? 40 : 90);
    timeline.issued({.tile = tile, .agent = emu::Agent::Thread0, .cycle = 1}, 0);
    timeline.retired({.tile = tile, .agent = emu::Agent::Brisc, .cycle = 1, .pc = 0}, 0, 0x13);
    timeline.stalled({.tile = tile, .agent = emu::Agent::Brisc, .cycle = end},
                     {.what = emu::wait::kTime, .polls = true});
  }
  for (const int chip : {0, 1}) {
    const std::vector<PathSegment> path = critical_path(timeline, 0, 100, chip);
    ASSERT_FALSE(path.empty());
    EXPECT_EQ(path.back().tile.chip, chip);
    EXPECT_EQ(path.back().end, chip == 0 ? 40u : 90u);
  }
}

}  // namespace
}  // namespace kerr::report

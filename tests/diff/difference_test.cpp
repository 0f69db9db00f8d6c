#include "diff/difference.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "jobs/run/code.hpp"
#include "jobs/run/places.hpp"
#include "jobs/run/run.hpp"

namespace kerr::diff {
namespace {

constexpr const char* kScale = R"(
        lw   t0, 0(a0)
        lw   t1, 4(a0)
        lw   t2, 8(a0)
loop:   lw   t3, 0(t0)
        add  t3, t3, t2
        sw   t3, 0(t0)
        addi t0, t0, 4
        addi t1, t1, -1
        bnez t1, loop
        ret
)";

class DifferenceTest : public testing::Test {
 protected:
  ~DifferenceTest() override { std::filesystem::remove_all(folder_); }

  // A log of the program above, which adds `step` to 16 words, on three cores.
  std::string log(const std::string& name, uint32_t step, emu::Timing timing = emu::Timing::Relaxed,
                  const char* code = kScale) {
    jobs::RunJob job;
    job.device.emulator.timing = timing;
    job.observing.recording.log = (folder_ / name).string();
    job.cores = jobs::Cores{"1-3,2"};
    job.kernels.push_back({.image = jobs::read_code(code, "scale.s", 0), .hart = arch::Hart::Brisc});
    job.kernels.back().args = jobs::parse_words(fmt::format("numbers,16,{}", step));
    job.buffers.push_back({.name = "numbers", .bytes = 128});
    job.loads.push_back({jobs::parse_placed_data("numbers:u32"), std::vector<std::byte>(128)});
    jobs::Listener nobody;
    const jobs::RunOutcome outcome = jobs::run(job, nobody);
    EXPECT_EQ(outcome.end, jobs::RunOutcome::End::Finished) << outcome.summary;
    return job.observing.recording.log;
  }
  static Difference difference(const std::string& a, const std::string& b) {
    return compare(a, b, 1, [](const std::string&) {});
  }

 private:
  static std::filesystem::path make_folder() {
    const auto path = std::filesystem::path(testing::TempDir()) / ("kerr_diff_" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path;
  }
  const std::filesystem::path folder_ = make_folder();
};

TEST_F(DifferenceTest, TwoRunsOfTheSameAreTheSame) {
  const Difference d = difference(log("a", 3), log("b", 3));
  EXPECT_TRUE(d.none()) << text(d);
  EXPECT_GT(d.inputs.equal, 10u);
  EXPECT_NE(text(d).find("the same: "), std::string::npos) << text(d);
  EXPECT_NE(json(d).dump(0).find("\"same\": true"), std::string::npos) << json(d).dump(0);
}

class ChangedArgument : public DifferenceTest, public testing::WithParamInterface<emu::Timing> {};

INSTANTIATE_TEST_SUITE_P(Timings, ChangedArgument, testing::Values(emu::Timing::Relaxed, emu::Timing::Exact),
                         [](const auto& timing) { return timing.param == emu::Timing::Exact ? "Exact" : "Relaxed"; });

TEST_P(ChangedArgument, IsNamedWithTileHartAndLine) {
  const Difference d = difference(log("a", 3, GetParam()), log("b", 4, GetParam()));
  EXPECT_FALSE(d.none());
  ASSERT_TRUE(d.inputs.differ[0]);
  ASSERT_TRUE(d.states.differ_at);
  EXPECT_LT(d.states.equal_until, *d.states.differ_at);
  ASSERT_TRUE(d.events.first) << text(d);
  const Parting& p = *d.events.first;
  EXPECT_EQ(p.place.agent, emu::Agent::Brisc);
  ASSERT_TRUE(p.a && p.b);
  EXPECT_EQ(p.a->event.kind, Event::Kind::Load);
  EXPECT_EQ(p.a->event.value, 3u);
  EXPECT_EQ(p.b->event.value, 4u);
  ASSERT_FALSE(p.a->site.frames.empty()) << text(d);
  EXPECT_EQ(p.a->site.frames.back().file, "scale.s");
  EXPECT_EQ(p.a->site.frames.back().line, 4u);
  EXPECT_NE(p.a->object.find("argument"), std::string::npos) << p.a->object;
  ASSERT_TRUE(p.before);
  EXPECT_EQ(p.before->site.frames.back().line, 3u);
  const std::string all = text(d);
  EXPECT_NE(all.find("(1,2) BRISC: another value"), std::string::npos) << all;
  EXPECT_NE(all.find("scale.s:4"), std::string::npos) << all;
  EXPECT_NE(json(d).dump(0).find("\"line\": \"scale.s:4\""), std::string::npos) << json(d).dump(0);
}

TEST_F(DifferenceTest, OtherCodeIsNamedWhereItIsFirstExecuted) {
  std::string other = kScale;
  other.replace(other.find("add  t3, t3, t2"), 15, "sub  t3, t3, t2");
  const Difference d = difference(log("a", 3), log("b", 3, emu::Timing::Relaxed, other.c_str()));
  ASSERT_TRUE(d.events.first) << text(d);
  EXPECT_EQ(d.events.first->a->event.kind, Event::Kind::Store) << text(d);
  EXPECT_EQ(d.events.first->a->event.value, 3u);
  EXPECT_EQ(static_cast<int32_t>(d.events.first->b->event.value), -3);
  EXPECT_EQ(d.events.first->a->site.frames.back().line, 7u);
}

TEST_F(DifferenceTest, ARunThatGoesOnWhereTheOtherHasEnded) {
  std::string longer = kScale;
  longer.replace(longer.find("        ret"), 11, "        sw t3, 0(t0)\n        ret");
  const Difference d = difference(log("a", 3), log("b", 3, emu::Timing::Relaxed, longer.c_str()));
  ASSERT_TRUE(d.events.first) << text(d);
  EXPECT_TRUE(d.events.first->b) << text(d);
}

TEST_F(DifferenceTest, RunsWithOtherTimingAreHeldAgainstEachOtherAllTheSame) {
  const Difference d = difference(log("a", 3), log("b", 3, emu::Timing::Exact));
  ASSERT_TRUE(d.states.differ_at);
  EXPECT_FALSE(text(d).empty());
}

TEST_F(DifferenceTest, DamagedLogsAreRefused) {
  const std::string good = log("a", 3), bad = log("b", 3);
  std::filesystem::resize_file(bad, std::filesystem::file_size(bad) / 2);
  EXPECT_THROW(difference(good, bad), emu::SnapshotError);
  EXPECT_THROW(difference(bad, good), emu::SnapshotError);
}

}  // namespace
}  // namespace kerr::diff

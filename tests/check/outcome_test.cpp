#include "check/outcome.hpp"

#include <gtest/gtest.h>

#include "check/finding_log.hpp"

namespace kerr::check {
namespace {

Stamp access_at(Part part, emu::Cycle cycle) { return {.number = 7, .cycle = cycle, .part = part}; }

TEST(RunOutcome, OfDataFollowsFromWhenTheyCame) {
  Transfer read;
  read.kind = Class::Read;
  const Stamp first = access_at(Part::Data, 100), then = access_at(Part::Agent, 200);
  EXPECT_EQ(outcome_of(first, false, then, "read", &read).outcome, Outcome::Harmful);
  EXPECT_EQ(outcome_of(first, false, then, "write", &read).outcome, Outcome::Harmful);
  const RunOutcome pushed = outcome_of(first, false, then, "push", &read);
  EXPECT_EQ(pushed.outcome, Outcome::Unknown);
  EXPECT_TRUE(pushed.pending);

  read.came = 150;
  EXPECT_EQ(outcome_of(first, false, then, "read", &read).outcome, Outcome::Latent);
  EXPECT_EQ(outcome_of(first, false, then, "read", &read).text, "in this run the data had come 50 cycles before");
  read.came = 388;
  EXPECT_EQ(outcome_of_answer(read, then, "push", nullptr).text,
            "in this run the data came 188 cycles behind the push");
}

TEST(RunOutcome, OfTwoReadsIntoOnePageIsWhichCameLast) {
  Transfer first, second;
  first.kind = second.kind = Class::Read;
  const Stamp then = access_at(Part::Data, 110);
  EXPECT_TRUE(outcome_of(access_at(Part::Data, 100), false, then, "write", &first).pending);
  first.came = 300;
  EXPECT_EQ(outcome_of_answer(first, then, "write", &second).outcome, Outcome::Latent);
  second.came = 200;
  EXPECT_EQ(outcome_of_answer(first, then, "write", &second).outcome, Outcome::Harmful);
}

TEST(RunOutcome, OfAReadThatPassedWhatWasSentBeforeIsHarmful) {
  EXPECT_EQ(outcome_of(access_at(Part::Agent, 200), true, access_at(Part::Arrival, 150), "write", nullptr).outcome,
            Outcome::Harmful);
  EXPECT_EQ(outcome_of(access_at(Part::Agent, 200), true, access_at(Part::Arrival, 250), "write", nullptr).outcome,
            Outcome::Latent);
}

TEST(RunOutcome, OfTwoStoresIsNotKnown) {
  const RunOutcome did = outcome_of(access_at(Part::Agent, 100), false, access_at(Part::Agent, 200), "write", nullptr);
  EXPECT_EQ(did.outcome, Outcome::Unknown);
  EXPECT_EQ(outcome_of(access_at(Part::Agent, 100), false, access_at(Part::Agent, 200), "read", nullptr).outcome,
            Outcome::Latent);
}

TEST(FindingLog, KeepsTheWorstOutcome) {
  FindingLog log;
  const FindingLog::Key key{Rule::Race, 1, 2, 3, 4, 0};
  EXPECT_EQ(log.number_of(key), FindingLog::kNone);
  ASSERT_TRUE(log.wants(key));
  log.add({.rule = Rule::Race});
  const size_t n = log.number_of(key);
  log.turned_out(n, Outcome::Latent, "lucky");
  log.turned_out(n, Outcome::Unknown, "");
  EXPECT_EQ(log.all()[0].outcome_text, "lucky");
  log.turned_out(n, Outcome::Harmful, "lost");
  log.turned_out(n, Outcome::Latent, "lucky again");
  EXPECT_EQ(log.all()[0].outcome, Outcome::Harmful);
  EXPECT_EQ(log.all()[0].outcome_text, "lost");
  log.turned_out(FindingLog::kNone, Outcome::Harmful, "of none");
}

}  // namespace
}  // namespace kerr::check

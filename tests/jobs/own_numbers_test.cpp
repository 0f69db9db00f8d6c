// Jobs with matrices of one's own, and what can be seen of a device.
#include "jobs/own_numbers.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "graph/parse.hpp"
#include "jobs/eval.hpp"
#include "jobs/matmul.hpp"

namespace kerr::jobs {
namespace {

OwnNumbers numbers(uint32_t rows, std::vector<float> values, kernels::Format format = kernels::Format::Bf16) {
  const auto columns = static_cast<uint32_t>(values.size() / rows);
  return {.tensor = {rows, columns, format, std::move(values)}, .batch = 1, .from = "a test", .conversion = {}};
}

TEST(OwnNumbers, AreWhatIsMultiplied) {
  MatmulJob job{.shape = {2, 1, 3}};
  job.a = numbers(2, {1, 2, 3, 4, 5, 6});
  job.b = numbers(3, {1, 0, -1});
  const MatmulOutcome outcome = run(job);
  EXPECT_TRUE(outcome.agreement.good());
  EXPECT_EQ(outcome.product.values, (std::vector<float>{-2, -2}));
}

TEST(OwnNumbers, OfAnotherShapeOrFormatAreRefused) {
  MatmulJob job{.shape = {2, 1, 3}};
  for (const OwnNumbers& wrong :
       {numbers(3, {1, 2, 3, 4, 5, 6}), numbers(2, {1, 2, 3, 4, 5, 6}, kernels::Format::Fp32)}) {
    job.a = wrong;
    EXPECT_THROW(run(job), std::invalid_argument);
  }
}

TEST(OwnNumbers, AreOperandsOfAnExpression) {
  EvalJob job{.graph = graph::parse("x * 2 + y", [](std::string_view) { return graph::Shape{1, 2}; })};
  job.operands.emplace("x", Operand{.matrix = graph::Matrix({1, 2}), .own = numbers(1, {1, 2})});
  job.operands.emplace("y", Operand{.matrix = graph::Matrix({1, 2}), .own = numbers(1, {10, 20})});
  Listener nobody;
  const EvalOutcome outcome = run(job, nobody);
  EXPECT_TRUE(outcome.agreement.good());
  EXPECT_EQ(outcome.result.values, (std::vector<float>{12, 24}));
  ASSERT_EQ(outcome.programs.size(), 1u);
  EXPECT_LT(outcome.programs[0].begin, outcome.programs[0].end);
}

TEST(Observing, IsRefusedOfADeviceThatTellsNothing) {
  const DeviceSpec library{.library = "some.so"};
  EXPECT_NO_THROW(check(Observing{}, library));
  EXPECT_THROW(check({.watch = Watch::Events}, library), std::invalid_argument);
  EXPECT_THROW(check({.hash_state = true}, library), std::invalid_argument);
  EXPECT_THROW(check({.recording = {.log = "x"}}, library), std::invalid_argument);
  EXPECT_THROW(check({.watch = Watch::Timeline}, DeviceSpec{}), std::invalid_argument) << "relaxed timing";
}

}  // namespace
}  // namespace kerr::jobs

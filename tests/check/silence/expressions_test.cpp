#include <string>
#include <string_view>

#include "graph/parse.hpp"
#include "jobs/eval.hpp"
#include "tests/check/silence/checked.hpp"

namespace kerr::check {
namespace {

std::string checked(std::string_view expression, kernels::Format format) {
  return report_on([&](const jobs::DeviceSpec& device) {
    jobs::EvalJob job{.graph = graph::parse(expression,
                                            [](std::string_view) {
                                              return graph::Shape{96, 96};
                                            }),
                      .device = device,
                      .format = format};
    for (const char* name : {"a", "b"}) job.operands.emplace(name, jobs::Operand{.matrix = graph::Matrix({96, 96})});
    jobs::Listener nobody;
    jobs::run(job, nobody);
  });
}

TEST(SilenceOfExpressions, InTwoFormats) {
  for (const char* expression : {"a + exp(b)", "sum(a + b)", "sum(a, axis=0) * b", "max(a, axis=1) + b", "a.T + b",
                                 "softmax(a) * b", "a.T @ b", "where(a > b, a, b)"}) {
    for (const kernels::Format format : {kernels::Format::Bf16, kernels::Format::Fp32}) {
      EXPECT_EQ(checked(expression, format), "") << expression;
    }
  }
}

}  // namespace
}  // namespace kerr::check

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

// Code of the vector unit, which has registers of its own.
TEST(SilenceOfExpressions, InManyOperations) {
  for (const char* expression :
       {"tanh(a) + sigmoid(b)", "gelu(a) + erf(b)", "log(a) + sqrt(b)", "rsqrt(a) + recip(b)", "floor(a) + round(b)",
        "pow(a, b)", "sin(a) * tan(b)", "softplus(a) - silu(b)", "sign(a) / trunc(b)", "exp2(a) + log2(b)",
        "int32(a) + int32(b)", "max(a, b) - min(a, b)"}) {
    EXPECT_EQ(checked(expression, kernels::Format::Bf16), "") << expression;
  }
}

}  // namespace
}  // namespace kerr::check

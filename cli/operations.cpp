#include "cli/operations.hpp"

#include <fmt/format.h>

#include <string>

#include "cli/version.hpp"
#include "graph/functions.hpp"
#include "kernels/expression/expression.hpp"
#include "report/json.hpp"

namespace kerr::cli {

int print_operations(bool json) {
  const auto of = [](kernels::OperationTypes types) {
    return types == kernels::OperationTypes::Float     ? "floats"
           : types == kernels::OperationTypes::Integer ? "integers"
                                                       : "both";
  };
  if (json) {
    report::Json list = report::Json::array();
    for (const kernels::OperationInfo& o : kernels::operations()) {
      list.push_back({{"operation", o.name},
                      {"operands", o.sources},
                      {"of", of(o.types)},
                      {"bf16_ulp", o.bf16_ulp},
                      {"fp32_ulp", o.fp32_ulp},
                      {"domain", o.domain},
                      {"may_be_zero_below_2_to", o.zero_below}});
    }
    write_json({{"operations", list}, {"of_matrices", graph::kFunctions}, {"others", graph::kOtherFunctions}});
    return 0;
  }
  fmt::print("{:<10}{:>10}  {:<14}{:>10}{:>10}  {}\n", "operation", "operands", "of", "bf16 ulp", "fp32 ulp", "where");
  for (const kernels::OperationInfo& o : kernels::operations()) {
    const auto ulps = [](double bound) { return bound == 0 ? std::string("exact") : fmt::format("{}", bound); };
    std::string where(o.domain);
    if (o.zero_below != -126)
      where += fmt::format("{}results below 2^{} may be 0", where.empty() ? "" : ", ", o.zero_below);
    fmt::print("{:<10}{:>10}  {:<14}{:>10}{:>10}  {}\n", o.name, o.sources, of(o.types), ulps(o.bf16_ulp),
               ulps(o.fp32_ulp), where);
  }
  fmt::print(
      "Results of integers, of 32 bits, are exact.\nOf whole matrices: {}\n  maxima and minima are exact; of sums and "
      "means of up to 200 numbers of one sign the relative error is at most 0.004 in bf16, 2e-7 in fp32\nOthers: {}\n",
      graph::kFunctions, graph::kOtherFunctions);
  return 0;
}

}  // namespace kerr::cli

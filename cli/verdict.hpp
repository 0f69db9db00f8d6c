// What 'kerr matmul' and 'kerr eval' say of a check.   docs/reference/verification.md
#pragma once

#include <string>
#include <string_view>

#include "graph/check.hpp"
#include "kernels/matmul/plan.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// What could still be asked for, so that more can be told: nothing that was asked for already.
struct Advice {
  bool product = false;  // the result is made of a matrix product
  bool fp32 = false;     // accumulation in fp32, or operands that bring it
  kernels::Fidelity fidelity = kernels::Fidelity::HiFi4;
  bool format = false;  // '--format fp32' is an option and not given
  std::string range;    // the name of an operand of which no range is given; empty: none
};

/// "verified", "right as far as it can be told", "wrong".
std::string_view word(graph::Verdict verdict);
/// Two lines of the report: how close all is, and how the elements were compared; both indented.
std::string agreement_text(const graph::Agreement& agreement);
/// "verified", or what else, in a sentence.
std::string verdict_text(const graph::Agreement& agreement, const Advice& advice);
/// The keys that both commands have.
void add_verdict(report::Json& json, const graph::Agreement& agreement);

}  // namespace kerr::cli

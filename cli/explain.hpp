// --explain: what would be run, without running it.
#pragma once

#include <string>

#include "jobs/eval.hpp"
#include "jobs/matmul.hpp"
#include "jobs/run/run.hpp"
#include "kernels/matmul/product.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// What the planner chose for the board's own grid, and what it costs; throws std::invalid_argument for impossible
/// sizes. Prints text, or JSON. Returns 0.
int explain(const jobs::MatmulJob& job, bool as_json);

/// The programs of an expression with their cores, kernels and buffers. The same otherwise.
int explain(const std::string& expression, const jobs::EvalJob& job, bool as_json);

/// Kernels, buffers and semaphores of code of one's own, at their addresses. The same otherwise.
int explain(const jobs::RunJob& job, bool as_json);

/// {"m": m, "n": n, "k": k}
report::Json json(const kernels::ProductShape& shape);

}  // namespace kerr::cli

// kerr matmul --explain: what the planner chose and what it costs, without running anything.
#pragma once

#include "jobs/matmul.hpp"
#include "kernels/matmul/product.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// Explains the plan for the board's own grid; throws std::invalid_argument for impossible sizes. Prints text, or JSON. Returns 0.
int explain(const jobs::MatmulJob& job, bool as_json);

/// {"m": m, "n": n, "k": k}
report::Json json(const kernels::ProductShape& shape);

}  // namespace kerr::cli

// kerr matmul --explain: what the planner chose and what it costs, without running anything.
#pragma once

#include "cli/matmul.hpp"

namespace kerr::cli {

/// Explains the plan for the board's own grid; throws std::invalid_argument for impossible sizes and boards. Prints
/// text, or JSON if the request wants it. Returns 0.
int explain_command(const MatmulRequest& request);

}  // namespace kerr::cli

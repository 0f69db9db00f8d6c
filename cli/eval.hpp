// kerr eval.
#pragma once

#include <string>
#include <vector>

#include "cli/device_flags.hpp"
#include "jobs/eval.hpp"

namespace kerr::cli {

/// Of random numbers, where one end of the range is given.
inline constexpr graph::Range kUsualRange{-1, 1};

struct EvalRequest {
  std::string expression;
  std::vector<std::string> shapes;  // "--a", "512x1024", ...
  jobs::EvalJob job;
  DeviceFlags device;
  bool show = false, json = false;
};

/// Returns the exit status. Throws std::invalid_argument or host::DeviceError with a sentence.
int eval_command(EvalRequest request);

}  // namespace kerr::cli

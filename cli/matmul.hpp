// kerr matmul.
#pragma once

#include <string>

#include "cli/device_flags.hpp"
#include "cli/timeline.hpp"
#include "jobs/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

struct MatmulRequest {
  jobs::MatmulJob job;
  DeviceFlags device;
  TimelineRequest timeline;
  std::string save_queue;  // the queue's host region goes to this file
  bool explain = false;    // run nothing
  bool json = false;
};

/// Runs it and prints the report. 0 unless it is wrong.
int matmul_command(MatmulRequest request);

}  // namespace kerr::cli

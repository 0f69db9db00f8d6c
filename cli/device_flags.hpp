// Which device a command works on, as its options say.
#pragma once

#include <string>

#include "jobs/device.hpp"

namespace kerr::cli {

struct DeviceFlags {
  jobs::DeviceSpec spec;
  std::string timing_parameters_file;
  bool observe = false;
};

}  // namespace kerr::cli

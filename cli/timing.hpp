// kerr timing show: the numbers of the cost model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "emu/timing/parameters.hpp"

namespace kerr::cli {

struct TimingRequest {
  std::optional<emu::timing::Parameters> parameters;
  std::string parameters_file;
  uint64_t clock_mhz = 0;  // 0: the usual one
  bool json = false;
};

int timing_command(const TimingRequest& request);

/// The usual parameters, changed as a JSON file says: what `kerr timing show --json` prints, or {"name": value, ...}.
/// Throws std::invalid_argument that names the file and the entry: no JSON, an unknown name, another unit, a value that
/// is none or out of range.
emu::timing::Parameters read_timing_parameters(const std::string& file);

}  // namespace kerr::cli

// The numbers of the cost model, from a file.
#pragma once

#include <string>

#include "emu/timing/parameters.hpp"

namespace kerr::cli {

/// The usual parameters, changed as a JSON file says: what `kerr timing show --json` prints, or {"name": value, ...}.
/// Throws std::invalid_argument that names the file and the entry: no JSON, an unknown name, another unit, a value that
/// is none or out of range.
emu::timing::Parameters read_timing_parameters(const std::string& file);

}  // namespace kerr::cli

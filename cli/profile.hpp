// What kerr matmul --profile prints: when each core ran, and where its harts' time went.
#pragma once

#include <string>

#include "jobs/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// Programs, zones by hart, cores; each line begins with `indent`.
std::string text(const jobs::Profile& profile, const std::string& indent);
report::Json json(const jobs::Profile& profile);

}  // namespace kerr::cli

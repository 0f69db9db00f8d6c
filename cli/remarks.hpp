// What a run held that silicon takes no notice of, for the user.   docs/architecture.md "Remarks"
#pragma once

#include "jobs/device.hpp"

namespace kerr::cli {

/// Says each on standard error.
void say_remarks(const jobs::Remarks& remarks);

}  // namespace kerr::cli

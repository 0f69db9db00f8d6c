// A report of the checker as JSON: docs/reference/checker.md lists its members.
#pragma once

#include "check/report/places.hpp"
#include "check/report/report.hpp"
#include "report/json.hpp"

namespace kerr::check {

/// All defects, whatever is printed of them.
kerr::report::Json json(const Report& report, const Places& places);

/// "summary" alone.
kerr::report::Json summary_json(const Report& report);

}  // namespace kerr::check

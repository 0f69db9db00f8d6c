// A report of the checker as SARIF 2.1.0, which editors and continuous integration read.
#pragma once

#include <string_view>

#include "check/report/places.hpp"
#include "check/report/report.hpp"
#include "report/json.hpp"

namespace kerr::check {

/// One result for each defect, at its second access; the first one is a related location. `version`: of Kerr.
kerr::report::Json sarif(const Report& report, const Places& places, std::string_view version);

}  // namespace kerr::check

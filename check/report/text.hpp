// A report of the checker as text: docs/reference/checker.md shows its layout.
#pragma once

#include <cstddef>
#include <string>

#include "check/report/places.hpp"
#include "check/report/report.hpp"

namespace kerr::check {

inline constexpr size_t kColumns = 140, kMostLinesOfDefect = 30;

/// At most kMostLinesOfDefect lines of kColumns, the last one empty.
std::string text(const Defect& defect, const Places& places);

/// The `limit` first of those that are new, what was not printed, and the summary, a line or more.
std::string text(const Report& report, const Places& places, size_t limit);

/// "kerr: check: 2 errors, 1 warning; 10,422,113 accesses checked; 1 suppressed", and a line for history that was lost.
std::string summary(const Report& report);

}  // namespace kerr::check

// What kerr matmul --utilisation, --trace and --heat-map make of a timeline.
#pragma once

#include <string>
#include <vector>

#include "report/timeline/critical_path.hpp"
#include "report/timeline/utilisation.hpp"

namespace kerr::cli {

struct TimelineRequest {
  bool utilisation = false;  // in the report
  std::string trace;         // a file for trace viewers; empty: none
  std::string heat_map;      // an SVG file; empty: none

  bool any() const { return utilisation || !trace.empty() || !heat_map.empty(); }
};

struct TimelineOutcome {
  report::Utilisation utilisation;
  std::vector<report::PathSegment> path;
};

/// Writes the files. `parameters`: of the machine that was watched. Throws std::invalid_argument if a file cannot be written.
TimelineOutcome outcome_of(const report::Timeline& timeline, const TimelineRequest& request, std::uint64_t begin,
                           std::uint64_t end, const emu::timing::Parameters& parameters, const std::string& title);

/// Utilisation, a map of the NoCs, the critical path; each line begins with `indent`.
std::string text(const TimelineOutcome& outcome, const std::string& indent);
nlohmann::ordered_json json(const TimelineOutcome& outcome);

}  // namespace kerr::cli

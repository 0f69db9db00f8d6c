// What kerr matmul --utilisation, --trace and --heat-map make of a timeline.
#pragma once

#include <string>
#include <vector>

#include "arch/harvesting.hpp"
#include "cli/files.hpp"
#include "report/json.hpp"
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

/// The files that a request asks for. Made before the run: one that cannot be written is refused at once.
struct TimelineFiles {
  explicit TimelineFiles(const TimelineRequest& request) : trace(request.trace), heat_map(request.heat_map) {}
  OutputFile trace, heat_map;
};

/// Writes the files. `parameters`, `harvesting`: of the machine that was watched. Throws emu::SnapshotError if a file cannot be written.
TimelineOutcome outcome_of(const report::Timeline& timeline, TimelineFiles& files, uint64_t begin, uint64_t end,
                           const emu::timing::Parameters& parameters, const std::string& title,
                           const arch::Harvesting* harvesting);

/// Utilisation, a map of the NoCs, the critical path; each line begins with `indent`.
std::string text(const TimelineOutcome& outcome, const std::string& indent);
report::Json json(const TimelineOutcome& outcome);

}  // namespace kerr::cli

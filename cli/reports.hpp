// What commands print and write of a profile (--profile) and of a timeline (--utilisation, --trace, --heat-map).
#pragma once

#include <cstdint>
#include <string>

#include "arch/harvesting.hpp"
#include "cli/files.hpp"
#include "jobs/eval.hpp"
#include "jobs/matmul.hpp"
#include "report/json.hpp"

namespace kerr::cli {

/// When each core ran, and where its harts' time went: program, zones by hart, cores; each line begins with `indent`.
std::string text(const jobs::Profile& profile, const std::string& indent);
report::Json json(const jobs::Profile& profile);

struct TimelineRequest {
  bool utilisation = false;  // in the report
  std::string trace;         // a file for trace viewers; empty: none
  std::string heat_map;      // an SVG file; empty: none

  bool any() const { return utilisation || !trace.empty() || !heat_map.empty(); }
};

/// The files that a request asks for. Made before the run: one that cannot be written is refused at once.
class TimelineFiles {
 public:
  explicit TimelineFiles(const TimelineRequest& request) : trace_(request.trace), heat_map_(request.heat_map) {}
  /// `title`, `harvesting`: of the picture. Throws emu::SnapshotError if a file cannot be written.
  void write(const jobs::TimelineOutcome& outcome, uint64_t clock_mhz, const std::string& title,
             const arch::Harvesting& harvesting);

 private:
  OutputFile trace_, heat_map_;
};

/// Where an operand's numbers are from, and what was done to them.
report::Json json(const jobs::OwnNumbers& own);

/// A line for each program of an expression: its cycles, and how busy the units were while it ran.
std::string text_of_programs(const jobs::EvalOutcome& outcome, const std::string& indent);
report::Json json_of_programs(const jobs::EvalOutcome& outcome);

/// Utilisation, a map of the NoCs, the critical path; each line begins with `indent`.
std::string text(const jobs::TimelineOutcome& outcome, const std::string& indent);
report::Json json(const jobs::TimelineOutcome& outcome);

}  // namespace kerr::cli

#include "cli/timeline.hpp"

#include <fmt/format.h>

#include <ostream>

#include "cli/messages.hpp"
#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"

namespace kerr::cli {

namespace {

constexpr uint64_t kManyBytes = 100'000'000;  // of a trace: worth a word before it is written

}  // namespace

TimelineOutcome outcome_of(const report::Timeline& timeline, TimelineFiles& files, uint64_t begin,
                           uint64_t end, const emu::timing::Parameters& parameters, const std::string& title,
                           const arch::Harvesting* harvesting) {
  TimelineOutcome out{report::utilisation(timeline, begin, end, parameters),
                      report::critical_path(timeline, begin, end)};
  if (const uint64_t bytes = report::estimated_trace_bytes(timeline, begin, end);
      files.trace.wanted() && bytes > kManyBytes) {
    say(fmt::format("the trace will have about {} MB; trace viewers in a browser take some 1000 MB", bytes / 1'000'000));
  }
  files.trace.write([&](std::ostream& file) {
    report::write_trace(file, timeline, begin, end, static_cast<double>(parameters.clock_mhz));
  });
  files.trace.finish();
  files.heat_map.write([&](std::ostream& file) { file << report::heat_map_svg(out.utilisation, title, harvesting); });
  files.heat_map.finish();
  return out;
}

std::string text(const TimelineOutcome& outcome, const std::string& indent) {
  return text(outcome.utilisation, indent) + report::heat_map_text(outcome.utilisation, indent) +
         text(outcome.path, indent);
}

report::Json json(const TimelineOutcome& outcome) {
  report::Json out = json(outcome.utilisation);
  out["critical_path"] = json(outcome.path);
  return out;
}

}  // namespace kerr::cli

#include "cli/timeline.hpp"

#include <fmt/format.h>

#include <ostream>
#include <utility>

#include "cli/messages.hpp"
#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"

namespace kerr::cli {

namespace {

constexpr uint64_t kManyBytes = 100'000'000;  // of a trace: worth a word before it is written

}  // namespace

void TimelineFiles::write(const jobs::TimelineOutcome& outcome, uint64_t clock_mhz, const std::string& title,
                          const arch::Harvesting& harvesting) {
  const report::Timeline& timeline = *outcome.timeline;
  const auto begin = outcome.utilisation.begin, end = outcome.utilisation.end;
  if (const uint64_t bytes = report::estimated_trace_bytes(timeline, begin, end);
      trace_.wanted() && bytes > kManyBytes) {
    say(fmt::format("the trace will have about {} MB; trace viewers in a browser take some 1000 MB", bytes / 1'000'000));
  }
  trace_.write([&](std::ostream& file) {
    report::write_trace(file, timeline, begin, end, static_cast<double>(clock_mhz));
  });
  trace_.finish();
  heat_map_.write([&](std::ostream& file) { file << report::heat_map_svg(outcome.utilisation, title, &harvesting); });
  heat_map_.finish();
}

std::string text(const jobs::TimelineOutcome& outcome, const std::string& indent) {
  return text(outcome.utilisation, indent) + report::heat_map_text(outcome.utilisation, indent) +
         text(outcome.path, indent);
}

report::Json json(const jobs::TimelineOutcome& outcome) {
  report::Json out = json(outcome.utilisation);
  out["critical_path"] = json(outcome.path);
  return out;
}

}  // namespace kerr::cli

#include "cli/timeline.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"

namespace kerr::cli {
namespace {

void write_file(const std::string& name, const std::function<void(std::ostream&)>& write) {
  if (name.empty()) return;
  std::ofstream file(name);
  write(file);
  if (!file.flush()) throw std::invalid_argument(fmt::format("cannot write '{}'", name));
}

}  // namespace

TimelineOutcome outcome_of(const report::Timeline& timeline, const TimelineRequest& request, std::uint64_t begin,
                           std::uint64_t end, const emu::timing::Parameters& parameters, const std::string& title) {
  TimelineOutcome out{report::utilisation(timeline, begin, end, parameters),
                      report::critical_path(timeline, begin, end)};
  write_file(request.trace, [&](std::ostream& file) {
    report::write_trace(file, timeline, begin, end, static_cast<double>(parameters.clock_mhz));
  });
  write_file(request.heat_map, [&](std::ostream& file) { file << report::heat_map_svg(out.utilisation, title); });
  return out;
}

std::string text(const TimelineOutcome& outcome, const std::string& indent) {
  return text(outcome.utilisation, indent) + report::heat_map_text(outcome.utilisation, indent) +
         text(outcome.path, indent);
}

nlohmann::ordered_json json(const TimelineOutcome& outcome) {
  nlohmann::ordered_json out = json(outcome.utilisation);
  out["critical_path"] = json(outcome.path);
  return out;
}

}  // namespace kerr::cli

#include "cli/reports.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "cli/messages.hpp"
#include "isa/tensix/resources.hpp"
#include "kernels/blocks/zone.hpp"
#include "report/timeline/heat_map.hpp"
#include "report/timeline/trace_file.hpp"

namespace kerr::cli {

namespace {

constexpr uint64_t kManyBytes = 100'000'000;  // of a trace: worth a word before it is written

struct Sum {
  uint64_t zones = 0, cores = 0, cycles = 0, least = ~uint64_t{0}, most = 0;  // least and most of a core
};
using Key = std::pair<arch::Hart, uint32_t>;  // and zone

std::string_view zone_name(uint32_t id) { return kernels::name(static_cast<kernels::Zone>(id)); }

// The sums over all cores.
std::map<Key, Sum> sums(const host::Zones& zones) {
  std::map<std::pair<Key, arch::NocCoord>, uint64_t> of_core;
  std::map<Key, Sum> out;
  for (const host::Zone& z : zones.all) {
    of_core[{{z.hart, z.id}, z.core}] += z.end_cycles - z.begin_cycles;
    ++out[{z.hart, z.id}].zones;
  }
  for (const auto& [zone_and_core, cycles] : of_core) {
    Sum& sum = out[zone_and_core.first];
    ++sum.cores;
    sum.cycles += cycles;
    sum.least = std::min(sum.least, cycles);
    sum.most = std::max(sum.most, cycles);
  }
  return out;
}

uint64_t first_start(const jobs::Profile& profile) {
  uint64_t first = ~uint64_t{0};
  for (const auto& core : profile.time.cores) first = std::min(first, core.start_cycles);
  return first;
}

}  // namespace

std::string text(const jobs::Profile& profile, const std::string& indent) {
  std::string out = fmt::format("{}program '{}': {} cycles from go to done\n", indent, profile.time.name,
                                profile.time.end_cycles - profile.time.start_cycles);
  out += fmt::format("{}{:<8} {:<9} {:>6} {:>8} {:>14} {:>12} {:>12}\n", indent, "hart", "zone", "cores", "zones",
                     "cycles a core", "least", "most");
  for (const auto& [key, sum] : sums(profile.zones)) {
    out += fmt::format("{}{:<8} {:<9} {:>6} {:>8} {:>14} {:>12} {:>12}\n", indent,
                       arch::kHartNames[static_cast<size_t>(key.first)], zone_name(key.second), sum.cores, sum.zones,
                       sum.cycles / sum.cores, sum.least, sum.most);
  }
  if (!profile.zones.complete) out += indent + "a zone buffer was full: later zones are missing\n";
  out += fmt::format("{}{:<8} {:>10} {:>10} {:>10}\n", indent, "core", "start", "end", "cycles");
  const uint64_t first = first_start(profile);
  for (const auto& core : profile.time.cores) {
    out += fmt::format("{}{:<8} {:>10} {:>10} {:>10}\n", indent, fmt::format("({},{})", core.core.x, core.core.y),
                       core.start_cycles - first, core.end_cycles - first, core.end_cycles - core.start_cycles);
  }
  return out;
}

report::Json json(const jobs::Profile& profile) {
  report::Json out = {{"name", profile.time.name},
                      {"start_cycles", profile.time.start_cycles},
                      {"end_cycles", profile.time.end_cycles},
                      {"complete", profile.zones.complete},
                      {"cores", report::Json::array()},
                      {"zones", report::Json::array()}};
  for (const auto& core : profile.time.cores) {
    out["cores"].push_back(
        {{"x", core.core.x}, {"y", core.core.y}, {"start_cycles", core.start_cycles}, {"end_cycles", core.end_cycles}});
  }
  for (const host::Zone& z : profile.zones.all) {
    out["zones"].push_back({{"x", z.core.x},
                            {"y", z.core.y},
                            {"hart", arch::kHartNames[static_cast<size_t>(z.hart)]},
                            {"zone", zone_name(z.id)},
                            {"begin_cycles", z.begin_cycles},
                            {"end_cycles", z.end_cycles}});
  }
  return out;
}

void TimelineFiles::write(const jobs::TimelineOutcome& outcome, uint64_t clock_mhz, const std::string& title,
                          const arch::Harvesting& harvesting) {
  const report::Timeline& timeline = *outcome.timeline;
  const auto begin = outcome.utilisation.begin, end = outcome.utilisation.end;
  if (const uint64_t bytes = report::estimated_trace_bytes(timeline, begin, end);
      trace_.wanted() && bytes > kManyBytes) {
    say(fmt::format("the trace will have about {} MB; trace viewers in a browser take some 1000 MB",
                    bytes / 1'000'000));
  }
  if (trace_.wanted())
    report::write_trace([&](std::string_view text) { trace_.write(text); }, timeline, begin, end,
                        static_cast<double>(clock_mhz));
  trace_.finish();
  heat_map_.write(report::heat_map_svg(outcome.utilisation, title, &harvesting));
  heat_map_.finish();
}

report::Json json(const jobs::OwnNumbers& own) {
  return {{"from", own.from},
          {"format", kernels::info(own.tensor.format).name},
          {"elements", own.conversion.elements},
          {"rounded", own.conversion.rounded},
          {"beyond", own.conversion.beyond}};
}

std::string text_of_programs(const jobs::EvalOutcome& outcome, const std::string& indent) {
  using isa::tensix::Unit;
  static constexpr size_t kShown[] = {static_cast<size_t>(Unit::Fpu), static_cast<size_t>(Unit::Sfpu),
                                      static_cast<size_t>(Unit::Unpack), emu::kUnpacker1,
                                      static_cast<size_t>(Unit::Pack)};
  std::string out = fmt::format("{}{:>10}", indent, "cycles");
  for (const size_t unit : kShown) out += fmt::format("{:>12}", report::unit_name(unit));
  out += "  program\n";
  for (size_t i = 0; i < outcome.utilisations.size(); ++i) {
    const jobs::ProgramTime& time = outcome.programs[i];
    out += fmt::format("{}{:>10}", indent, time.end - time.begin);
    for (const size_t unit : kShown)
      out += fmt::format("{:>10.1f} %", 100 * outcome.utilisations[i].of_unit(unit).mean);
    out += fmt::format("  {}\n", time.name);
  }
  return out;
}

report::Json json_of_programs(const jobs::EvalOutcome& outcome) {
  report::Json out = report::Json::array();
  for (size_t i = 0; i < outcome.programs.size(); ++i) {
    const jobs::ProgramTime& time = outcome.programs[i];
    report::Json program = {{"name", time.name}, {"begin_cycles", time.begin}, {"end_cycles", time.end}};
    if (i < outcome.utilisations.size()) program["utilisation"] = json(outcome.utilisations[i]);
    out.push_back(std::move(program));
  }
  return out;
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

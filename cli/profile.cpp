#include "cli/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "kernels/blocks/zone.hpp"

namespace kerr::cli {
namespace {

struct Sum {
  uint64_t zones = 0, cores = 0, cycles = 0, least = ~uint64_t{0}, most = 0;  // least and most of a core
};
using Key = std::tuple<int, uint32_t>;  // hart, zone

std::string_view zone_name(uint32_t id) { return kernels::name(static_cast<kernels::Zone>(id)); }

// The sums over all cores.
std::map<Key, Sum> sums(const host::Zones& zones) {
  std::map<std::tuple<int, uint32_t, arch::NocCoord>, uint64_t> of_core;
  std::map<Key, Sum> out;
  for (const host::Zone& z : zones.all) {
    of_core[{static_cast<int>(z.hart), z.id, z.core}] += z.end_cycles - z.begin_cycles;
    ++out[{static_cast<int>(z.hart), z.id}].zones;
  }
  for (const auto& [key, cycles] : of_core) {
    Sum& sum = out[{std::get<0>(key), std::get<1>(key)}];
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
                       arch::kHartNames[static_cast<size_t>(std::get<0>(key))], zone_name(std::get<1>(key)),
                       sum.cores, sum.zones, sum.cycles / sum.cores, sum.least, sum.most);
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

}  // namespace kerr::cli

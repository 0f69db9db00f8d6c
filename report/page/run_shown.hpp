// A run as the page shows it: one value of JSON, numbers in bulk packed.   docs/architecture.md "The page"
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arch/harvesting.hpp"
#include "report/json.hpp"
#include "report/profile/profile.hpp"
#include "report/timeline/critical_path.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// Another number for each change of what the JSON holds.
inline constexpr int kRunShownVersion = 2;

struct RunShown {
  struct Chip {
    std::string board;
    arch::Harvesting harvesting{};
    std::vector<PathSegment> path{};  // empty in relaxed timing
  };
  std::string title;    // "kerr matmul 512 512 512"
  std::string version;  // of the program that ran it
  std::string timing;   // "exact" or "relaxed"
  uint64_t clock_mhz = 1350;
  std::vector<Chip> chips{};  // at least one
  const Timeline* timeline = nullptr;
  const Profile* profile = nullptr;  // both must be there
  Cycle begin = 0, end = 0;          // what is shown
  std::string failure{};             // a sentence, if it failed
  std::string account{};             // the device's own lines about that
  Json check{};                      // check::json, or null
  std::vector<std::string> remarks{};
};

Json json(const RunShown& run);

}  // namespace kerr::report

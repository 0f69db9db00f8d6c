// How busy cores, units, links and DRAM banks were in a stretch of time, and what they waited for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emu/timing/parameters.hpp"
#include "report/json.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// The share of a time, from 0 to 1; of several cores: mean, least, most.
struct Share {
  double mean = 0, least = 0, most = 0;
};

struct Utilisation {
  static constexpr size_t kAgents = emu::kAgents;

  struct Core {
    uint8_t node = 0;
    std::array<double, emu::kUnits> units{};                      // busy
    std::array<double, kAgents> busy{};                           // of harts and threads: not waiting
    std::array<std::array<double, kReasons>, kAgents> waiting{};  // by reason
    std::array<std::map<Credit, double>, kAgents> credits;        // of Reason::Stream: by circular buffer
  };
  struct Link {
    uint8_t noc = 0, from = 0;
    emu::LinkUse::Way way{};
    double busy = 0;
    double queue = 0;  // packets that waited for it, on the average
  };
  struct Bank {
    int bank = 0;
    uint64_t bytes = 0;  // read and written
    double busy = 0;     // of its rate
  };

  Cycle begin = 0, end = 0;
  /// Tensix tiles whose coprocessor did something; if there is none, those with a hart that worked more than it did on
  /// most tiles, where firmware waits for work. In row-major order.
  std::vector<Core> cores;
  std::vector<Link> links;  // that were used, the busiest first
  std::vector<Bank> banks;  // that were used

  Share of_unit(size_t unit) const;
  Share of_agent(emu::Agent agent) const;
};

/// The utilisation in [begin, end), which must not be empty. `parameters`: those of the machine that was watched.
Utilisation utilisation(const Timeline& timeline, Cycle begin, Cycle end,
                        const emu::timing::Parameters& parameters = emu::timing::kBlackhole);

/// "FPU", "unpacker 1"; "" of those that say nothing.
std::string_view unit_name(size_t unit);
/// "NoC 1 (3,4) west", in raw coordinates.
std::string link_name(const Utilisation::Link& link);

/// Each line begins with `indent`.
std::string text(const Utilisation& u, const std::string& indent);
Json json(const Utilisation& u);

}  // namespace kerr::report

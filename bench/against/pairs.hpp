// Measures the same work on two libraries, by turns, in one process.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/against/workload.hpp"

namespace kerr::bench {

/// Each pair is one slice of work on the one library and, right after it, one on the other: what the machine does
/// besides blurs both alike, so the ratio of a pair says more than the two rates.
struct Comparison {
  std::string name, unit;
  std::vector<double> ours, theirs;  // units a second, one of each a pair
  std::string problem;               // why there are none; empty if there are
};

struct PairOptions {
  int pairs = 7;
  double slice_seconds = 0.15;
};

/// Loads and initialises both libraries anew. A library that refuses ends its process: run this in a child.
Comparison compare(const Workload& workload, const std::string& our_library, const std::string& their_library,
                   const PairOptions& options);

struct Spread {
  double low, median, high;
};
Spread spread(std::vector<double> values);
Spread ratios(const Comparison& comparison);

}  // namespace kerr::bench

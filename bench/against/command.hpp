// kerr-bench --against LIBRARY.
#pragma once

#include <string>

#include "bench/against/pairs.hpp"

namespace kerr::bench {

struct AgainstRequest {
  std::string library;   // theirs; any with the libttsim C ABI
  std::string ours;      // our own
  std::string only;      // workloads whose name contains this; empty: all
  PairOptions options;
  bool json = false;
};

/// Runs and prints every comparison; one that fails says why and does not stop the others. Exit status: 1 if one failed.
int against_command(const AgainstRequest& request);

}  // namespace kerr::bench

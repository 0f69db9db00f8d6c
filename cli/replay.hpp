// kerr replay, kerr snapshot: a recorded run again, without the host.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "jobs/device.hpp"

namespace kerr::cli {

struct ReplayRequest {
  std::string log;
  std::string snapshot;  // where to begin; empty: power-on
  std::string save;      // a snapshot of where it ended; empty: none
  uint64_t until = std::numeric_limits<uint64_t>::max();
  int threads = jobs::cpus();
  bool json = false;
};

/// 0 if the replay did what the log says. Throws emu::SnapshotError where it does not, or a file is bad.
int replay_command(const ReplayRequest& request);

struct SnapshotRequest {
  std::string file;
  bool json = false;
};

/// Says what a snapshot holds.
int snapshot_command(const SnapshotRequest& request);

}  // namespace kerr::cli

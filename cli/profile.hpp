// What kerr matmul --profile prints: when each core ran, and where its harts' time went.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/runtime/cq/command_queue.hpp"
#include "host/runtime/zones.hpp"
#include "report/json.hpp"

namespace kerr::cli {

struct Profile {
  host::CommandQueue::ProgramTime time;
  host::Zones zones;
};

/// Programs, zones by hart, cores; each line begins with `indent`.
std::string text(const Profile& profile, const std::string& indent);
report::Json json(const Profile& profile);

}  // namespace kerr::cli

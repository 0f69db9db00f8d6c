// Why a program took as long as it did: backwards from its end, always to what was waited for last.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/json.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// What the path did from `begin` to `end`.
struct PathSegment : Span {
  enum class Kind : uint8_t {
    Work,    // the agent executed instructions
    Wait,    // it waited for `reason`, and what ended that is not in the timeline, or is an answer to itself
    Packet,  // a packet was under way from `source` to `tile`
  };
  Kind kind = Kind::Work;
  emu::TileId tile, source;
  emu::Agent agent{};
  Reason reason = Reason::Other;
  Credit credit;
};

/// On one chip: no packet goes to another. From `begin` to `end`, without gaps. Goes back from the hart that was active
/// last before `end`. From a hart that waited it goes to the agent or packet that ended the wait; an answer of the NoC
/// (data, acknowledgement) counts as a wait of the hart that asked. Waits too short to be seen as such (a loop that
/// ends within a few turns) are work.
std::vector<PathSegment> critical_path(const Timeline& timeline, Cycle begin, Cycle end, int chip = 0);

/// Sums by what it did, and the longest segments.
std::string text(const std::vector<PathSegment>& path, const std::string& indent);
Json json(const std::vector<PathSegment>& path);

}  // namespace kerr::report

// Why a program took as long as it did: backwards from its end, always to what was waited for last.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// What the path did from `begin` to `end`.
struct PathSegment : Span {
  enum class Kind : std::uint8_t {
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

/// From `begin` to `end`, without gaps. Starts at the hart that was the last to get something done before `end`. Of a hart
/// that waits it follows the agent, or the packet, that let it go on; an answer of the NoC (data, acknowledgements) counts as
/// the wait of the one who asked. Waits that are too short to be seen as such (a hart's loop that ends within a few turns) are work.
std::vector<PathSegment> critical_path(const Timeline& timeline, Cycle begin, Cycle end);

/// Sums by what it did, and the longest segments.
std::string text(const std::vector<PathSegment>& path, const std::string& indent);
nlohmann::ordered_json json(const std::vector<PathSegment>& path);

}  // namespace kerr::report

// A stretch of a timeline, and of what circular buffers held, as packed numbers.   docs/architecture.md "The page"
//
// All numbers are those of packed.hpp; cycles count from the begin of the stretch. Lists are stored column by column:
// first that number of all elements, then the next one.
//
// Lists whose bytes are counted can be skipped, and are read when they are looked at.
//
//   tracks   count; of each: kind (0 agent, 1 unit, 2 link), node, id, elements, bytes of what follows, then
//              agent  id Agent; first and last cycle in which it acted; of each wait: gap, length, index of its reason
//              unit   id Unit; of each span: gap, length
//              link   id 3 * NoC + way; of each span: gap, length, cycles that packets waited
//            gap: from the end of the element before, length: to its own end
//   packets  nodes; of each: node, count, bytes; of each arrival: cycles since the one before, cycles on the way,
//            source, kind, bytes
//   path     count; of each segment: cycles, kind, node, source, agent, index of its reason
//   credits  nodes; of each: node, count, bytes; of each: cycles since the one before, buffer * 2 + room, value
#pragma once

#include <string>
#include <vector>

#include "report/profile/profile.hpp"
#include "report/timeline/critical_path.hpp"
#include "report/timeline/timeline.hpp"

namespace kerr::report {

/// The names of reasons, by their index.
class ReasonTable {
 public:
  size_t index(Reason reason, Credit credit);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::map<std::pair<Reason, Credit>, size_t> known_;
  std::vector<std::string> names_;
};

// Of one chip.
void pack_tracks(std::string& bytes, const Timeline& timeline, int chip, Cycle begin, Cycle end, ReasonTable& reasons);
void pack_packets(std::string& bytes, const Timeline& timeline, int chip, Cycle begin, Cycle end);
void pack_path(std::string& bytes, const std::vector<PathSegment>& path, ReasonTable& reasons);
void pack_credits(std::string& bytes, const Profile& profile, int chip, Cycle begin, Cycle end);

}  // namespace kerr::report

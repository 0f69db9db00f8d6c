#include "host/runtime/cq/go_targets.hpp"

#include "arch/cq.hpp"
#include "host/driver/rectangle.hpp"
#include "host/runtime/cq/queue_config.hpp"

namespace kerr::host::cq {

std::vector<uint32_t> go_targets(std::span<const arch::NocCoord> cores, int noc, bool multicast) {
  // A unicast takes the dispatcher 20 cycles and a multicast up to 200 for its path; each further one first waits until
  // all receivers of the one before have answered, 500 more.
  constexpr uint32_t kFewestOfFirst = 10, kFewestOfNext = 35;
  constexpr uint32_t kNoneHasSoMany = arch::kGridTiles + 1;
  const LargeRectangles large = large_rectangles(cores, multicast ? kFewestOfFirst : kNoneHasSoMany, kFewestOfNext);
  std::vector<uint32_t> words;
  for (const Rectangle& r : large.rectangles) {
    words.push_back(arch::cq::go_rectangle(multicast_address(r, noc), r.tiles()));
  }
  for (const arch::NocCoord core : large.others) words.push_back(core.packed());
  return words;
}

}  // namespace kerr::host::cq

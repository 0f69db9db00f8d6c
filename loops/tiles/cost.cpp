#include "loops/tiles/cost.hpp"

#include <algorithm>

#include "loops/scalar/compile.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/sharing.hpp"

namespace kerr::loops::tiles {

double scalar_nanoseconds(const Program& bound) {
  const scalar::Facts facts = scalar::usual_facts(bound);
  const scalar::Sharing sharing = scalar::sharing_of(bound, scalar::find_nest(bound), facts.object, {});
  const double work = kNsOfInstruction * static_cast<double>(sharing.instructions);
  return work + std::min(kNsOfLaunch, 10'000 + work / 10);
}

}  // namespace kerr::loops::tiles

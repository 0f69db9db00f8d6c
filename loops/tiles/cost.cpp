#include "loops/tiles/cost.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "loops/scalar/compile.hpp"
#include "loops/scalar/hoist.hpp"
#include "loops/scalar/nest.hpp"
#include "loops/scalar/sharing.hpp"

namespace kerr::loops::tiles {

double scalar_nanoseconds(const Program& bound) {
  const scalar::Facts facts = scalar::usual_facts(bound);
  const std::optional<scalar::Hoisted> hoisted = scalar::hoist(bound, facts.object);
  const std::vector<int64_t> numbers(bound.variables.size());  // where a part begins, which changes nothing
  const Program& runs = hoisted ? hoisted->program : bound;
  const scalar::Sharing sharing = scalar::sharing_of(runs, scalar::find_nest(runs), facts.object, numbers);
  const double work = kNsOfInstruction * static_cast<double>(sharing.instructions);
  return work + std::min(kNsOfLaunch, 10'000 + work / 10);
}

}  // namespace kerr::loops::tiles

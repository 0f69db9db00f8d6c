// What each agent of the cores waits for, equal cores together.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hang/graph.hpp"

namespace kerr::hang {

/// At most `most` lines; what does not fit is counted in the last one. Groups with a root come first, then the
/// smallest.
std::vector<std::string> cores_text(const Scene& scene, const Graph& graph, size_t most);

/// "(1,2) BRISC, (2,2) BRISC and 3 more".
std::string names_of(const Scene& scene, std::span<const size_t> agents);

}  // namespace kerr::hang

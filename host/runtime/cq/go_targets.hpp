// Whom the packets of a go signal go to. docs/hardware/fast-dispatch.md 12.3
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host::cq {

/// Words of the go table that reach each of `cores` once and nobody else (arch::cq::go_rectangle()): large rectangles,
/// the largest first, as `noc` (0 or 1) wants their corners, then the other cores one by one, in order. Without
/// `multicast` no rectangle is large.
std::vector<uint32_t> go_targets(std::span<const arch::NocCoord> cores, int noc, bool multicast);

}  // namespace kerr::host::cq

// Who multicasts to whom, as words for the kernels of a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "arch/grid.hpp"

namespace kerr::host {

/// Runtime arguments of core `index` of a line or rectangle of cores, of which the first one multicasts to all others:
///
///   sends, x0, y0, x1, y1, receivers
///
/// The sender has 1, the corners of the others' rectangle in the order in which get_noc_multicast_addr() wants them on
/// that NoC, and how many they are (alone: 0). The others have 0 and, as x0, y0, the sender; the rest is 0. `then`:
/// words behind these.
/// Throws DeviceError (HostError) if the others are not all Tensix tiles of a rectangle without the sender.
std::vector<uint32_t> multicast_args(std::span<const arch::NocCoord> cores, size_t index, uint8_t noc,
                                     const std::vector<uint32_t>& then = {});

}  // namespace kerr::host

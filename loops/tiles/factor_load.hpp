// Loads that factors are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "loops/tiles/gather.hpp"

namespace kerr::loops::tiles {

/// Lines of the loads of parameters, as what these are, that a factor is made of; none for a product of several.
std::vector<uint32_t> loads_of_factor(const Program& bound, const Gathered& what);
/// Whether what is gathered depends on some loops by the address of this load alone. Registers may depend on any loop.
bool depends_by_address(const Program& bound, const Gathered& what, uint32_t load,
                        const std::function<bool(uint32_t)>& is_loop);

}  // namespace kerr::loops::tiles

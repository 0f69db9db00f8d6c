// A core compared with others that run the same kernels: who did less.
#pragma once

#include <string>
#include <vector>

#include "hang/things.hpp"

namespace kerr::hang {

/// "7 pages were pushed here, and 8 on 117 other cores"; nothing if no other core differs, or the thing cannot be
/// compared.
std::vector<std::string> compare_with_twins(const Scene& scene, const Want& want);

}  // namespace kerr::hang

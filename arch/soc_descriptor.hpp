#pragma once

#include <string>

// The soc_descriptor.yaml that tt-umd reads beside libttsim_bh.so.              docs/hardware/host-pcie.md 6.8
// For the host only: firmware never includes this header.
namespace kerr::arch {

// YAML text of the unharvested chip, made from grid.hpp. Coordinates are "x-y" in raw NoC 0 numbering.
std::string soc_descriptor();

}  // namespace kerr::arch

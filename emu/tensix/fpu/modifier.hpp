// What an address modifier asks for that is not modelled.   docs/hardware/tensix-datapath.md 8.2
#pragma once

#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/rwc.hpp"

namespace kerr::emu::tensix {

/// Done, or Unsupported: the extra modifier bit and the seventh increment bits of a and b have no known effect.
Issue check_modifier(const Rwc& rwc, const ThreadConfig& config, unsigned modifier);

}  // namespace kerr::emu::tensix

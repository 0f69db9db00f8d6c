// General purpose registers of a coprocessor thread: who writes them, and when that is done.
// docs/hardware/tensix-datapath.md 5.3, 8
#pragma once

#include <array>

#include "arch/memory_map.hpp"
#include "check/stamp.hpp"

namespace kerr::check {

struct Gpr {
  Stamp written;  // by the scalar unit, or by the hart that feeds the thread
  Stamp taken;    // the last instruction that read it: `number` is its issue
};

using Gprs = std::array<Gpr, arch::kGprsPerThread>;

}  // namespace kerr::check

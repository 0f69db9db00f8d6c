// The slow scheduler that defines what the fast one must do.   docs/architecture.md "The reference scheduler"
#pragma once

#include "emu/machine/machine.hpp"

namespace kerr::emu {

/// Runs the machine from now() to `end`: one quantum (exact timing: one cycle) of every tile that exists, then all
/// messages, then the next quantum. Nothing is skipped and nothing runs ahead, so this is what Machine's window loop
/// has to be indistinguishable from.
void run_reference_window(Machine& machine, Cycle end);

}  // namespace kerr::emu

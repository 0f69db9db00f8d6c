// The fast loop: what step() defines, without looking back between instructions.
#pragma once

#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/port.hpp"

namespace kerr::emu {

/// Executes until hart.cycle == end or the hart is no longer Running: one instruction a cycle. Of a hart in a Tensix
/// tile. `kObserved`: also until the observer wants to hear of all instructions, which it must not want before;
/// lines.observed() must be the same.
template <bool kObserved>
void fast_loop(HartState& hart, HartPort& port, CodeCache& lines, Cycle end);

/// One instruction and one cycle, which the fast loop has no place for.
template <bool kObserved>
void plain_step(HartState& hart, HartPort& port, CodeCache& lines);

}  // namespace kerr::emu

// The fast loop: what step() defines, without looking back between instructions.
#pragma once

#include "emu/riscv/code_cache.hpp"
#include "emu/riscv/port.hpp"

namespace kerr::emu {

/// Executes until hart.cycle == end or the hart is no longer Running: one instruction a cycle. Of a hart in a Tensix
/// tile that nobody observes.
void fast_loop(HartState& hart, HartPort& port, CodeCache& lines, Cycle end);

/// One instruction and one cycle, which the fast loop has no place for.
void plain_step(HartState& hart, HartPort& port, CodeCache& lines);

}  // namespace kerr::emu

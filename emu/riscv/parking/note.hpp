// What a watched hart is about to do, told to its PollWatch.
#pragma once

#include "emu/riscv/parking/poll_watch.hpp"
#include "emu/riscv/port.hpp"

namespace kerr::emu {

/// The instruction at state.pc, before it is executed.
void note(PollWatch& watch, HartPort& port, const isa::riscv::Instruction& i);

/// The instruction at state.pc is the first from its line.
void note_code(PollWatch& watch, HartPort& port);

}  // namespace kerr::emu

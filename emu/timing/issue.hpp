// What an instruction costs the one who executes it, in exact timing: every use of a cost goes through here.
// Relaxed timing knows one cost: one cycle.
#pragma once

#include <cstdint>

#include "emu/cycle.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::emu::timing {

/// Cycles from the start of a hart's instruction to the start of its next one. Must be at least 1.
constexpr Cycle hart_cycles(const isa::riscv::Instruction&) { return 1; }

/// Cycles from the issue of a thread's Tensix instruction `word` to its next one, or for a word that the front end
/// consumes. Must be at least 1.
constexpr Cycle thread_cycles(std::uint32_t) { return 1; }

}  // namespace kerr::emu::timing

// Single instructions of a hart, evaluated apart from any hart: for those who ask what a loop would do with other
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "isa/riscv/instructions.hpp"

namespace kerr::emu {

/// What an instruction at `pc` that computes integers writes to its rd; nothing of other instructions.
std::optional<uint32_t> computed(const isa::riscv::Instruction& i, uint32_t pc, std::span<const uint32_t, 32> x);
/// Whether a branch is taken; nothing of other instructions.
std::optional<bool> taken(const isa::riscv::Instruction& i, std::span<const uint32_t, 32> x);
/// The bytes of `value` that an integer load takes, extended as it does.
uint32_t extended(isa::riscv::Op load, uint32_t value);
/// 1, 2 or 4.
uint32_t loaded_bytes(isa::riscv::Op load);

}  // namespace kerr::emu

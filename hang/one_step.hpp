// One instruction of a loop that is gone through apart from its hart.   docs/architecture.md "Hangs"
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emu/riscv/evaluate.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::hang {

/// Executes `i`, which lies at `pc`, and gives the pc behind it. Nothing: that cannot be said, and nothing was done.
///   memory.load(pc, address, bytes)       what lies there, not extended; or nothing
///   memory.store(pc, address, bytes, v)   false: that cannot be followed
template <class Memory>
std::optional<uint32_t> one_step(const isa::riscv::Instruction& i, uint32_t pc, std::array<uint32_t, 32>& x,
                                 Memory& memory) {
  using isa::riscv::Kind;
  using isa::riscv::Op;
  const auto write = [&](uint32_t value) {
    if (i.rd != 0) x[i.rd] = value;
  };
  const uint32_t address = x[i.rs1] + static_cast<uint32_t>(i.imm);
  switch (isa::riscv::row(i.op).kind) {
    case Kind::Branch: {
      const std::optional<bool> goes = emu::taken(i, x);
      if (!goes) return std::nullopt;
      return *goes ? pc + static_cast<uint32_t>(i.imm) : pc + 4;
    }
    case Kind::Jump: write(pc + 4); return i.op == Op::Jal ? pc + static_cast<uint32_t>(i.imm) : address & ~1u;
    case Kind::Load: {
      if (i.op == Op::Flw) return std::nullopt;
      const std::optional<uint32_t> value = memory.load(pc, address, emu::loaded_bytes(i.op));
      if (!value) return std::nullopt;
      write(emu::extended(i.op, *value));
      return pc + 4;
    }
    case Kind::Store: {
      if (i.op == Op::Fsw) return std::nullopt;
      const uint32_t bytes = i.op == Op::Sb ? 1 : i.op == Op::Sh ? 2 : 4;
      if (!memory.store(pc, address, bytes, x[i.rs2])) return std::nullopt;
      return pc + 4;
    }
    case Kind::Amo: {
      if (i.op != Op::AmoaddW && i.op != Op::AmoswapW) return std::nullopt;
      const uint32_t at = x[i.rs1], operand = x[i.rs2];
      const std::optional<uint32_t> value = memory.load(pc, at, 4);
      if (!value || !memory.store(pc, at, 4, i.op == Op::AmoaddW ? *value + operand : operand)) return std::nullopt;
      write(*value);
      return pc + 4;
    }
    case Kind::Fence: return pc + 4;
    case Kind::Alu:
    case Kind::Mul:
    case Kind::Div: {
      const std::optional<uint32_t> value = emu::computed(i, pc, x);
      if (!value) return std::nullopt;
      write(*value);
      return pc + 4;
    }
    default: return std::nullopt;
  }
}

}  // namespace kerr::hang

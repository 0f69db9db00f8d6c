// Control and status registers, and interrupts.   docs/hardware/tile.md 1.4, 1.10
#pragma once

#include <cstdint>

#include "emu/riscv/port.hpp"
#include "isa/riscv/instructions.hpp"
#include "isa/riscv/registers.hpp"

namespace kerr::emu {

/// A CSR instruction; `value` is what it reads. False: the hart has stopped.
bool csr(HartState& hart, HartPort& port, const isa::riscv::Instruction& i, uint32_t& value);

/// csrr, and the others whose operand is x0 or 0: they write nothing.
constexpr bool csr_only_reads(const isa::riscv::Instruction& i) {
  using isa::riscv::Op;
  switch (i.op) {
    case Op::Csrrs:
    case Op::Csrrc: return i.rs1 == 0;
    case Op::Csrrsi:
    case Op::Csrrci: return i.imm == 0;
    default: return false;
  }
}
/// tt_cfg_qstatus, tt_cfg_bstatus: they show the coprocessor's state.
constexpr bool is_coprocessor_status(uint16_t csr) { return csr == isa::csr::kQstatus || csr == isa::csr::kBstatus; }

/// The hart continues at `handler` until it executes mret.
void enter_handler(HartState& hart, uint32_t handler);
/// mret. `next` is where it goes. False: the hart has stopped.
bool leave_handler(HartState& hart, HartPort& port, uint32_t& next);

}  // namespace kerr::emu

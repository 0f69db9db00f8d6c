// What a hart does for one instruction: THE definition, for both timings. One instruction is one line of it, or of
// semantics.def.
// docs/hardware/tile.md 1.2, 1.8, 1.9
//
// Program order with immediate effect: the strongest of the orders that the hardware allows (tile.md 1.8).
#pragma once

#include <bit>
#include <cstdint>

#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/csr.hpp"
#include "emu/riscv/floating.hpp"
#include "emu/riscv/port.hpp"

namespace kerr::emu {

/// What step() tells those who count the time of an instruction. This is relaxed time: nothing counts.
template <bool kObserved>
struct AtOnce {
  static constexpr bool kTells = kObserved;
  bool jumped = false;  // by a jump, or a branch that was taken

  void reaches(uint32_t) {}  // a load, store or atomic of this address
  void pushed(uint32_t) {}   // the push at this pc
};

/// Executes `i`, the instruction at hart.pc; time and the count of instructions are the caller's. False: it is not
/// done, and the hart is no longer Running; pc is still there.
template <class When>
[[gnu::always_inline]] inline bool step(HartState& hart, HartPort& port, const isa::riscv::Instruction& i, When& when) {
  using isa::riscv::Op;
  using namespace arithmetic;
  constexpr bool kTells = When::kTells;

  const uint32_t pc = hart.pc;
  const uint32_t a = hart.x[i.rs1];
  const uint32_t b = hart.x[i.rs2];
  const uint32_t imm = u(i.imm);
  const uint32_t word = kTells ? port.l1.load<uint32_t>(pc) : 0;  // it may overwrite itself
  const uint8_t rd = i.rd;                                             // likewise
  uint32_t next = pc + 4;
  uint32_t d = 0;
  bool writes = true;

  switch (i.op) {
#define ALU(op, value) \
  case Op::op: d = (value); break;
#define BRANCH(op, condition)             \
  case Op::op:                            \
    writes = false;                       \
    if (!(condition)) break;              \
    next = pc + imm, when.jumped = true;  \
    break;
#define LOAD(op, type)                                                     \
  case Op::op:                                                             \
    when.reaches(a + imm);                                                 \
    if (!port.load<kTells>(a + imm, sizeof(type), d)) return false;        \
    d = static_cast<uint32_t>(static_cast<type>(d));                       \
    break;
#define STORE(op, type)                                                    \
  case Op::op:                                                             \
    when.reaches(a + imm);                                                 \
    if (!port.store<kTells>(a + imm, sizeof(type), b)) return false;       \
    writes = false;                                                        \
    break;
#define FLOAT(op, value)  // floating.cpp
#define FLOAD(op, type)                                                    \
  case Op::op:                                                             \
    when.reaches(a + imm);                                                 \
    if (!port.load<kTells>(a + imm, sizeof(type), d)) return false;        \
    hart.f[rd] = d;                                                        \
    writes = false;                                                        \
    break;
#define FSTORE(op, type)                                                         \
  case Op::op:                                                                   \
    when.reaches(a + imm);                                                       \
    if (!port.store<kTells>(a + imm, sizeof(type), hart.f[i.rs2])) return false; \
    writes = false;                                                              \
    break;
#include "emu/riscv/semantics.def"

    case Op::Auipc: d = pc + imm; break;
    case Op::Jal: d = next, next = pc + imm, when.jumped = true; break;
    case Op::Jalr: d = next, next = (a + imm) & ~1u, when.jumped = true; break;

    case Op::Fence:
    case Op::FenceI: writes = false; break;  // program order with immediate effect needs neither

    case Op::AmoswapW:
    case Op::AmoaddW:
    case Op::AmoxorW:
    case Op::AmoandW:
    case Op::AmoorW:
    case Op::AmominW:
    case Op::AmomaxW:
    case Op::AmominuW:
    case Op::AmomaxuW:
      when.reaches(a);
      if (!port.amo(i.op, a, b, d)) return false;
      break;

    case Op::Csrrw:
    case Op::Csrrs:
    case Op::Csrrc:
    case Op::Csrrwi:
    case Op::Csrrsi:
    case Op::Csrrci:
      if (!csr(hart, port, i, d)) return false;
      break;

    case Op::Mret:
      if (!leave_handler(hart, port, next)) return false;
      writes = false;
      break;

    case Op::Ttinsn:
      if (!port.push(imm)) return false;
      if constexpr (kTells) port.tell_push(arch::kInstructionPushBase, imm);
      when.pushed(pc);
      writes = false;
      break;

    default:  // a float instruction, or one that is refused
      if (!floating(hart, port, i)) return false;
      writes = false;
      break;
  }

  if (writes) {
    if (rd != 0) {
      hart.x[rd] = d;
    } else if (i.op == Op::Addi && port.prints != nullptr) [[unlikely]] {
      port.tell_print(i, a);
    }
  }
  if constexpr (kTells) {
    constexpr uint32_t kSystem = 0x73;
    const bool marked = (writes && (rd == 2 || (rd == 0 && !when.jumped))) || (word & 0x7F) == kSystem;
    port.tell_retired(pc, word, marked);
  }
  hart.pc = next;
  return true;
}

}  // namespace kerr::emu

#include "emu/riscv/evaluate.hpp"

#include <bit>

#include "emu/riscv/arithmetic.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;

std::optional<uint32_t> computed(const Instruction& i, uint32_t pc, std::span<const uint32_t, 32> x) {
  using namespace arithmetic;
  const uint32_t a = x[i.rs1];
  const uint32_t b = x[i.rs2];
  const uint32_t imm = u(i.imm);
  switch (i.op) {
#define ALU(op, value) \
  case Op::op:         \
    return static_cast<uint32_t>(value);
#define BRANCH(op, condition)
#define LOAD(op, type)
#define STORE(op, type)
#define FLOAT(op, value)
#define FLOAD(op, type)
#define FSTORE(op, type)
#include "emu/riscv/semantics.def"
    case Op::Auipc: return pc + imm;
    default: return std::nullopt;
  }
}

std::optional<bool> taken(const Instruction& i, std::span<const uint32_t, 32> x) {
  using namespace arithmetic;
  const uint32_t a = x[i.rs1];
  const uint32_t b = x[i.rs2];
  switch (i.op) {
#define ALU(op, value)
#define BRANCH(op, condition) \
  case Op::op:                \
    return condition;
#define LOAD(op, type)
#define STORE(op, type)
#define FLOAT(op, value)
#define FLOAD(op, type)
#define FSTORE(op, type)
#include "emu/riscv/semantics.def"
    default: return std::nullopt;
  }
}

uint32_t extended(Op load, uint32_t value) {
  switch (load) {
    case Op::Lb: return static_cast<uint32_t>(static_cast<int8_t>(value));
    case Op::Lh: return static_cast<uint32_t>(static_cast<int16_t>(value));
    case Op::Lbu: return value & 0xFF;
    case Op::Lhu: return value & 0xFFFF;
    default: return value;
  }
}

uint32_t loaded_bytes(Op load) {
  return load == Op::Lb || load == Op::Lbu ? 1 : load == Op::Lh || load == Op::Lhu ? 2 : 4;
}

}  // namespace kerr::emu

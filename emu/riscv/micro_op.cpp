#include "emu/riscv/micro_op.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;

namespace {

FastOp fast_op(const Instruction& i, bool near) {
  switch (i.op) {
#define ALU(op, value) \
  case Op::op: return i.rd == 0 ? FastOp::Nop : FastOp::op;
#define BRANCH(op, condition) \
  case Op::op: return near ? FastOp::Near##op : FastOp::Far##op;
#define LOAD(op, type) \
  case Op::op: return i.rd == 0 ? FastOp::Plain : FastOp::op;
#define STORE(op, type) \
  case Op::op: return FastOp::op;
#include "emu/riscv/semantics.def"
    case Op::Auipc: return i.rd == 0 ? FastOp::Nop : FastOp::Auipc;
    case Op::Jal:
      if (i.rd == 0) return near ? FastOp::NearJ : FastOp::FarJ;
      return near ? FastOp::NearJal : FastOp::FarJal;
    case Op::Jalr: return i.rd == 0 ? FastOp::Jr : FastOp::Jalr;
    case Op::Fence:
    case Op::FenceI: return FastOp::Nop;
    default: return FastOp::Plain;
  }
}

MicroOp translate(const Instruction& i, int slot) {
  const isa::riscv::Format format = isa::riscv::row(i.op).format;
  const bool jumps = format == isa::riscv::Format::Branch || i.op == Op::Jal;
  const int target = 4 * slot + i.imm;  // within the line, if it is there
  const bool near = jumps && target >= 0 && target < 4 * kLineInstructions && target % 4 == 0;

  MicroOp out{.imm = i.imm, .rd = i.rd, .rs1 = i.rs1, .rs2 = i.rs2, .op = fast_op(i, near)};
  if (near) {
    out.imm = i.imm / 4 * static_cast<int>(sizeof(MicroOp));
  } else if (jumps || i.op == Op::Auipc) {
    out.imm = target;
  }
  if (i.op == Op::Jal || i.op == Op::Jalr) out.rs2 = static_cast<std::uint8_t>(4 * slot + 4);
  return out;
}

}  // namespace

void translate(const LineInstructions& line, LineMicroOps& out) {
  const FastHandlers& handlers = fast_handlers();
  for (int slot = 0; slot < kLineInstructions; ++slot) out[slot] = translate(line[slot], slot);
  out[kLineInstructions] = {.op = FastOp::NextLine};
  for (MicroOp& op : out) op.handler = handlers[static_cast<std::size_t>(op.op)];
}

}  // namespace kerr::emu

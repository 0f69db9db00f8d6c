#include "emu/riscv/floating.hpp"

#include <fmt/format.h>

#include "emu/riscv/float_arithmetic.hpp"

namespace kerr::emu {

using isa::riscv::Op;

uint32_t float_result(Op op, uint32_t a, uint32_t b, uint32_t c) {
  using namespace float_arithmetic;
  using namespace float_arithmetic::by_definition;
  switch (op) {
#define ALU(op, value)
#define BRANCH(op, condition)
#define LOAD(op, type)
#define STORE(op, type)
#define FLOAT(op, value) \
  case Op::op: return value;
#include "emu/riscv/semantics.def"
    default: return 0;
  }
}

bool floating(HartState& hart, HartPort& port, const isa::riscv::Instruction& i) {
  const isa::riscv::Row& row = isa::riscv::row(i.op);
  if (row.kind != isa::riscv::Kind::Float) return port.refuse(i);
  hart.floats_done = true;
  if (!rounds_as_known(i)) {
    return port.stop(
        FaultCategory::Unsupported, hart.pc, fmt::format("Static rounding mode {} of {}.", i.rm, row.text),
        "What silicon does with it is not known (tile.md 1.2); rne (0) and dyn (7) both round to nearest even.");
  }
  const isa::riscv::FloatOperands files = isa::riscv::float_operands(row.format);
  const uint32_t value = float_result(i.op, files.rs1 ? hart.f[i.rs1] : hart.x[i.rs1], hart.f[i.rs2], hart.f[i.rs3]);
  if (files.rd)
    hart.f[i.rd] = value;
  else if (i.rd != 0)
    hart.x[i.rd] = value;
  return true;
}

}  // namespace kerr::emu

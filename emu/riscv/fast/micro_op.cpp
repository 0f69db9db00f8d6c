#include "emu/riscv/fast/micro_op.hpp"

#include "isa/hints.hpp"
#include "emu/riscv/fast/pairs_before.hpp"
#include "emu/riscv/floating.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;

namespace {

FastOp fast_op(const Instruction& i, bool near) {
  const bool writes_x0 = isa::riscv::register_numbers(i).rd == 0;
  switch (i.op) {
#define ALU(op, value) \
  case Op::op: return writes_x0 ? FastOp::Nop : FastOp::op;
#define BRANCH(op, condition) \
  case Op::op: return near ? FastOp::Near##op : FastOp::Far##op;
#define LOAD(op, type) \
  case Op::op: return writes_x0 ? FastOp::Plain : FastOp::op;
#define STORE(op, type) \
  case Op::op: return FastOp::op;
#define FLOAT(op, value) \
  case Op::op: return writes_x0 || !rounds_as_known(i) ? FastOp::Plain : FastOp::op;
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
  // Within the line, if it is there. What does not jump has anything in imm: of an illegal instruction, its word.
  const int target = static_cast<int>(static_cast<uint32_t>(i.imm) + 4u * static_cast<uint32_t>(slot));
  const bool near = jumps && target >= 0 && target < 4 * kLineInstructions && target % 4 == 0;

  const isa::riscv::RegisterNumbers registers = isa::riscv::register_numbers(i);
  MicroOp out{.imm = i.imm, .rd = registers.rd, .rs1 = registers.rs1, .rs2 = registers.rs2, .op = fast_op(i, near)};
  if (near) {
    out.imm = i.imm / 4 * static_cast<int>(sizeof(MicroOp));
  } else if (jumps || i.op == Op::Auipc) {
    out.imm = target;
  }
  if (isa::riscv::row(i.op).kind == isa::riscv::Kind::Float) out.imm = registers.rs3;
  if (i.op == Op::Jal || i.op == Op::Jalr) out.rs2 = static_cast<uint8_t>(4 * slot + 4);
  return out;
}

// As step() marks them; what accesses a CSR is Plain anyway.
bool is_marked(const Instruction& i) {
  switch (i.op) {
#define ALU(op, value) case Op::op:
#define BRANCH(op, condition)
#define LOAD(op, type) case Op::op:
#define STORE(op, type)
#define FLOAT(op, value)
#define FLOAD(op, type)
#include "emu/riscv/semantics.def"
    case Op::Auipc: return i.rd == 0 || i.rd == 2;
    case Op::Jal:
    case Op::Jalr: return i.rd == 2;
    default: return false;
  }
}

bool is_memory(FastOp op) {
  switch (op) {
#define ALU(op, value)
#define BRANCH(op, condition)
#define LOAD(op, type) case FastOp::op:
#define STORE(op, type) case FastOp::op:
#include "emu/riscv/semantics.def"
    return true;
    default: return false;
  }
}

bool is_print(const Instruction& i) { return i.op == Op::Addi && i.rd == 0 && isa::hint::is_print(i.imm); }

enum class Rule { Any, Rs1, Rs2 };

struct PairRow {
  FastOp first, second;
  Rule rule;
};

// By FastPair.
constexpr PairRow kPairs[] = {
#define PAIR(first, second, rule) {FastOp::first, FastOp::second, Rule::rule},
#define PAIR_BRANCH(first, second, rule) \
  {FastOp::first, FastOp::Near##second, Rule::rule}, {FastOp::first, FastOp::Far##second, Rule::rule},
#define PAIR_JUMP(first) {FastOp::first, FastOp::NearJ, Rule::Any}, {FastOp::first, FastOp::FarJ, Rule::Any},
#include "emu/riscv/fast/pairs.def"
};

// Does its place in the fast loop leave what it writes to x[rd] in `d`?
bool leaves_result(FastOp op) {
  switch (op) {
#define ALU(op, value) case FastOp::op:
#define BRANCH(op, condition)
#define LOAD(op, type) case FastOp::op:
#define STORE(op, type)
#include "emu/riscv/semantics.def"
    return true;
    default: return false;
  }
}

// The place of a pair of pairs_before.def, or null. `before`: the instruction that was executed before the pair.
const void* pair_before(const MicroOp& before, const MicroOp& first, const MicroOp& second, bool observed) {
  if (!leaves_result(before.op) || second.rs2 != before.rd || first.rd == before.rd) return nullptr;
  for (size_t i = 0; i < kPairsBefore.size(); ++i) {
    if (kPairsBefore[i].first == first.op && kPairsBefore[i].second == second.op) return before_handlers(observed)[i];
  }
  return nullptr;
}

FastPair pair_of(const MicroOp& first, const MicroOp& second) {
  for (int i = 0; i < kFastPairs; ++i) {
    const PairRow& row = kPairs[i];
    if (row.first != first.op || row.second != second.op) continue;
    if (row.rule == Rule::Rs1 && second.rs1 != first.rd) continue;
    if (row.rule == Rule::Rs2 && second.rs2 != first.rd) continue;
    return static_cast<FastPair>(i);
  }
  return FastPair::None;
}

}  // namespace

void translate(const LineInstructions& line, LineMicroOps& out, Listeners listeners) {
  const FastHandlers& handlers = fast_handlers(listeners.observed);
  for (int slot = 0; slot < kLineInstructions; ++slot) {
    out[slot] = translate(line[slot], slot);
    if ((listeners.prints && is_print(line[slot])) || (listeners.observed && is_marked(line[slot])))
      out[slot].op = FastOp::Plain;
  }
  out[kLineInstructions] = {.op = FastOp::NextLine};
  for (MicroOp& op : out) op.handler = handlers.op[static_cast<size_t>(op.op)];
  std::array<bool, kLineInstructions> near_target{};
  for (int slot = 0; slot < kLineInstructions; ++slot) {
    const isa::riscv::Format format = isa::riscv::row(line[slot].op).format;
    const int target = slot + line[slot].imm / 4;
    const bool jumps = format == isa::riscv::Format::Branch || line[slot].op == Op::Jal;
    if (jumps && target >= 0 && target < kLineInstructions) near_target[static_cast<size_t>(target)] = true;
  }
  for (int slot = 0; slot + 1 < kLineInstructions; ++slot) {
    if (listeners.observed && (is_memory(out[slot].op) || is_memory(out[slot + 1].op))) continue;
    const FastPair pair = pair_of(out[slot], out[slot + 1]);
    if (pair != FastPair::None) out[slot].handler = handlers.pair[static_cast<size_t>(pair)];
    // A jump from another line brings the result of the instruction before along (JumpTo); one within this line does
    // not.
    if (slot == 0 || near_target[static_cast<size_t>(slot)]) continue;
    if (const void* place = pair_before(out[slot - 1], out[slot], out[slot + 1], listeners.observed))
      out[slot].handler = place;
  }
}

}  // namespace kerr::emu

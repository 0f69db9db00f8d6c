// The fast loop: what execute.cpp defines, without looking back between instructions.
//
// Every instruction has a place here that ends with a jump to the place of the next one (a GNU extension: labels are values). What is
// not done here, or not in the usual way (registers of the tile, atomics, CSRs, faults, lines of L1 that somebody cares about), is
// left to the plain loop, one instruction at a time.
#include <bit>
#include <cstring>

#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/hart.hpp"

namespace kerr::emu {

using namespace arithmetic;

namespace {

const MicroOp* at(const MicroOp* from, std::int32_t bytes) {
  return reinterpret_cast<const MicroOp*>(reinterpret_cast<const char*>(from) + bytes);
}

}  // namespace

const FastHandlers& fast_handlers() {
  static const FastHandlers handlers = *Hart::fast_loop(nullptr, 0);
  return handlers;
}

void Hart::execute_fast(Cycle end) { fast_loop(this, end); }

// Without a hart: where the places are.
const FastHandlers* Hart::fast_loop(Hart* hart, Cycle end) {
  static const FastHandlers places = {
#define ALU(op, value) &&op,
#define BRANCH(op, condition) &&Near##op, &&Far##op,
#define LOAD(op, type) &&op,
#define STORE(op, type) &&op,
#include "emu/riscv/semantics.def"
      &&Nop, &&Auipc, &&NearJal, &&FarJal, &&NearJ, &&FarJ, &&Jalr, &&Jr, &&NextLine, &&Plain};
  if (!hart) return &places;
  if (hart->cycle_ >= end || hart->state_ != State::Running) return nullptr;

  std::uint32_t* const x = hart->x_.data();
  std::uint8_t* const l1 = hart->l1_.data();
  const std::uint8_t* const attributes = hart->l1_.attributes();
  const std::uint32_t local_bytes = hart->local_bytes_;
  std::uint8_t* local = hart->local_.data();
  std::uint64_t left = end - hart->cycle_;  // instructions, one a cycle
  std::uint64_t accounted = left;           // what of `left` the hart's counters know
  std::uint32_t pc = hart->pc_;             // only at JumpTo and Leave; otherwise base and i say where we are
  std::uint32_t base = 0;                   // address of the line
  const MicroOp* line = nullptr;
  const MicroOp* i = nullptr;
  goto JumpTo;

#define GO_ON                                   \
  if (--left == 0) [[unlikely]] goto LeaveHere; \
  goto* i->handler
#define NEXT \
  ++i;       \
  GO_ON
#define OPERANDS                                \
  [[maybe_unused]] const auto a = x[i->rs1];    \
  [[maybe_unused]] const auto b = x[i->rs2];    \
  [[maybe_unused]] const auto imm = u(i->imm)

#define ALU(op, value) \
  op: {                \
    OPERANDS;          \
    x[i->rd] = (value); \
  }                    \
  NEXT;

#define BRANCH(op, condition)           \
  Near##op: {                           \
    OPERANDS;                           \
    if (condition) {                    \
      i = at(i, i->imm);                \
      GO_ON;                            \
    }                                   \
  }                                     \
  NEXT;                                 \
  Far##op: {                            \
    OPERANDS;                           \
    if (condition) {                    \
      pc = base + imm;                  \
      goto Jump;                        \
    }                                   \
  }                                     \
  NEXT;

#define LOAD(op, type)                                                              \
  op: {                                                                             \
    OPERANDS;                                                                       \
    const std::uint32_t address = a + imm;                                          \
    if (address % sizeof(type) != 0) [[unlikely]] goto Plain;                       \
    type value;                                                                     \
    if (address < L1::kBytes) {                                                     \
      std::memcpy(&value, l1 + address, sizeof(type));                              \
    } else if (address - kLocalBase < local_bytes) {                                \
      std::memcpy(&value, local + (address - kLocalBase), sizeof(type));            \
    } else {                                                                        \
      goto Plain;                                                                   \
    }                                                                               \
    x[i->rd] = static_cast<std::uint32_t>(value);                                   \
  }                                                                                 \
  NEXT;

#define STORE(op, type)                                                             \
  op: {                                                                             \
    OPERANDS;                                                                       \
    const std::uint32_t address = a + imm;                                          \
    if (address % sizeof(type) != 0) [[unlikely]] goto Plain;                       \
    const auto value = static_cast<type>(b);                                        \
    if (address < L1::kBytes) {                                                     \
      if (attributes[address / L1::kLineBytes] != 0) [[unlikely]] goto Plain;       \
      std::memcpy(l1 + address, &value, sizeof(type));                              \
    } else if (address - kLocalBase < local_bytes) {                                \
      std::memcpy(local + (address - kLocalBase), &value, sizeof(type));            \
    } else {                                                                        \
      goto Plain;                                                                   \
    }                                                                               \
  }                                                                                 \
  NEXT;

#include "emu/riscv/semantics.def"

Nop:
  NEXT;

Auipc:
  x[i->rd] = base + u(i->imm);
  NEXT;

NearJal:
  x[i->rd] = base + i->rs2;
NearJ:
  i = at(i, i->imm);
  GO_ON;

FarJal:
  x[i->rd] = base + i->rs2;
FarJ:
  pc = base + u(i->imm);
  goto Jump;

Jalr:
  pc = (x[i->rs1] + u(i->imm)) & ~1u;
  x[i->rd] = base + i->rs2;
  goto Jump;
Jr:
  pc = (x[i->rs1] + u(i->imm)) & ~1u;

Jump:
  if (--left == 0) goto Leave;
JumpTo:
  if (pc % 4 != 0 || pc >= L1::kBytes) [[unlikely]] goto PlainAtPc;
  base = pc & ~(L1::kLineBytes - 1);
  line = hart->code_.line(pc / L1::kLineBytes)->micro_ops.data();
  i = line + pc % L1::kLineBytes / 4;
  goto* i->handler;

NextLine:
  pc = base + L1::kLineBytes;
  goto JumpTo;

Plain:
  pc = base + static_cast<std::uint32_t>(i - line) * 4;
PlainAtPc:
  hart->pc_ = pc;
  hart->cycle_ = end - left;
  hart->instructions_ += accounted - left;
  hart->execute<Loop::Plain>(hart->cycle_ + 1);
  if (hart->state_ != State::Running || hart->cycle_ >= end) return nullptr;
  left = accounted = end - hart->cycle_;
  pc = hart->pc_;
  local = hart->local_.data();
  goto JumpTo;

LeaveHere:
  pc = base + static_cast<std::uint32_t>(i - line) * 4;
Leave:
  hart->pc_ = pc;
  hart->cycle_ = end;
  hart->instructions_ += accounted;
  return nullptr;
}

}  // namespace kerr::emu

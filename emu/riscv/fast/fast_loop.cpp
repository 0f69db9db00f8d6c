// Every instruction, and every frequent pair, has a place here that ends with a jump to the place of the next one
// (labels are values: a GNU extension). Atomics, CSRs, pushes and faults are left to plain_step(), one instruction at a
// time. Loads and stores of tile registers, or of L1 lines with an attribute, call the port from here, and float
// arithmetic that the host's float unit does not do right its definition.
//
// There are two of them. The one for harts that somebody observes (kObserved) tells of loads, stores and the first
// instruction of each line that is entered; translate() leaves the marked ones to plain_step(). Its pairs have neither
// loads nor stores.
#include "emu/riscv/fast/fast_loop.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>

#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/fast/host_floats.hpp"
#include "emu/riscv/fast/pairs_before.hpp"
#include "emu/riscv/floating.hpp"

namespace kerr::emu {

using namespace arithmetic;
using namespace float_arithmetic;
using namespace float_arithmetic::by_host;

namespace {

// x0 to x31, then f0 to f31, as MicroOp numbers them.
uint32_t* registers(HartState& hart) {
  static_assert(offsetof(HartState, f) == offsetof(HartState, x) + sizeof hart.x);
  return hart.x.data();
}

const MicroOp* at(const MicroOp* from, int32_t bytes) {
  return reinterpret_cast<const MicroOp*>(reinterpret_cast<const char*>(from) + bytes);
}

// What an instruction works on.
struct Operands {
  HartState* hart;
  uint32_t* x;
  uint8_t* l1;
  const uint8_t* attributes;
  uint8_t* local;
  uint32_t local_bytes;
};

// step_Op(on, m, a, b, d): executes m, which is an Op, with a = x[rs1] and b = x[rs2]; d is what it wrote to x[rd].
// False: it has done nothing, and by_port() must.
#define STEP(op)          \
  template <bool kObserved> \
  [[gnu::always_inline]] inline bool step_##op(const Operands& on, const MicroOp& m, uint32_t a, uint32_t b, uint32_t& d)

#define ALU(op, value)                                       \
  STEP(op) {                                                 \
    [[maybe_unused]] const uint32_t imm = u(m.imm);     \
    on.x[m.rd] = d = (value);                                \
    return static_cast<void>(a), static_cast<void>(b), true; \
  }

#define FLOAT(op, value)                             \
  STEP(op) {                                         \
    [[maybe_unused]] const uint32_t c = on.x[m.imm]; \
    static_cast<void>(b);                            \
    const Result result = value;                     \
    if (result < 0) [[unlikely]] return false;       \
    on.x[m.rd] = d = static_cast<uint32_t>(result);  \
    on.hart->floats_done = true;                     \
    return true;                                     \
  }

#define BRANCH(op, condition) \
  [[gnu::always_inline]] inline bool taken_##op(uint32_t a, uint32_t b) { return condition; }

#define LOAD(op, type)                                                              \
  STEP(op) {                                                                        \
    static_cast<void>(b);                                                           \
    const uint32_t address = a + u(m.imm);                                     \
    if (address % sizeof(type) != 0) [[unlikely]] return false;                     \
    type value;                                                                     \
    if (!kObserved && address < L1::kBytes) {                                       \
      std::memcpy(&value, on.l1 + address, sizeof(type));                           \
    } else if (address - arch::kLdmBase < on.local_bytes) {                       \
      std::memcpy(&value, on.local + (address - arch::kLdmBase), sizeof(type));   \
    } else {                                                                        \
      return false;                                                                 \
    }                                                                               \
    on.x[m.rd] = d = static_cast<uint32_t>(value);                             \
    return true;                                                                    \
  }

#define STORE(op, type)                                                             \
  STEP(op) {                                                                        \
    static_cast<void>(d);                                                           \
    const uint32_t address = a + u(m.imm);                                     \
    if (address % sizeof(type) != 0) [[unlikely]] return false;                     \
    const auto value = static_cast<type>(b);                                        \
    if (!kObserved && address < L1::kBytes) {                                       \
      if (on.attributes[address / L1::kLineBytes] != 0) [[unlikely]] return false;  \
      std::memcpy(on.l1 + address, &value, sizeof(type));                           \
    } else if (address - arch::kLdmBase < on.local_bytes) {                       \
      std::memcpy(on.local + (address - arch::kLdmBase), &value, sizeof(type));   \
    } else {                                                                        \
      return false;                                                                 \
    }                                                                               \
    return true;                                                                    \
  }

#include "emu/riscv/semantics.def"
#undef STEP

struct Places : FastHandlers {
  BeforeHandlers before;
};

// A load, store or float instruction without what comes with every instruction. False: it is not done, and the hart
// leaves its loop.
template <bool kObserved>
bool by_port(HartState& hart, HartPort& port, const MicroOp& m) {
  uint32_t* const x = registers(hart);
  const uint32_t address = x[m.rs1] + u(m.imm);
  uint32_t value = 0;
  switch (m.op) {
#define ALU(op, value)
#define BRANCH(op, condition)
#define LOAD(op, type)                                                 \
  case FastOp::op:                                                         \
    if (!port.load<kObserved>(address, sizeof(type), value)) return false; \
    x[m.rd] = static_cast<uint32_t>(static_cast<type>(value));             \
    return true;
#define STORE(op, type) \
  case FastOp::op: return port.store<kObserved>(address, sizeof(type), x[m.rs2]);
#define FLOAT(op, value)                                                      \
  case FastOp::op:                                                            \
    x[m.rd] = float_result(isa::riscv::Op::op, x[m.rs1], x[m.rs2], x[m.imm]); \
    return hart.floats_done = true;
#include "emu/riscv/semantics.def"
    default: return false;
  }
}

// Done here or by_port() in any case, without a load or store.
bool accesses_nothing(FastOp op) {
  static constexpr auto kNothing = [] {
    std::array<bool, kFastOps> nothing;
    nothing.fill(true);
#define ALU(op, value)
#define BRANCH(op, condition)
#define LOAD(op, type) nothing[static_cast<size_t>(FastOp::op)] = false;
#define STORE(op, type) nothing[static_cast<size_t>(FastOp::op)] = false;
#include "emu/riscv/semantics.def"
    nothing[static_cast<size_t>(FastOp::NextLine)] = nothing[static_cast<size_t>(FastOp::Plain)] = false;
    return nothing;
  }();
  return kNothing[static_cast<size_t>(op)];
}

// Without a hart: where the places are.
template <bool kObserved>
const Places* loop(HartState* hart, HartPort* port, CodeCache* lines, Cycle until) {
  static const Places places = {
      {.op = {
#define ALU(op, value) &&op,
#define BRANCH(op, condition) &&Near##op, &&Far##op,
#define LOAD(op, type) &&op,
#define STORE(op, type) &&op,
#include "emu/riscv/semantics.def"
          &&Nop, &&Auipc, &&NearJal, &&FarJal, &&NearJ, &&FarJ, &&Jalr, &&Jr, &&NextLine, &&Plain},
      .pair = {
#define PAIR(first, second, rule) &&first##second##rule,
#define PAIR_BRANCH(first, second, rule) &&first##Near##second##rule, &&first##Far##second##rule,
#define PAIR_JUMP(first) &&first##NearJ, &&first##FarJ,
#include "emu/riscv/fast/pairs.def"
      }},
      {
#define PAIR(first, second) &&first##second##Before,
#include "emu/riscv/fast/pairs_before.def"
      }};
  if (!hart) return &places;
  if (hart->cycle >= until || !hart->running()) return nullptr;

  const volatile Cycle end = until;  // in memory: what every instruction needs shall have the registers
  Operands on{hart,
              registers(*hart),
              port->l1.data(),
              port->l1.attributes(),
              hart->local.data(),
              static_cast<uint32_t>(hart->local.size())};
  uint32_t* const x = on.x;
  [[maybe_unused]] Actor actor{.tile = port->tile, .agent = agent_of(port->index)};
  auto left = static_cast<int64_t>(end - hart->cycle);  // instructions, one a cycle; each place takes its own off first
  uint32_t pc = hart->pc;  // only at JumpTo and Leave; otherwise base and i say where we are
  uint32_t base = 0;        // address of the line
  const MicroOp* line = nullptr;
  const MicroOp* i = nullptr;
  uint32_t d = 0;  // what the instruction before *i wrote to its register, if that is an ALU, a FLOAT or a LOAD of semantics.def
  goto JumpTo;

#define TAKE_ONE \
  if (--left < 0) [[unlikely]] goto LeaveHere
#define TAKE_TWO \
  if ((left -= 2) < 0) [[unlikely]] goto OneLeft
#define GO_ON goto* i->handler
#define GO_TO(places_on) \
  i += places_on;        \
  GO_ON

#define ALU(op, value)                                    \
  op:                                                     \
  TAKE_ONE;                                               \
  step_##op<kObserved>(on, *i, x[i->rs1], x[i->rs2], d);             \
  GO_TO(1);

#define BY_STEP(op)                                                                          \
  if (!step_##op<kObserved>(on, *i, x[i->rs1], x[i->rs2], d)) [[unlikely]] goto PlainTaken;  \
  GO_TO(1)

#define FLOAT(op, value) \
  op:                    \
  TAKE_ONE;              \
  BY_STEP(op);

// The observer is told of an access to L1 by the instruction at *i, which has been taken off `left`.
#define TELL(kind, bytes, value)                                                    \
  actor.cycle = end - static_cast<Cycle>(left) - 1;                                 \
  actor.pc = base + static_cast<uint32_t>(i - line) * 4;                            \
  std::memcpy(&actor.word, on.l1 + actor.pc, 4);                                    \
  port->observer->accessed(actor, AccessKind::kind, address, bytes, value)

#define LOAD(op, type)                                                              \
  op:                                                                               \
  TAKE_ONE;                                                                         \
  if constexpr (kObserved) {                                                        \
    const uint32_t address = x[i->rs1] + u(i->imm);                                 \
    if (address < L1::kBytes && address % sizeof(type) == 0) [[likely]] {           \
      std::make_unsigned_t<type> value;                                             \
      std::memcpy(&value, on.l1 + address, sizeof value);                           \
      TELL(Load, sizeof value, value);                                              \
      x[i->rd] = d = static_cast<uint32_t>(static_cast<type>(value));               \
      if (*port->tells_all) [[unlikely]] goto WantsAll;                             \
      GO_TO(1);                                                                     \
    }                                                                               \
  }                                                                                 \
  BY_STEP(op);

#define STORE(op, type)                                                             \
  op:                                                                               \
  TAKE_ONE;                                                                         \
  if constexpr (kObserved) {                                                        \
    const uint32_t address = x[i->rs1] + u(i->imm);                                 \
    if (address < L1::kBytes && address % sizeof(type) == 0 &&                      \
        (on.attributes[address / L1::kLineBytes] & ~L1::kChecked) == 0) [[likely]] { \
      const auto value = static_cast<std::make_unsigned_t<type>>(x[i->rs2]);        \
      TELL(Store, sizeof value, value);                                             \
      std::memcpy(on.l1 + address, &value, sizeof value);                           \
      if (*port->tells_all) [[unlikely]] goto WantsAll;                             \
      GO_TO(1);                                                                     \
    }                                                                               \
  }                                                                                 \
  BY_STEP(op);

#define BRANCH(op, condition)                             \
  Near##op:                                               \
  TAKE_ONE;                                               \
  if (taken_##op(x[i->rs1], x[i->rs2])) {                 \
    i = at(i, i->imm);                                    \
    GO_ON;                                                \
  }                                                       \
  GO_TO(1);                                               \
  Far##op:                                                \
  TAKE_ONE;                                               \
  if (taken_##op(x[i->rs1], x[i->rs2])) {                 \
    pc = base + u(i->imm);                                \
    goto JumpTo;                                          \
  }                                                       \
  GO_TO(1);

#include "emu/riscv/semantics.def"

// The second's operands, by rule.
#define OPERANDS_Any x[i[1].rs1], x[i[1].rs2]
#define OPERANDS_Rs1 d, x[i[1].rs2]
#define OPERANDS_Rs2 x[i[1].rs1], d

#define FIRST(first) \
  TAKE_TWO;          \
  if (!step_##first<kObserved>(on, i[0], x[i->rs1], x[i->rs2], d)) [[unlikely]] goto PlainFirst
// A step takes the operands that OPERANDS expands to.
#define STEP_WITH(step, ...) step(on, i[1], __VA_ARGS__, d)
#define TAKEN_WITH(taken, ...) taken(__VA_ARGS__)

#define PAIR(first, second, rule)                                                         \
  first##second##rule:                                                                    \
  FIRST(first);                                                                           \
  if (!STEP_WITH(step_##second<kObserved>, OPERANDS_##rule)) [[unlikely]] goto PlainSecond;          \
  GO_TO(2);

#define PAIR_BRANCH(first, second, rule)                  \
  first##Near##second##rule:                              \
  FIRST(first);                                           \
  if (TAKEN_WITH(taken_##second, OPERANDS_##rule)) {      \
    i = at(i + 1, i[1].imm);                              \
    GO_ON;                                                \
  }                                                       \
  GO_TO(2);                                               \
  first##Far##second##rule:                               \
  FIRST(first);                                           \
  if (TAKEN_WITH(taken_##second, OPERANDS_##rule)) {      \
    pc = base + u(i[1].imm);                              \
    goto JumpTo;                                          \
  }                                                       \
  GO_TO(2);

#define PAIR_JUMP(first)        \
  first##NearJ:                 \
  FIRST(first);                 \
  i = at(i + 1, i[1].imm);      \
  GO_ON;                        \
  first##FarJ:                  \
  FIRST(first);                 \
  pc = base + u(i[1].imm);      \
  goto JumpTo;

#include "emu/riscv/fast/pairs.def"

#define PAIR(first, second)                                                             \
  first##second##Before:                                                                \
  {                                                                                     \
    const uint32_t before = d;                                                     \
    FIRST(first);                                                                       \
    if (!step_##second<kObserved>(on, i[1], x[i[1].rs1], before, d)) [[unlikely]] goto PlainSecond; \
    GO_TO(2);                                                                           \
  }
#include "emu/riscv/fast/pairs_before.def"

Nop:
  TAKE_ONE;
  GO_TO(1);

Auipc:
  TAKE_ONE;
  x[i->rd] = base + u(i->imm);
  GO_TO(1);

NearJal:
  TAKE_ONE;
  x[i->rd] = base + i->rs2;
  i = at(i, i->imm);
  GO_ON;
NearJ:
  TAKE_ONE;
  i = at(i, i->imm);
  GO_ON;

FarJal:
  TAKE_ONE;
  x[i->rd] = base + i->rs2;
  pc = base + u(i->imm);
  goto JumpTo;
FarJ:
  TAKE_ONE;
  pc = base + u(i->imm);
  goto JumpTo;

Jalr:
  TAKE_ONE;
  pc = (x[i->rs1] + u(i->imm)) & ~1u;
  x[i->rd] = base + i->rs2;
  goto JumpTo;
Jr:
  TAKE_ONE;
  pc = (x[i->rs1] + u(i->imm)) & ~1u;
  goto JumpTo;

NextLine:
  pc = base + L1::kLineBytes;
JumpTo:
  if (pc % 4 != 0 || pc >= L1::kBytes) [[unlikely]] goto PlainAtPc;
  if constexpr (kObserved) {
    if (port->told_line != pc / L1::kLineBytes) {
      const MicroOp& first = lines->micro_ops(pc / L1::kLineBytes)[pc % L1::kLineBytes / 4];
      if (left == 0 || !accesses_nothing(first.op)) goto PlainAtPc;
      // It is told of an instant earlier, which only a look at its destination register could show.
      hart->pc = pc;
      hart->instructions += end - static_cast<Cycle>(left) - hart->cycle;
      hart->cycle = end - static_cast<Cycle>(left);
      port->tell_retired(pc, port->l1.load<uint32_t>(pc), false);
      if (*port->tells_all) [[unlikely]] return plain_step<false>(*hart, *port, *lines), nullptr;
    }
  }
  base = pc & ~(L1::kLineBytes - 1);
  line = lines->micro_ops(pc / L1::kLineBytes);
  i = line + pc % L1::kLineBytes / 4;
  d = x[i[i == line ? 0 : -1].rd];
  GO_ON;

  // A pair, and less than two instructions are left.
OneLeft:
  left += 2;
  goto* places.op[static_cast<size_t>(i->op)];

  // A load, store or float instruction that was not done here. What it took off comes back.
PlainFirst:
  left += 2;
  goto ByPort;
PlainSecond:
  ++i;
PlainTaken:
  ++left;
ByPort: {
  pc = base + static_cast<uint32_t>(i - line) * 4;
  hart->pc = pc;
  hart->instructions += end - static_cast<Cycle>(left) - hart->cycle;
  hart->cycle = end - static_cast<Cycle>(left);
  const uint64_t changes = lines->changes();
  const uint32_t word = kObserved ? port->l1.load<uint32_t>(pc) : 0;  // it may overwrite itself
  if (!by_port<kObserved>(*hart, *port, *i)) return nullptr;
  if constexpr (kObserved) port->tell_retired(pc, word, false);
  hart->pc = pc + 4;
  ++hart->cycle;
  ++hart->instructions;
  if (kObserved && *port->tells_all) [[unlikely]] return nullptr;
  if (!hart->running() || hart->cycle >= end) return nullptr;
  --left;
  on.local = hart->local.data();
  if (lines->changes() != changes) [[unlikely]] {
    pc += 4;
    goto JumpTo;
  }
  d = x[i->rd];
  GO_TO(1);
}

Plain:
  pc = base + static_cast<uint32_t>(i - line) * 4;
PlainAtPc:
  hart->pc = pc;
  hart->instructions += end - static_cast<Cycle>(left) - hart->cycle;
  hart->cycle = end - static_cast<Cycle>(left);
  if (left == 0) return nullptr;
  plain_step<kObserved>(*hart, *port, *lines);
  if (kObserved && *port->tells_all) [[unlikely]] return nullptr;
  if (!hart->running() || hart->cycle >= end) return nullptr;
  left = static_cast<int64_t>(end - hart->cycle);
  pc = hart->pc;
  on.local = hart->local.data();
  goto JumpTo;

  // Told of the access of the instruction at *i, the observer wants to hear of all that retire.
[[maybe_unused]] WantsAll:
  ++left;
  hart->instructions += end - static_cast<Cycle>(left) - hart->cycle;
  hart->cycle = end - static_cast<Cycle>(left);
  port->tell_retired(actor.pc, actor.word, false);
  hart->pc = actor.pc + 4;
  ++hart->cycle;
  ++hart->instructions;
  return nullptr;

LeaveHere:
  hart->pc = base + static_cast<uint32_t>(i - line) * 4;
  hart->instructions += end - hart->cycle;
  hart->cycle = end;
  return nullptr;
}

}  // namespace

template <bool kObserved>
void fast_loop(HartState& hart, HartPort& port, CodeCache& lines, Cycle end) {
  loop<kObserved>(&hart, &port, &lines, end);
}
template void fast_loop<false>(HartState&, HartPort&, CodeCache&, Cycle);
template void fast_loop<true>(HartState&, HartPort&, CodeCache&, Cycle);

const FastHandlers& fast_handlers(bool observed) {
  static const FastHandlers* const handlers[] = {loop<false>(nullptr, nullptr, nullptr, 0),
                                                 loop<true>(nullptr, nullptr, nullptr, 0)};
  return *handlers[observed];
}

const BeforeHandlers& before_handlers(bool observed) {
  return static_cast<const Places&>(fast_handlers(observed)).before;
}

}  // namespace kerr::emu

// The plain loop: the definition of what a hart does. One instruction is one line of it, or of semantics.def.
// docs/hardware/tile.md 1.2, 1.8, 1.9
//
// Program order with immediate effect: the strongest of the orders that the hardware allows (tile.md 1.8).
#include <fmt/format.h>

#include <bit>
#include <type_traits>

#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/floating.hpp"
#include "emu/riscv/hart.hpp"

namespace kerr::emu {

using isa::riscv::Instruction;
using isa::riscv::Op;
using namespace arithmetic;

namespace {

uint32_t amo_result(Op op, uint32_t memory, uint32_t operand) {
  switch (op) {
    case Op::AmoswapW: return operand;
    case Op::AmoaddW: return memory + operand;
    case Op::AmoxorW: return memory ^ operand;
    case Op::AmoandW: return memory & operand;
    case Op::AmoorW: return memory | operand;
    case Op::AmominW: return s(memory) < s(operand) ? memory : operand;
    case Op::AmomaxW: return s(memory) > s(operand) ? memory : operand;
    case Op::AmominuW: return memory < operand ? memory : operand;
    default: return memory > operand ? memory : operand;  // AMOMAXU_W
  }
}

}  // namespace

// A fault inside leaves pc_ on the instruction. A store may change code or reset this very hart: after each the line is looked up
// again.
template <Hart::Loop kLoop, bool kObserved>
void Hart::execute(Cycle end) {
  constexpr bool kWatching = kLoop == Loop::Watching;
  constexpr uint32_t kNoLine = 1;
  const DecodedLine* line = nullptr;
  uint32_t line_base = kNoLine;
  uint64_t changes = code_.changes();
  Instruction decoded;

  while (cycle_ < end && state_ == State::Running && (!kWatching || watch_.watching())) {
    const uint32_t pc = pc_;
    const uint32_t base = pc & ~(L1::kLineBytes - 1);
    const bool cached = caches();
    if (cached) [[unlikely]] {
      if (!can_fetch(pc)) return;
      if (!fetch_cached(pc, decoded)) return;
      if (kWatching && base != line_base) note_code_line(pc / L1::kLineBytes);
      line_base = base;
    } else if (kLoop == Loop::Reference) {
      if (!can_fetch(pc)) return;
      decoded = isa::riscv::decode(l1_.load<uint32_t>(pc));
    } else if (base != line_base || pc % 4 != 0 || changes != code_.changes()) {
      if (!can_fetch(pc)) return;
      line = code_.line(pc / L1::kLineBytes);
      line_base = base;
      changes = code_.changes();
      if constexpr (kWatching) note_code_line(pc / L1::kLineBytes);
    }
    const Instruction& i = kLoop == Loop::Reference || cached ? decoded : line->instructions[pc % L1::kLineBytes / 4];
    const uint32_t a = x_[i.rs1];
    const uint32_t b = x_[i.rs2];
    const uint32_t imm = u(i.imm);
    uint32_t next = pc + 4;
    uint32_t d = 0;
    bool writes = true;
    bool taken = false;
    const uint32_t word = kObserved ? l1_.load<uint32_t>(pc) : 0;  // it may overwrite itself
    if constexpr (kWatching) {
      if (watch_.noting()) note(i, a, b);
    }

    switch (i.op) {
#define ALU(op, value) \
  case Op::op: d = (value); break;
#define BRANCH(op, condition)       \
  case Op::op:                      \
    writes = false;                 \
    if (!(condition)) break;        \
    next = pc + imm, taken = true;  \
    break;
#define LOAD(op, type)                                    \
  case Op::op:                                            \
    if (!load(a + imm, sizeof(type), d)) return;          \
    if (kObserved) tell_load(a + imm, sizeof(type));      \
    d = static_cast<uint32_t>(static_cast<type>(d)); \
    break;
#define STORE(op, type)                             \
  case Op::op:                                      \
    writes = false;                                 \
    if (!store(a + imm, sizeof(type), b)) return;   \
    if (kObserved) tell_store(a + imm, sizeof(type)); \
    break;
#include "emu/riscv/semantics.def"

      case Op::Auipc: d = pc + imm; break;
      case Op::Jal: d = next, next = pc + imm, taken = true; break;
      case Op::Jalr: d = next, next = (a + imm) & ~1u, taken = true; break;

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
        if (kObserved && atomic_word(a)) tell_load(a, 4);
        if (!amo(i, d)) return;
        break;

      case Op::Csrrw:
      case Op::Csrrs:
      case Op::Csrrc:
      case Op::Csrrwi:
      case Op::Csrrsi:
      case Op::Csrrci:
        if (!csr(i, d)) return;
        break;

      case Op::Mret:
        if (!leave_handler(next)) return;
        writes = false;
        break;

      case Op::Ttinsn:
        if (!push(imm)) return;
        writes = false;
        break;

      case Op::Flw:
        if (!load(a + imm, 4, d)) return;
        if (kObserved) tell_load(a + imm, 4);
        f_[i.rd] = d;
        writes = false;
        break;
      case Op::Fsw:
        if (!store(a + imm, 4, f_[i.rs2])) return;
        if (kObserved) tell_store(a + imm, 4);
        writes = false;
        break;

      default:
        if (!floating(i)) return;
        writes = false;
        break;
    }

    if (writes && i.rd != 0) x_[i.rd] = d;
    if constexpr (kObserved) observer_->retired(actor(), pc, word);
    ++cycle_;
    ++instructions_;
    pc_ = next;
    if constexpr (kWatching) {
      if (taken && next <= pc) {
        const PollWatch::Jump jump = watch_.jump(pc, next, x_, local_.data(), cycle_, instructions_);
        if (jump == PollWatch::Jump::Repeats) return park();
        if (jump == PollWatch::Jump::Begins) line_base = kNoLine;  // the line is a part of the turn
      }
    }
  }
}

template void Hart::execute<Hart::Loop::Plain, false>(Cycle end);
template void Hart::execute<Hart::Loop::Watching, false>(Cycle end);
template void Hart::execute<Hart::Loop::Reference, false>(Cycle end);
template void Hart::execute<Hart::Loop::Plain, true>(Cycle end);
template void Hart::execute<Hart::Loop::Watching, true>(Cycle end);
template void Hart::execute<Hart::Loop::Reference, true>(Cycle end);

bool Hart::can_fetch(uint32_t pc) {
  if (pc % 4 == 0 && pc < l1_bytes_) [[likely]] return true;
  stop(FaultCategory::UndefinedBehavior, pc, fmt::format("Instruction fetch from {:#010x}.", pc),
       "Code can be fetched from aligned words of L1 only; the return address or a jump target is wrong.");
  return false;
}

void Hart::refuse(const Instruction& i) {
  switch (i.op) {
    case Op::Ecall:
    case Op::Ebreak:
      stop_watching();
      state_ = State::Paused;  // tile.md 1.9: for a debugger. The instruction has not retired, so pc() says where
      return;
    case Op::Illegal:
      return stop(FaultCategory::UndefinedBehavior, pc_, fmt::format("Word {:#010x} is no instruction.", word_at_pc()),
                  "The hart ran into data, or code was overwritten.");
    default:
      return stop(FaultCategory::Unsupported, pc_, "Kerr does not model this instruction.",
                  "No document says what wfi does on these cores.");
  }
}

// Float registers are not part of what a watched turn compares.
bool Hart::floating(const Instruction& i) {
  const isa::riscv::Row& row = isa::riscv::row(i.op);
  if (row.kind != isa::riscv::Kind::Float) {
    refuse(i);
    return false;
  }
  stop_watching();
  floats_done_ = true;
  constexpr unsigned kToNearestEven = 0, kDynamic = 7;
  if (i.rm != kToNearestEven && i.rm != kDynamic) {
    stop(FaultCategory::Unsupported, pc_, fmt::format("Static rounding mode {} of {}.", i.rm, row.text),
         "What silicon does with it is not known (tile.md 1.2); rne (0) and dyn (7) both round to nearest even.");
    return false;
  }
  const isa::riscv::FloatOperands files = isa::riscv::float_operands(row.format);
  const uint32_t value = float_result(i.op, files.rs1 ? f_[i.rs1] : x_[i.rs1], f_[i.rs2], f_[i.rs3]);
  if (files.rd)
    f_[i.rd] = value;
  else if (i.rd != 0)
    x_[i.rd] = value;
  return true;
}

// --- memory -------------------------------------------------------------------------------------------------------------

// The result of an access on the bus: true if the instruction is done, false if the hart leaves its loop.
bool Hart::settle(Access access, const BusReply& reply) {
  if (access == Access::Done) [[likely]] return true;
  stop_watching();
  if (access == Access::Wait) {
    state_ = State::Blocked;
    waits_for_ = reply.wait;
    if (observer_) observer_->stalled(actor(), {.what = waits_for_});
  } else {
    state_ = State::Halted;
  }
  return false;
}

bool Hart::load(uint32_t address, unsigned bytes, uint32_t& value) {
  if (address % bytes != 0) [[unlikely]] {
    stop(FaultCategory::Misaligned, address, fmt::format("Load of {} bytes from {:#010x}.", bytes, address),
         "The harts round such an address down; align it.");
    return false;
  }
  value = 0;
  if (address < l1_bytes_) {
    std::memcpy(&value, l1_.data() + address, bytes);
    return true;
  }
  if (address - arch::kLdmBase < local_bytes_) {
    std::memcpy(&value, local_.data() + (address - arch::kLdmBase), bytes);
    return true;
  }
  BusReply reply;
  if (!settle(bus_.load(index_, address, bytes, reply), reply)) return false;
  value = reply.value;
  late_ = reply.late;
  return true;
}

bool Hart::store(uint32_t address, unsigned bytes, uint32_t value) {
  if (address % bytes != 0) [[unlikely]] {
    stop(FaultCategory::Misaligned, address, fmt::format("Store of {} bytes to {:#010x}.", bytes, address),
         "The harts round such an address down; align it.");
    return false;
  }
  if (address - arch::kLdmBase < local_bytes_) {
    std::memcpy(local_.data() + (address - arch::kLdmBase), &value, bytes);
    return true;
  }
  stop_watching();
  if (address < l1_bytes_) {
    l1_.write(address, {reinterpret_cast<const uint8_t*>(&value), bytes});
    return true;
  }
  BusReply reply;
  return settle(bus_.store(index_, address, bytes, value, reply), reply);
}

// The zero word is a push of opcode 0, which no Tensix instruction has: the coprocessor thread would stop on it later, and nobody
// would know where it came from.
bool Hart::push(uint32_t tensix_word) {
  stop_watching();
  if (tensix_word == 0) [[unlikely]] {
    stop(FaultCategory::UndefinedBehavior, pc_, "Word 0x00000000 is no instruction: as a .ttinsn it pushes Tensix opcode 0x00.",
         "The hart ran into zeroed memory: nothing was loaded there, or a jump target is wrong.");
    return false;
  }
  BusReply reply;
  const bool fused =
      pc_ % kFetchBytes != 0 && fuses_pushes() && isa::riscv::is_ttinsn(l1_.load<uint32_t>(pc_ - 4));
  return settle(bus_.push(index_, tensix_word, fused, reply), reply);
}

bool Hart::amo(const Instruction& i, uint32_t& value) {
  stop_watching();
  const uint32_t address = x_[i.rs1];
  if (!atomic_word(address)) {
    stop(FaultCategory::UndefinedBehavior, address, fmt::format("Atomic memory operation at {:#010x}.", address),
         "Atomics work on aligned words of L1 only.");
    return false;
  }
  value = l1_.load<uint32_t>(address);
  l1_.store(address, amo_result(i.op, value, x_[i.rs2]));
  return true;
}

}  // namespace kerr::emu

#include "emu/riscv/port.hpp"

#include <fmt/format.h>

#include "arch/bytes.hpp"
#include "emu/riscv/arithmetic.hpp"
#include "emu/riscv/stop_instruction.hpp"
#include "isa/hints.hpp"

namespace kerr::emu {

using arithmetic::s;
using isa::riscv::Op;

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

bool HartPort::load_register(uint32_t address, unsigned bytes, uint32_t& value) {
  BusReply reply;
  if (!settle(bus.load(index, address, bytes, reply), reply)) return false;
  value = reply.value;
  late = reply.late;
  return true;
}

bool HartPort::store_register(uint32_t address, unsigned bytes, uint32_t value) {
  BusReply reply;
  return settle(bus.store(index, address, bytes, value, reply), reply);
}

// Word 0 is a push of opcode 0, which no Tensix instruction has: the coprocessor thread would stop on it later, and
// nobody would know where it came from.
bool HartPort::push(uint32_t tensix_word) {
  if (tensix_word == 0) [[unlikely]] {
    return stop(FaultCategory::UndefinedBehavior, state.pc,
                "Word 0x00000000 is no instruction: as a .ttinsn it pushes Tensix opcode 0x00.",
                "The hart ran into zeroed memory: nothing was loaded there, or a jump target is wrong.");
  }
  BusReply reply;
  const bool fused = state.pc % kFetchBytes != 0 && fuses(state.pc - 4);
  return settle(bus.push(index, arch::kInstructionPushBase, tensix_word, fused, reply), reply);
}

bool HartPort::amo(Op op, uint32_t address, uint32_t operand, uint32_t& value) {
  if (address % 4 != 0 || !in_l1(tile, address, 4)) {
    return stop(FaultCategory::UndefinedBehavior, address, fmt::format("Atomic memory operation at {:#010x}.", address),
                "Atomics work on aligned words of L1 only.");
  }
  value = l1.load<uint32_t>(address);
  const uint32_t result = amo_result(op, value, operand);
  if (!observer) {
    l1.store(address, result);
  } else {
    tell(AccessKind::Atomic, address, 4, result);
    l1.write_told(address, arch::as_uint8(result));
  }
  return true;
}

void HartPort::tell_push_to(uint32_t address, uint32_t tensix_word) {
  const HartBus::Push push = bus.last_push(index, address, state.pc);
  if (push.thread >= 0) observer->pushed(actor(), push.thread, tensix_word, push.number);
}

void HartPort::tell_print(const isa::riscv::Instruction& i, uint32_t value) {
  if (!isa::hint::is_print(i.imm)) return;
  const uint32_t word = static_cast<uint32_t>(i.imm) << 20 | uint32_t{i.rs1} << 15 | isa::hint::kPrintWord;
  prints->printed({tile, agent_of(index), state.cycle, state.pc, word, value});
}

bool HartPort::settle(Access access, const BusReply& reply) {
  if (access == Access::Done) [[likely]]
    return true;
  if (access == Access::Wait) {
    state.status = HartStatus::Blocked;
    state.waits_for = reply.wait;
    if (observer) observer->stalled(actor(), {.what = reply.wait});
  } else {
    state.status = HartStatus::Halted;
  }
  return false;
}

bool HartPort::misaligned(AccessKind kind, uint32_t address, unsigned bytes) {
  const bool loads = kind == AccessKind::Load;
  return stop(
      FaultCategory::Misaligned, address,
      fmt::format("{} of {} bytes {} {:#010x}.", loads ? "Load" : "Store", bytes, loads ? "from" : "to", address),
      "The harts round such an address down; align it.");
}

bool HartPort::refuse_fetch(uint32_t pc) {
  return stop(FaultCategory::UndefinedBehavior, pc, fmt::format("Instruction fetch from {:#010x}.", pc),
              "Code can be fetched from aligned words of L1 only; the return address or a jump target is wrong.");
}

bool HartPort::refuse(const isa::riscv::Instruction& i) {
  switch (i.op) {
    case Op::Ecall:
    case Op::Ebreak:
      at_stop = is_stop(i);
      state.status = HartStatus::Paused;  // tile.md 1.9: for a debugger. It has not retired, so pc says where
      return false;
    case Op::Illegal:
      return stop(FaultCategory::UndefinedBehavior, state.pc,
                  fmt::format("Word {:#010x} is no instruction.", word_at_pc()),
                  "The hart ran into data, or code was overwritten.");
    default:
      return stop(FaultCategory::Unsupported, state.pc, "Kerr does not model this instruction.",
                  "No document says what wfi does on these cores.");
  }
}

bool HartPort::stop(FaultCategory category, uint64_t address, std::string what, std::string advice) {
  state.status = HartStatus::Halted;
  faults.report({.category = category,
                 .cycle = state.cycle,
                 .tile = tile,
                 .agent = agent_of(index),
                 .pc = state.pc,
                 .instruction = word_at_pc(),
                 .address = address,
                 .what = std::move(what),
                 .advice = std::move(advice)});
  return false;
}

}  // namespace kerr::emu

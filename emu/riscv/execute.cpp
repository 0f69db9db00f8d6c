// One instruction of a hart is one line of this file.   docs/hardware/tile.md 1.2, 1.8, 1.9
//
// Program order with immediate effect: the strongest of the orders that the hardware allows (tile.md 1.8).
#include <fmt/format.h>

#include <bit>

#include "emu/riscv/hart.hpp"

namespace kerr::emu {

namespace {

std::int32_t s(std::uint32_t value) { return static_cast<std::int32_t>(value); }
std::uint32_t u(std::int32_t value) { return static_cast<std::uint32_t>(value); }

std::uint32_t mulh(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::int64_t>(s(a)) * s(b)) >> 32);
}
std::uint32_t mulhsu(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::int64_t>(s(a)) * static_cast<std::int64_t>(b)) >> 32);
}
std::uint32_t mulhu(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(a) * b) >> 32);
}
bool overflows(std::uint32_t a, std::uint32_t b) { return a == 0x80000000u && b == 0xFFFFFFFFu; }
std::uint32_t div(std::uint32_t a, std::uint32_t b) { return b == 0 ? ~0u : overflows(a, b) ? a : u(s(a) / s(b)); }
std::uint32_t rem(std::uint32_t a, std::uint32_t b) { return b == 0 ? a : overflows(a, b) ? 0 : u(s(a) % s(b)); }
std::uint32_t divu(std::uint32_t a, std::uint32_t b) { return b == 0 ? ~0u : a / b; }
std::uint32_t remu(std::uint32_t a, std::uint32_t b) { return b == 0 ? a : a % b; }

std::uint32_t rev8(std::uint32_t a) { return __builtin_bswap32(a); }
std::uint32_t brev8(std::uint32_t a) {
  a = (a & 0x55555555u) << 1 | (a >> 1 & 0x55555555u);
  a = (a & 0x33333333u) << 2 | (a >> 2 & 0x33333333u);
  return (a & 0x0F0F0F0Fu) << 4 | (a >> 4 & 0x0F0F0F0Fu);
}
std::uint32_t orc_b(std::uint32_t a) {
  std::uint32_t out = 0;
  for (int byte = 0; byte < 32; byte += 8) out |= (a >> byte & 0xFF) != 0 ? 0xFFu << byte : 0;
  return out;
}

std::uint32_t amo_result(isa::riscv::Op op, std::uint32_t memory, std::uint32_t operand) {
  using isa::riscv::Op;
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

// The result of an access on the bus: true if the instruction is done, false if the hart leaves its loop.
bool Hart::settle(Access access, const BusReply& reply) {
  if (access == Access::Done) [[likely]] return true;
  if (access == Access::Wait) {
    impure();
    state_ = State::Blocked;
    waits_for_ = reply.wait;
  } else {
    state_ = State::Halted;
  }
  return false;
}

bool Hart::load(std::uint32_t address, unsigned bytes, std::uint32_t& value) {
  if (address % bytes != 0) [[unlikely]] {
    stop(FaultCategory::Misaligned, address, fmt::format("Load of {} bytes from {:#010x}.", bytes, address),
         "The harts round such an address down; align it.");
    return false;
  }
  if (address < L1::kBytes) {
    value = bytes == 4 ? l1_.load<std::uint32_t>(address) : bytes == 2 ? l1_.load<std::uint16_t>(address) : l1_.data()[address];
    note_l1_load(address);
    return true;
  }
  if (address - kLocalBase < local_bytes_) {
    value = 0;
    std::memcpy(&value, local_.data() + (address - kLocalBase), bytes);
    if (poll_.valid) poll_.waits_for |= wait::kDebugRegisters;  // others reach it through the slow window
    return true;
  }
  BusReply reply;
  if (!settle(bus_.load(index_, address, bytes, reply), reply)) return false;
  value = reply.value;
  note_bus_load(address);
  return true;
}

bool Hart::store(std::uint32_t address, unsigned bytes, std::uint32_t value) {
  impure();
  if (address % bytes != 0) [[unlikely]] {
    stop(FaultCategory::Misaligned, address, fmt::format("Store of {} bytes to {:#010x}.", bytes, address),
         "The harts round such an address down; align it.");
    return false;
  }
  if (address < L1::kBytes) {
    if (bytes == 4) {
      l1_.store(address, value);
    } else if (bytes == 2) {
      l1_.store(address, static_cast<std::uint16_t>(value));
    } else {
      l1_.store(address, static_cast<std::uint8_t>(value));
    }
    return true;
  }
  if (address - kLocalBase < local_bytes_) {
    std::memcpy(local_.data() + (address - kLocalBase), &value, bytes);
    return true;
  }
  BusReply reply;
  return settle(bus_.store(index_, address, bytes, value, reply), reply);
}

bool Hart::push(std::uint32_t tensix_word) {
  impure();
  BusReply reply;
  return settle(bus_.push(index_, tensix_word, reply), reply);
}

bool Hart::amo(const DecodedInstruction& i, std::uint32_t& value) {
  impure();
  const std::uint32_t address = x_[i.rs1];
  if (address % 4 != 0 || !L1::contains(address, 4)) {
    stop(FaultCategory::UndefinedBehavior, address, fmt::format("Atomic memory operation at {:#010x}.", address),
         "Atomics work on aligned words of L1 only.");
    return false;
  }
  value = l1_.load<std::uint32_t>(address);
  l1_.store(address, amo_result(i.op, value, x_[i.rs2]));
  return true;
}

// A fault inside leaves pc_ on the instruction. A store may change code or reset this very hart: after each the line is looked up again.
void Hart::execute_until(Cycle end) {
  using isa::riscv::Op;
  const DecodedLine* line = nullptr;
  std::uint32_t line_base = 1;
  std::uint64_t changes = code_.changes();

  while (cycle_ < end && state_ == State::Running) {
    const std::uint32_t pc = pc_;
    if (const std::uint32_t base = pc & ~(L1::kLineBytes - 1); base != line_base || changes != code_.changes()) {
      if (pc % 4 != 0 || pc >= L1::kBytes) {
        return stop(FaultCategory::UndefinedBehavior, pc, fmt::format("Instruction fetch from {:#010x}.", pc),
                    "Code can be fetched from aligned words of L1 only; the return address or a jump target is wrong.");
      }
      line = code_.line(pc / L1::kLineBytes);
      line_base = base;
      changes = code_.changes();
    }
    const DecodedInstruction& i = line->instructions[pc % L1::kLineBytes / 4];
    const std::uint32_t a = x_[i.rs1];
    const std::uint32_t b = x_[i.rs2];
    const std::uint32_t imm = u(i.imm);
    std::uint32_t next = pc + 4;
    std::uint32_t d = 0;
    bool writes = true;
    bool taken = false;

    switch (i.op) {
      case Op::Lui: d = imm; break;
      case Op::Auipc: d = pc + imm; break;
      case Op::Jal: d = next; next = pc + imm; taken = true; break;
      case Op::Jalr: d = next; next = (a + imm) & ~1u; taken = true; break;

      case Op::Beq: taken = a == b; writes = false; break;
      case Op::Bne: taken = a != b; writes = false; break;
      case Op::Blt: taken = s(a) < s(b); writes = false; break;
      case Op::Bge: taken = s(a) >= s(b); writes = false; break;
      case Op::Bltu: taken = a < b; writes = false; break;
      case Op::Bgeu: taken = a >= b; writes = false; break;

      case Op::Lb: if (!load(a + imm, 1, d)) return; d = u(static_cast<std::int8_t>(d)); break;
      case Op::Lh: if (!load(a + imm, 2, d)) return; d = u(static_cast<std::int16_t>(d)); break;
      case Op::Lw: if (!load(a + imm, 4, d)) return; break;
      case Op::Lbu: if (!load(a + imm, 1, d)) return; break;
      case Op::Lhu: if (!load(a + imm, 2, d)) return; break;
      case Op::Sb: if (!store(a + imm, 1, b)) return; writes = false; break;
      case Op::Sh: if (!store(a + imm, 2, b)) return; writes = false; break;
      case Op::Sw: if (!store(a + imm, 4, b)) return; writes = false; break;

      case Op::Addi: d = a + imm; break;
      case Op::Slti: d = s(a) < i.imm; break;
      case Op::Sltiu: d = a < imm; break;
      case Op::Xori: d = a ^ imm; break;
      case Op::Ori: d = a | imm; break;
      case Op::Andi: d = a & imm; break;
      case Op::Slli: d = a << (imm & 31); break;
      case Op::Srli: d = a >> (imm & 31); break;
      case Op::Srai: d = u(s(a) >> (imm & 31)); break;
      case Op::Add: d = a + b; break;
      case Op::Sub: d = a - b; break;
      case Op::Sll: d = a << (b & 31); break;
      case Op::Slt: d = s(a) < s(b); break;
      case Op::Sltu: d = a < b; break;
      case Op::Xor: d = a ^ b; break;
      case Op::Srl: d = a >> (b & 31); break;
      case Op::Sra: d = u(s(a) >> (b & 31)); break;
      case Op::Or: d = a | b; break;
      case Op::And: d = a & b; break;

      case Op::Mul: d = a * b; break;
      case Op::Mulh: d = mulh(a, b); break;
      case Op::Mulhsu: d = mulhsu(a, b); break;
      case Op::Mulhu: d = mulhu(a, b); break;
      case Op::Div: d = div(a, b); break;
      case Op::Divu: d = divu(a, b); break;
      case Op::Rem: d = rem(a, b); break;
      case Op::Remu: d = remu(a, b); break;

      case Op::Sh1add: d = (a << 1) + b; break;
      case Op::Sh2add: d = (a << 2) + b; break;
      case Op::Sh3add: d = (a << 3) + b; break;
      case Op::Andn: d = a & ~b; break;
      case Op::Orn: d = a | ~b; break;
      case Op::Xnor: d = ~(a ^ b); break;
      case Op::Clz: d = static_cast<std::uint32_t>(std::countl_zero(a)); break;
      case Op::Ctz: d = static_cast<std::uint32_t>(std::countr_zero(a)); break;
      case Op::Cpop: d = static_cast<std::uint32_t>(std::popcount(a)); break;
      case Op::Max: d = s(a) > s(b) ? a : b; break;
      case Op::Maxu: d = a > b ? a : b; break;
      case Op::Min: d = s(a) < s(b) ? a : b; break;
      case Op::Minu: d = a < b ? a : b; break;
      case Op::SextB: d = u(static_cast<std::int8_t>(a)); break;
      case Op::SextH: d = u(static_cast<std::int16_t>(a)); break;
      case Op::Rol: d = std::rotl(a, s(b & 31)); break;
      case Op::Ror: d = std::rotr(a, s(b & 31)); break;
      case Op::Rori: d = std::rotr(a, s(imm & 31)); break;
      case Op::OrcB: d = orc_b(a); break;
      case Op::Rev8: d = rev8(a); break;
      case Op::Brev8: d = brev8(a); break;
      case Op::Pack: d = (a & 0xFFFF) | b << 16; break;  // zext.h with rs2 = x0

      case Op::AmoswapW: case Op::AmoaddW: case Op::AmoxorW: case Op::AmoandW: case Op::AmoorW:
      case Op::AmominW: case Op::AmomaxW: case Op::AmominuW: case Op::AmomaxuW:
        if (!amo(i, d)) return;
        break;

      case Op::Fence: case Op::FenceI: writes = false; break;  // program order with immediate effect needs neither
      case Op::Csrrw: case Op::Csrrs: case Op::Csrrc: case Op::Csrrwi: case Op::Csrrsi: case Op::Csrrci:
        if (!csr(i, d)) return;
        break;

      case Op::Ttinsn: if (!push(imm)) return; writes = false; break;

      case Op::Ecall: case Op::Ebreak:
        return stop(FaultCategory::UndefinedBehavior, pc, "ecall or ebreak pauses the hart for a debugger; none is attached.", "");
      case Op::Illegal:
        return stop(FaultCategory::UndefinedBehavior, pc, fmt::format("Word {:#010x} is no instruction.", word_at_pc()),
                    "The hart ran into data, or code was overwritten.");
      default:
        return stop(FaultCategory::Unsupported, pc, "Kerr does not model this instruction yet.",
                    "The scalar floating-point subset, mret and wfi are not there.");
    }

    if (writes && i.rd != 0) x_[i.rd] = d;
    ++cycle_;
    ++instructions_;
    if (taken) {
      if (!(i.op == Op::Jal || i.op == Op::Jalr)) next = pc + imm;
      pc_ = next;
      if (next <= pc) backward_branch(pc, next);
    } else {
      pc_ = next;
    }
  }
}

}  // namespace kerr::emu

#include "check/waiting_load.hpp"

#include <algorithm>
#include <bit>

#include "emu/riscv/evaluate.hpp"
#include "isa/riscv/instructions.hpp"

namespace kerr::check {

namespace {

using emu::computed;
using emu::extended;
using emu::loaded_bytes;
using emu::taken;
constexpr uint32_t kMostWordsBehind = 256;  // a loop, that are looked at

using isa::riscv::Instruction;
using isa::riscv::Kind;
using isa::riscv::Op;

Kind kind_of(const Instruction& i) { return isa::riscv::row(i.op).kind; }

// The loops that harts wait in are few, and evaluated in each of their turns.
struct Decoded {
  uint32_t word = 0;
  Instruction instruction = isa::riscv::decode(0);
  Kind kind = kind_of(instruction);
};
const Decoded& decoded(uint32_t word) {
  constexpr uint32_t kKept = 1024;
  thread_local std::array<Decoded, kKept> known;
  Decoded& out = known[(word * 0x9E37'79B9u) >> 22];
  if (out.word != word) {
    out.word = word;
    out.instruction = isa::riscv::decode(word);
    out.kind = kind_of(out.instruction);
  }
  return out;
}
bool is_computed(Kind kind) { return kind == Kind::Alu || kind == Kind::Mul || kind == Kind::Div; }
bool reads(const Instruction& i, uint32_t registers) {
  const isa::riscv::RegisterNumbers n = isa::riscv::register_numbers(i);
  const auto in = [&](uint8_t r) { return r != 0 && r < 32 && (registers >> r & 1) != 0; };
  return in(n.rs1) || in(n.rs2);
}
bool writes_register(const Instruction& i) {
  const Kind kind = kind_of(i);
  return kind != Kind::Store && kind != Kind::Branch && kind != Kind::Fence && i.rd != 0;
}

}  // namespace

void Code::forget() { known_.fill({}); }

// The innermost loop that the load is in: the next jump back over it.
LoadUse Code::analyse(uint32_t pc) const {
  LoadUse out;
  for (uint32_t at = pc + 4; at < pc + 4 * kMostWords; at += 4) {
    const Instruction i = isa::riscv::decode(word(at));
    const Kind kind = kind_of(i);
    if (kind == Kind::Branch || i.op == Op::Jal) {
      const uint32_t target = at + static_cast<uint32_t>(i.imm);
      if (i.imm < 0 && target <= pc && at - target < 4 * kMostWords) {
        if (is_waiting_loop(pc, target, at)) {
          out.waits = true;
          for (uint32_t turn = target; turn < at; turn += 4)
            out.fences |= kind_of(isa::riscv::decode(word(turn))) == Kind::Fence;
          out.head = target;
          out.tail = at;
        }
        break;
      }
    }
    if (kind == Kind::Illegal || i.op == Op::Jalr || (i.op == Op::Jal && i.rd != 0)) break;
  }
  out.decides = out.waits || value_decides(pc, pc, pc + 4 * (kMostWords - 1));
  out.lives = out.waits && is_used_behind(out.tail + 4, isa::riscv::decode(word(pc)).rd, 2);
  return out;
}

// Loads, fences, arithmetic, branches, stores to the own local memory by way of the stack pointer; the load's address
// does not move, and its value decides whether the loop ends.
bool Code::is_waiting_loop(uint32_t pc, uint32_t head, uint32_t tail) const {
  const Instruction load = isa::riscv::decode(word(pc));
  uint32_t changed = 0;
  for (uint32_t at = head; at <= tail; at += 4) {
    const Instruction i = isa::riscv::decode(word(at));
    switch (kind_of(i)) {
      case Kind::Alu:
      case Kind::Mul:
      case Kind::Div:
        // Constants are the same in every turn.
        if (i.rd != 0 && i.rs1 != 0) changed |= 1u << i.rd;
        break;
      case Kind::Load:
        if (at != pc && i.rd != 0) changed |= 1u << i.rd;
        break;
      case Kind::Branch:
      case Kind::Fence: break;
      case Kind::Store:
        if (i.rs1 != 2) return false;
        break;
      case Kind::Jump:
        if (i.op != Op::Jal || i.rd != 0) return false;
        break;
      case Kind::Csr: break;
      default: return false;
    }
  }
  const bool moves = load.rs1 != 0 && (changed >> load.rs1 & 1) != 0;
  // An address that is worked out of others each time is looked at by the values that it has.
  if (moves) {
    for (uint32_t at = head; at <= tail; at += 4) {
      const Instruction i = isa::riscv::decode(word(at));
      if (is_computed(kind_of(i)) && i.rd == load.rs1 && (i.rs1 == load.rs1 || i.rs2 == load.rs1)) return false;
    }
  }
  return value_decides(pc, head, tail);
}

// Straight on from the load, once round the loop if there is one: does a branch test what was made of it?
bool Code::value_decides(uint32_t pc, uint32_t head, uint32_t tail) const {
  uint32_t tainted = 1u << isa::riscv::decode(word(pc)).rd & ~1u;
  uint32_t at = pc + 4;
  for (uint32_t n = 0; n < kMostWords && tainted != 0; ++n, at += 4) {
    if (at > tail) {
      if (head == pc) return false;
      at = head;
    }
    if (at == pc && n > 0) return false;
    const Instruction i = isa::riscv::decode(word(at));
    const Kind kind = kind_of(i);
    if (kind == Kind::Branch && reads(i, tainted)) return true;
    if (kind == Kind::Illegal) return false;
    if (i.op == Op::Jalr || (i.op == Op::Jal && i.rd != 0)) {
      // What a call or a return may hand on: not known.
      return (tainted & (i.rd != 0 ? 0x0FFF'FF00u : 0x0FFC'0F00u)) != 0;
    }
    if (i.op == Op::Jal && head == pc) {
      at += static_cast<uint32_t>(i.imm) - 4;
      continue;
    }
    if (is_computed(kind) && reads(i, tainted)) {
      tainted |= 1u << i.rd & ~1u;
    } else if (writes_register(i)) {
      tainted &= ~(1u << i.rd);
    }
  }
  return false;
}

// Looks at both ways of so many branches. Registers that a call or a return may hand on count as used.
bool Code::is_used_behind(uint32_t from, int rd, int branches) const {
  if (rd == 0) return false;
  const uint32_t mask = 1u << rd;
  const bool is_saved = rd == 8 || rd == 9 || (rd >= 18 && rd <= 27);
  uint32_t at = from;
  for (uint32_t n = 0; n < kMostWordsBehind; ++n, at += 4) {
    const Instruction i = isa::riscv::decode(word(at));
    const Kind kind = kind_of(i);
    if (kind == Kind::Push) continue;
    if (kind == Kind::Illegal || kind == Kind::Float || kind == Kind::System || reads(i, mask)) return true;
    if (writes_register(i) && i.rd == rd) return false;
    if (kind == Kind::Branch) {
      if (branches == 0 || is_used_behind(at + static_cast<uint32_t>(i.imm), rd, branches - 1)) return true;
    }
    if (i.op == Op::Jalr || (i.op == Op::Jal && i.rd != 0)) {
      const bool call = i.rd != 0;
      return is_saved || (call ? rd >= 10 && rd <= 17 : rd == 10 || rd == 11);
    }
    if (i.op == Op::Jal) at += static_cast<uint32_t>(i.imm) - 4;
  }
  return true;
}

std::optional<bool> Code::leaves(uint32_t pc, uint32_t value, std::span<const uint32_t, 32> registers,
                                 const Peek& peek) {
  const LoadUse& use = use_of_load(pc);
  if (!use.waits) return std::nullopt;
  std::array<uint32_t, 32> x{};
  std::ranges::copy(registers, x.begin());
  const Instruction load = decoded(word(pc)).instruction;
  const uint32_t address = x[load.rs1] + static_cast<uint32_t>(load.imm);
  const bool keeps_base = load.rd != load.rs1;  // else the registers may be those behind the load
  if (load.rd != 0) x[load.rd] = extended(load.op, value);
  uint32_t at = pc + 4;
  for (uint32_t n = 0; n < 2 * kMostWords; ++n) {
    if (at == pc) return false;
    if (at < use.head || at > use.tail) return true;
    const auto& [text, i, kind] = decoded(word(at));
    uint32_t next = at + 4;
    switch (kind) {
      case Kind::Branch: {
        const std::optional<bool> goes = taken(i, x);
        if (!goes) return std::nullopt;
        if (*goes) next = at + static_cast<uint32_t>(i.imm);
        break;
      }
      case Kind::Jump: next = at + static_cast<uint32_t>(i.imm); break;
      case Kind::Load: {
        const uint32_t from = x[i.rs1] + static_cast<uint32_t>(i.imm);
        const bool is_again = keeps_base && from == address && i.op == load.op;  // it would find the same
        const std::optional<uint32_t> loaded = is_again ? value : peek(from, loaded_bytes(i.op));
        if (!loaded) return std::nullopt;
        if (i.rd != 0) x[i.rd] = extended(i.op, *loaded);
        break;
      }
      case Kind::Fence:
      case Kind::Store: break;
      default: {
        const std::optional<uint32_t> d = computed(i, at, x);
        if (!d) return std::nullopt;
        if (i.rd != 0) x[i.rd] = *d;
      }
    }
    at = next;
  }
  return std::nullopt;
}

}  // namespace kerr::check

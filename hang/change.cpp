#include "hang/change.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace kerr::hang {

using isa::riscv::Instruction;
using isa::riscv::Op;

namespace {

constexpr uint64_t kAll = uint64_t{1} << 32;  // values of a word
constexpr uint32_t kSign = 0x8000'0000;

Comparison always() { return {Comparison::Kind::Always, 0}; }
Comparison until(uint64_t rounds) { return {Comparison::Kind::Until, rounds}; }

// The smallest n > 0 with `difference` + n * `by` = 0 modulo 2^32; nothing if there is none. difference != 0.
std::optional<uint64_t> meets(uint32_t difference, uint32_t by) {
  if (by == 0) return std::nullopt;
  const int zeros = std::countr_zero(by);
  if (std::countr_zero(difference) < zeros) return std::nullopt;
  const uint32_t odd = by >> zeros;
  uint32_t inverse = odd;  // Newton: five bits, ten, ...
  for (int i = 0; i < 5; ++i) inverse *= 2 - odd * inverse;
  const uint64_t modulus = kAll >> zeros;
  return static_cast<uint64_t>(uint32_t{0} - (difference >> zeros)) * inverse % modulus;
}

Comparison equal(const Changing& a, const Changing& b) {
  const bool is = a.now == b.now;
  if (a.change.even && b.change.even) {
    const uint32_t by = a.change.by - b.change.by;
    if (by == 0) return always();
    if (is) return until(1);
    const auto rounds = meets(a.now - b.now, by);
    return rounds ? until(*rounds) : always();
  }
  if (!is && (a.most() < b.least() || b.most() < a.least())) return always();
  return {};
}

// A signed order is the unsigned one of values that are shifted by 2^31.
Changing shifted(const Changing& v) {
  Changing out = v;
  out.now = v.now ^ kSign;
  if (v.change.even) return out;
  const bool crosses = v.change.least < kSign && v.change.most >= kSign;
  out.change = crosses ? Change::any() : Change::within(v.change.least ^ kSign, v.change.most ^ kSign);
  return out;
}

// What moves by the same step each round passes the other, or the end of the numbers, and then the order may change.
Comparison less(const Changing& a, const Changing& b) {
  if (a.change.is_none() && b.change.is_none()) return always();
  const bool is = a.now < b.now;
  if (is ? a.most() < b.least() : a.least() >= b.most()) return always();
  if (!a.change.even || !b.change.even || (!a.change.is_none() && !b.change.is_none())) return {};
  const bool a_moves = !a.change.is_none();
  const uint32_t at = a_moves ? a.now : b.now, by = a_moves ? a.change.by : b.change.by;
  const uint32_t still = a_moves ? b.now : a.now;
  const bool up = by < kSign;
  const uint64_t step = up ? by : kAll - by;
  const auto distance = [&](uint32_t to) { return up ? uint64_t{to - at} : uint64_t{at - to}; };
  // Steps to each border, the first of them at which the order differs.
  std::array<uint32_t, 4> borders{still, still + 1, still - 1, up ? 0 : ~0u};
  std::array<uint64_t, 4> rounds{};
  for (size_t i = 0; i < borders.size(); ++i)
    rounds[i] = std::max<uint64_t>(1, (distance(borders[i]) + step - 1) / step);
  std::ranges::sort(rounds);
  for (const uint64_t n : rounds) {
    const auto then = static_cast<uint32_t>(at + n * by);
    if ((a_moves ? then < still : still < then) != is) return until(n);
  }
  return {};
}

// The number of low bits that matter to what is below a mask.
bool keeps_low_bits(const Changing& value, uint32_t mask) {
  return value.change.even && (value.change.by << std::countl_zero(mask)) == 0 && mask != 0;
}

}  // namespace

bool covers(const Changing& assumed, const Changing& actual) {
  if (assumed.change.even) return actual.change.even && actual.change.by == assumed.change.by;
  return actual.least() >= assumed.change.least && actual.most() <= assumed.change.most;
}

Comparison compare(Relation relation, const Changing& a, const Changing& b) {
  switch (relation) {
    case Relation::Equal: return equal(a, b);
    case Relation::Less: return less(shifted(a), shifted(b));
    case Relation::LessUnsigned: return less(a, b);
  }
  return {};
}

Comparison compare(const Instruction& branch, const Changing& a, const Changing& b) {
  if (branch.rs1 == branch.rs2) return always();
  switch (branch.op) {
    case Op::Beq:
    case Op::Bne: return compare(Relation::Equal, a, b);
    case Op::Blt:
    case Op::Bge: return compare(Relation::Less, a, b);
    case Op::Bltu:
    case Op::Bgeu: return compare(Relation::LessUnsigned, a, b);
    default: return {};
  }
}

Change change_of(const Instruction& i, const Changing& a, const Changing& b, uint64_t& until) {
  const auto imm = static_cast<uint32_t>(i.imm);
  const Changing constant{imm, Change::none()};
  const auto compared = [&](Relation relation, const Changing& other) {
    const Comparison comparison = compare(relation, a, other);
    if (comparison.kind == Comparison::Kind::Unknown) return Change::within(0, 1);
    if (comparison.kind == Comparison::Kind::Until) until = std::min(until, comparison.rounds);
    return Change::none();
  };
  const auto masked = [&](const Changing& value, uint32_t mask) {
    if (keeps_low_bits(value, mask)) return Change::none();
    return Change::within(0, std::min(mask, value.most()));
  };
  const auto rises = [](uint64_t least, uint64_t most) {
    return most < kAll ? Change::within(static_cast<uint32_t>(least), static_cast<uint32_t>(most)) : Change::any();
  };
  // What is computed of what never changes does not.
  const bool reads_b = isa::riscv::row(i.op).format == isa::riscv::Format::Register;
  const bool reads_a = i.op != Op::Lui && i.op != Op::Auipc;
  if ((!reads_a || a.change.is_none()) && (!reads_b || b.change.is_none())) return Change::none();
  const bool even = a.change.even && (!reads_b || b.change.even);
  switch (i.op) {
    case Op::Addi:
      if (even) return Change::every(a.change.by);
      return i.imm >= 0 ? rises(uint64_t{a.least()} + imm, uint64_t{a.most()} + imm) : Change::any();
    case Op::Add:
      if (even) return Change::every(a.change.by + b.change.by);
      return rises(uint64_t{a.least()} + b.least(), uint64_t{a.most()} + b.most());
    case Op::Sub: return even ? Change::every(a.change.by - b.change.by) : Change::any();
    case Op::Sh1add: return even ? Change::every((a.change.by << 1) + b.change.by) : Change::any();
    case Op::Sh2add: return even ? Change::every((a.change.by << 2) + b.change.by) : Change::any();
    case Op::Sh3add: return even ? Change::every((a.change.by << 3) + b.change.by) : Change::any();
    case Op::Slli: return even ? Change::every(a.change.by << (imm & 31)) : Change::any();
    case Op::Srli: return Change::within(a.least() >> (imm & 31), a.most() >> (imm & 31));
    case Op::Mul:
      if (a.change.is_none() && b.change.even) return Change::every(a.now * b.change.by);
      if (b.change.is_none() && a.change.even) return Change::every(a.change.by * b.now);
      return Change::any();
    case Op::Xori: return i.imm == -1 && even ? Change::every(0 - a.change.by) : Change::any();
    case Op::Andi: return masked(a, imm);
    case Op::And:
      if (b.change.is_none()) return masked(a, b.now);
      if (a.change.is_none()) return masked(b, a.now);
      return Change::within(0, std::min(a.most(), b.most()));
    case Op::Pack:  // zext.h
      if (!b.change.is_none() || b.now != 0) return Change::any();
      return masked(a, 0xFFFF);
    case Op::Remu: return b.change.is_none() && b.now != 0 ? Change::within(0, b.now - 1) : Change::any();
    case Op::Slti: return compared(Relation::Less, constant);
    case Op::Sltiu: return compared(Relation::LessUnsigned, constant);
    case Op::Slt: return compared(Relation::Less, b);
    case Op::Sltu: return compared(Relation::LessUnsigned, b);
    default: break;
  }
  return Change::any();
}

Change loaded(const Instruction& load, const Change& word) {
  if (word.is_none()) return word;
  switch (load.op) {
    case Op::Lw: return word;
    case Op::Lbu: return Change::within(0, 0xFF);
    case Op::Lhu: return Change::within(0, 0xFFFF);
    default: return Change::any();
  }
}

}  // namespace kerr::hang

#include "loops/scalar/builder.hpp"

#include <bit>

namespace kerr::loops::scalar {
namespace {

using Op = Builder::Op;

bool small(uint32_t value) { return static_cast<int32_t>(value) >= -2048 && static_cast<int32_t>(value) <= 2047; }

}  // namespace

Builder::Builder() : frames_(1), out_(&frames_[0].body) {}

// ---- where steps go

void Builder::aim(uint32_t level) {
  out_ = level < depth() ? &frames_[level + 1].before : &frames_.back().body;
}

void Builder::open_loop() {
  frames_.emplace_back();
  aim_here();
}

void Builder::close_loop() {
  Frame closed = std::move(frames_.back());
  frames_.pop_back();
  aim_here();
  out_->insert(out_->end(), closed.before.begin(), closed.before.end());
  out_->insert(out_->end(), closed.body.begin(), closed.body.end());
}

Machine Builder::finish() {
  machine_.steps = std::move(frames_[0].before);
  machine_.steps.insert(machine_.steps.end(), frames_[0].body.begin(), frames_[0].body.end());
  return std::move(machine_);
}

// ---- steps

void Builder::append(Step step) {
  step.line = line_;
  ++count_;
  out_->push_back(step);
}

void Builder::put(Op op, RegId rd, RegId rs1, RegId rs2, int32_t imm) {
  append({.kind = Step::Kind::Instruction, .op = op, .rd = rd, .rs1 = rs1, .rs2 = rs2, .imm = imm});
}
void Builder::branch(Op op, RegId rs1, RegId rs2, uint32_t label) {
  append({.kind = Step::Kind::Branch, .op = op, .rs1 = rs1, .rs2 = rs2, .label = label});
}
void Builder::jump(uint32_t label) { append({.kind = Step::Kind::Jump, .label = label}); }
void Builder::bind(uint32_t label) { append({.kind = Step::Kind::Bind, .label = label}); }
void Builder::set(RegId rd, RegId from) {
  if (machine_.in_float_file(rd)) return put(Op::FsgnjS, rd, from, from);
  if (const auto value = known(from)) return set_constant(rd, *value);
  put(Op::Addi, rd, from);
}
void Builder::set_constant(RegId rd, uint32_t value) {
  append({.kind = Step::Kind::Constant, .rd = rd, .imm = static_cast<int32_t>(value)});
}
void Builder::memory_call(uint32_t routine) { append({.kind = Step::Kind::MemoryCall, .label = routine}); }
void Builder::mark(Step::Kind kind, RegId rd) { append({.kind = kind, .rd = rd}); }

void Builder::retarget(Scalar& made, Scalar instead, uint64_t since) {
  if (count_ == since || out_->empty() || made.high != kZero || instead.high != kZero) return;
  Step& last = out_->back();
  if (last.kind != Step::Kind::Instruction || last.rd != made.low || made.low < kFirstVirtual || known(made.low)) return;
  last.rd = instead.low;
  made = instead;
}

Scalar Builder::call(Routine routine, std::initializer_list<RegId> operands, uint32_t results, bool float_result) {
  RoutineCall c{.routine = routine, .operand_count = static_cast<uint8_t>(operands.size()),
                .result_count = static_cast<uint8_t>(results)};
  std::copy(operands.begin(), operands.end(), c.operands.begin());
  for (uint32_t i = 0; i < results; ++i) c.results[i] = make(float_result);
  machine_.calls.push_back(c);
  append({.kind = Step::Kind::Call, .label = static_cast<uint32_t>(machine_.calls.size() - 1)});
  return {c.results[0], results == 2 ? c.results[1] : kZero};
}

RegId Builder::op2(Op op, RegId a, RegId b) {
  const RegId rd = make();
  put(op, rd, a, b);
  return rd;
}
RegId Builder::op1(Op op, RegId a, int32_t imm) {
  const RegId rd = make();
  put(op, rd, a, kZero, imm);
  return rd;
}
RegId Builder::float2(Op op, RegId a, RegId b) {
  const RegId rd = make(true);
  put(op, rd, a, b);
  return rd;
}
RegId Builder::compare(Op op, RegId a, RegId b) { return op2(op, a, b); }

// ---- numbers

RegId Builder::constant(uint32_t value) {
  if (value == 0) return kZero;
  const auto [found, is_new] = constants_.try_emplace(value);
  if (is_new) {
    found->second = make();
    known_[found->second] = value;
    frames_[0].before.push_back({.kind = Step::Kind::Constant, .rd = found->second, .imm = static_cast<int32_t>(value)});
  }
  return found->second;
}

RegId Builder::float_constant(uint32_t bits) {
  const auto [found, is_new] = float_constants_.try_emplace(bits);
  if (is_new) {
    found->second = make(true);
    frames_[0].before.push_back({.kind = Step::Kind::Constant, .rd = found->second, .imm = static_cast<int32_t>(bits)});
  }
  return found->second;
}

std::optional<uint32_t> Builder::known(RegId reg) const {
  if (reg == kZero) return 0;
  const auto found = known_.find(reg);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

RegId Builder::add_constant(RegId a, uint32_t value) {
  if (const auto k = known(a)) return constant(*k + value);
  if (value == 0) return a;
  if (small(value)) return op1(Op::Addi, a, static_cast<int32_t>(value));
  return op2(Op::Add, a, constant(value));
}

RegId Builder::add(RegId a, RegId b) {
  if (const auto k = known(b)) return add_constant(a, *k);
  if (const auto k = known(a)) return add_constant(b, *k);
  return op2(Op::Add, a, b);
}

RegId Builder::sub(RegId a, RegId b) {
  if (const auto k = known(b)) return add_constant(a, 0u - *k);
  return op2(Op::Sub, a, b);
}

RegId Builder::mul(RegId a, RegId b) {
  const auto ka = known(a), kb = known(b);
  if (ka && kb) return constant(*ka * *kb);
  if (ka) return mul(b, a);
  if (kb) {
    if (*kb == 0) return kZero;
    if (*kb == 1) return a;
    if (std::has_single_bit(*kb)) return shift_left(a, static_cast<uint32_t>(std::countr_zero(*kb)));
    if (*kb == 3 || *kb == 5 || *kb == 9) return op2(*kb == 3 ? Op::Sh1add : *kb == 5 ? Op::Sh2add : Op::Sh3add, a, a);
  }
  return op2(Op::Mul, a, b);
}

RegId Builder::and_(RegId a, RegId b) {
  const auto ka = known(a), kb = known(b);
  if (ka && kb) return constant(*ka & *kb);
  if (ka) return and_(b, a);
  if (kb && *kb == 0) return kZero;
  if (kb && *kb == ~0u) return a;
  if (kb && small(*kb)) return op1(Op::Andi, a, static_cast<int32_t>(*kb));
  return op2(Op::And, a, b);
}
RegId Builder::or_(RegId a, RegId b) {
  const auto ka = known(a), kb = known(b);
  if (ka && kb) return constant(*ka | *kb);
  if (ka) return or_(b, a);
  if (kb && *kb == 0) return a;
  if (kb && small(*kb)) return op1(Op::Ori, a, static_cast<int32_t>(*kb));
  return op2(Op::Or, a, b);
}
RegId Builder::xor_(RegId a, RegId b) {
  const auto ka = known(a), kb = known(b);
  if (ka && kb) return constant(*ka ^ *kb);
  if (ka) return xor_(b, a);
  if (kb && *kb == 0) return a;
  if (kb && small(*kb)) return op1(Op::Xori, a, static_cast<int32_t>(*kb));
  return op2(Op::Xor, a, b);
}

RegId Builder::shift_left(RegId a, uint32_t count) {
  if (const auto k = known(a)) return constant(*k << count);
  return count == 0 ? a : op1(Op::Slli, a, static_cast<int32_t>(count));
}
RegId Builder::shift_right(RegId a, uint32_t count, bool arithmetic) {
  if (const auto k = known(a)) {
    return constant(arithmetic ? static_cast<uint32_t>(static_cast<int32_t>(*k) >> count) : *k >> count);
  }
  return count == 0 ? a : op1(arithmetic ? Op::Srai : Op::Srli, a, static_cast<int32_t>(count));
}

RegId Builder::less(RegId a, RegId b, bool is_signed) {
  if (const auto k = known(b); k && small(*k) && !known(a)) {
    return op1(is_signed ? Op::Slti : Op::Sltiu, a, static_cast<int32_t>(*k));
  }
  return op2(is_signed ? Op::Slt : Op::Sltu, a, b);
}
RegId Builder::is_zero(RegId a) {
  if (const auto k = known(a)) return constant(*k == 0);
  return op1(Op::Sltiu, a, 1);
}
RegId Builder::is_not_zero(RegId a) {
  if (const auto k = known(a)) return constant(*k != 0);
  return op2(Op::Sltu, kZero, a);
}

Scalar Builder::select(RegId condition, Scalar a, Scalar b, bool wide) {
  const bool float_file = machine_.in_float_file(a.low);
  if (const auto k = known(condition)) return *k != 0 ? a : b;
  if (!wide && !float_file && known(b.low) == 0u) {
    if (known(a.low) == 1u) return {condition};
    return {op2(Op::And, op2(Op::Sub, kZero, condition), a.low)};
  }
  Scalar out{make(float_file), wide ? make() : kZero};
  const uint32_t skip = label();
  set(out.low, b.low);
  if (wide) set(out.high, b.high);
  branch(Op::Beq, condition, kZero, skip);
  set(out.low, a.low);
  if (wide) set(out.high, a.high);
  bind(skip);
  return out;
}
RegId Builder::select(RegId condition, RegId a, RegId b) { return select(condition, Scalar{a}, Scalar{b}, false).low; }

RegId Builder::to_float(RegId bits) {
  if (const auto k = known(bits)) return float_constant(*k);
  const RegId rd = make(true);
  put(Op::FmvWX, rd, bits);
  return rd;
}
RegId Builder::to_bits(RegId value) { return op1(Op::FmvXW, value); }

RegId Builder::scaled(RegId base, RegId index, uint32_t bytes) {
  if (const auto k = known(index)) return add_constant(base, *k * bytes);
  switch (bytes) {
    case 1: return add(base, index);
    case 2: return op2(Op::Sh1add, index, base);
    case 4: return op2(Op::Sh2add, index, base);
    case 8: return op2(Op::Sh3add, index, base);
    default: return add(base, mul(index, constant(bytes)));
  }
}

RegId Builder::normal(Type type, RegId a) {
  if (const auto k = known(a)) {
    switch (type) {
      case Type::I8: return constant(static_cast<uint32_t>(static_cast<int8_t>(*k)));
      case Type::U8: return constant(*k & 0xFF);
      case Type::I16: return constant(static_cast<uint32_t>(static_cast<int16_t>(*k)));
      case Type::U16: return constant(*k & 0xFFFF);
      default: return a;
    }
  }
  switch (type) {
    case Type::I8: return op1(Op::SextB, a);
    case Type::U8: return op1(Op::Andi, a, 255);
    case Type::I16: return op1(Op::SextH, a);
    case Type::U16: return op2(Op::Pack, a, kZero);
    default: return a;
  }
}

}  // namespace kerr::loops::scalar

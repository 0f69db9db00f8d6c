#include "loops/scalar/scalars.hpp"

#include <algorithm>

#include "loops/scalar/select.hpp"

namespace kerr::loops::scalar {

using Op = Builder::Op;

Scalar load_from(Builder& b, Type type, RegId base, int32_t offset) {
  Scalar out{b.make(in_float_file(type))};
  switch (type) {
    case Type::Bool: b.put(Op::Lbu, out.low, base, kZero, offset); return {b.is_not_zero(out.low)};
    case Type::U8: b.put(Op::Lbu, out.low, base, kZero, offset); return out;
    case Type::I8: b.put(Op::Lb, out.low, base, kZero, offset); return out;
    case Type::I16: b.put(Op::Lh, out.low, base, kZero, offset); return out;
    case Type::U16:
    case Type::F16:
    case Type::Bf16: b.put(Op::Lhu, out.low, base, kZero, offset); return out;
    case Type::F32: b.put(Op::Flw, out.low, base, kZero, offset); return out;
    case Type::I32:
    case Type::U32: b.put(Op::Lw, out.low, base, kZero, offset); return out;
    default:
      out.high = b.make();
      b.put(Op::Lw, out.low, base, kZero, offset);
      b.put(Op::Lw, out.high, base, kZero, offset + 4);
      return out;
  }
}

void store_to(Builder& b, Type type, Scalar value, RegId base, int32_t offset) {
  switch (info(type).bytes) {
    case 1: return b.store(Op::Sb, value.low, base, offset);
    case 2: return b.store(Op::Sh, value.low, base, offset);
    case 4: return b.store(type == Type::F32 ? Op::Fsw : Op::Sw, value.low, base, offset);
    default: b.store(Op::Sw, value.low, base, offset); b.store(Op::Sw, value.high, base, offset + 4);
  }
}

Scalar assemble(Builder& b, Type type, const std::function<RegId(uint32_t)>& load) {
  const auto word = [&](uint32_t first, uint32_t bytes) {
    RegId out = load(first);
    for (uint32_t k = 1; k < bytes; ++k) out = b.or_(out, b.shift_left(load(first + k), 8 * k));
    return out;
  };
  const uint32_t bytes = info(type).bytes;
  const RegId low = word(0, std::min(bytes, 4u));
  if (bytes == 8) return {low, word(4, 4)};
  if (in_float_file(type)) return {b.to_float(low)};
  if (type == Type::Bool) return {b.is_not_zero(low)};
  return {b.normal(type, low)};
}

void take_apart(Builder& b, Type type, Scalar value, const std::function<void(uint32_t, RegId)>& store) {
  const RegId low = in_float_file(type) ? b.to_bits(value.low) : value.low;
  for (uint32_t k = 0; k < info(type).bytes; ++k) store(k, b.shift_right(k < 4 ? low : value.high, 8 * (k % 4), false));
}

void check_inside(Builder& b, const Instruction& i, RegId element, RegId high, uint8_t lane, uint64_t bytes) {
  const uint64_t size = info(i.type.type).bytes, more = lane * size;
  const uint64_t limit = more + size > bytes ? 0 : (bytes - more - size) / info(i.address.unit).bytes + 1;
  const uint32_t outside = b.label();
  if (high != kZero) b.branch(Op::Bne, high, kZero, outside);
  b.branch(Op::Bgeu, element, b.constant(static_cast<uint32_t>(limit)), outside);
  b.mark(Step::Kind::ColdBegin);
  b.bind(outside);
  b.set_constant(kT0, kOutside);
  b.store(Op::Sw, kZero, kT0, 0);
  b.jump(outside);
  b.mark(Step::Kind::ColdEnd);
}

Scalars::Scalars(Builder& builder, const Program& program, const Plan& plan, bool check_bounds)
    : b_(builder),
      program_(program),
      plan_(plan),
      check_bounds_(check_bounds),
      in_place_(program.body.size()),
      made_for_(program.body.size(), kNone) {
  for (size_t r = 0; r < program.registers.size(); ++r) {
    first_.push_back(static_cast<uint32_t>(types_.size()));
    if (!plan.is_array[r]) types_.insert(types_.end(), program.registers[r].count, program.registers[r].type);
  }
  find_lifetimes();
}

// What a load gives is the element itself as long as nothing is stored there before its last use, and a number that is
// only stored is made in the element at once if nobody looks at what was there before.
void Scalars::find_lifetimes() {
  const std::vector<Instruction>& body = program_.body;
  const auto count = static_cast<uint32_t>(body.size());
  std::vector<uint32_t> last_use(program_.values.size()), uses(program_.values.size()), block(count),
      definition(program_.values.size(), kNone);
  std::vector<uint32_t> open{kNone};
  for (uint32_t at = 0; at < count; ++at) {
    const Instruction& i = body[at];
    if (i.verb == Verb::EndLoop || i.verb == Verb::While || i.verb == Verb::EndIf) open.pop_back();
    block[at] = open.back();
    const auto use = [&](const Operand& operand, uint32_t where) {
      if (operand.is_number()) return;
      last_use[operand.value] = std::max(last_use[operand.value], where);
      ++uses[operand.value];
    };
    for (const Operand& operand : i.inputs()) use(operand, i.verb == Verb::Loop ? i.partner : at);
    if (i.verb == Verb::Load || i.verb == Verb::Store) use(i.address.element, at);
    if (i.result != kNoValue) definition[i.result] = at;
    if (i.verb == Verb::Loop || i.verb == Verb::Do || i.verb == Verb::If) open.push_back(at);
  }
  std::vector<uint32_t> next_store(types_.size(), count), next_look(types_.size(), count);
  for (uint32_t at = count; at-- > 0;) {
    const Instruction& i = body[at];
    if ((i.verb != Verb::Load && i.verb != Verb::Store) || i.address.space != Address::Space::Register ||
        plan_.is_array[i.address.index])
      continue;
    const uint32_t element = element_of(i.address);
    if (i.verb == Verb::Store) {
      next_store[element] = at;
      next_look[element] = count;
      const Operand& value = i.operands[0];
      if (value.is_number() || uses[value.value] != 1) continue;
      const uint32_t made = definition[value.value];
      if (made != kNone && is_arithmetic(body[made].verb) && block[made] == block[at]) made_for_[made] = element;
    } else {
      const uint32_t until = last_use[i.result];
      // In the same block: what a loop in between does to the element would stand before the last use.
      in_place_[at] = until <= next_store[element] && (until == 0 || block[until] == block[at]) && !i.gated;
    }
  }
  // Forward: the candidates that somebody looks past.
  std::vector<uint32_t> looked(types_.size(), 0);  // the last line that needs the element as it is now
  std::vector<uint32_t> pending(types_.size(), kNone);
  for (uint32_t at = 0; at < count; ++at) {
    const Instruction& i = body[at];
    if (made_for_[at] != kNone) {
      const uint32_t element = made_for_[at];
      if (looked[element] > at || pending[element] != kNone)
        made_for_[at] = kNone;
      else
        pending[element] = at;
    }
    if (i.verb != Verb::Load && i.verb != Verb::Store) continue;
    if (i.address.space != Address::Space::Register || plan_.is_array[i.address.index]) continue;
    const uint32_t element = element_of(i.address);
    if (i.verb == Verb::Load) {
      if (pending[element] != kNone) {
        made_for_[pending[element]] = kNone;
        pending[element] = kNone;
      }
      if (in_place_[at]) looked[element] = std::max(looked[element], last_use[i.result]);
    } else {
      if (pending[element] != kNone && made_for_[pending[element]] != kNone &&
          !(i.operands[0].value == body[pending[element]].result)) {
        made_for_[pending[element]] = kNone;
      }
      pending[element] = kNone;
    }
  }
}

void Scalars::enter() {
  for (Type type : types_) {
    const Scalar element{b_.make(in_float_file(type)), is_wide(type) ? b_.make() : kZero};
    b_.set_constant(element.low, 0);
    if (is_wide(type)) b_.set_constant(element.high, 0);
    elements_.push_back(element);
  }
  for (size_t r = 0; r < plan_.is_array.size(); ++r) {
    if (!plan_.is_array[r]) continue;
    const auto bytes = static_cast<uint32_t>((program_.registers[r].bytes() + 7) & ~7ull);
    const RegId at = b_.make(), end = b_.make();
    b_.put(Op::Add, at, kWork, b_.constant(plan_.array_offset[r]));
    b_.put(Op::Add, end, at, b_.constant(bytes));
    const uint32_t top = b_.label();
    b_.mark(Step::Kind::LoopBegin);
    b_.bind(top);
    b_.store(Op::Sw, kZero, at, 0);
    b_.store(Op::Sw, kZero, at, 4);
    b_.put(Op::Addi, at, at, kZero, 8);
    b_.branch(Op::Bne, at, end, top);
    b_.mark(Step::Kind::LoopEnd);
  }
}

Scalar Scalars::read(const Address& address, uint32_t at) {
  const Scalar element = elements_[element_of(address)];
  if (in_place_[at]) return element;
  const Type type = types_[element_of(address)];
  const Scalar copy{b_.make(in_float_file(type)), is_wide(type) ? b_.make() : kZero};
  b_.set(copy.low, element.low);
  if (is_wide(type)) b_.set(copy.high, element.high);
  return copy;
}

void Scalars::write(const Address& address, Scalar value) {
  const Scalar element = elements_[element_of(address)];
  if (value.low != element.low) b_.set(element.low, value.low);
  if (element.high != kZero && value.high != element.high) b_.set(element.high, value.high);
}

bool Scalars::made_for(uint32_t at, Scalar& element) const {
  if (made_for_[at] == kNone) return false;
  element = elements_[made_for_[at]];
  return true;
}

RegId Scalars::place(const Instruction& i, RegId element, RegId high, uint8_t lane, int32_t& offset) {
  if (check_bounds_) check_inside(b_, i, element, high, lane, program_.registers[i.address.index].bytes());
  const uint32_t array = plan_.array_offset[i.address.index];
  offset = lane * info(i.type.type).bytes;
  return b_.scaled(b_.add(kWork, b_.constant(array)), element, info(i.address.unit).bytes);
}

// In pieces of a byte where an element may begin anywhere.
Scalar Scalars::load(const Instruction& i, RegId element, RegId high, uint8_t lane) {
  int32_t offset;
  const RegId base = place(i, element, high, lane, offset);
  const Type type = i.type.type;
  if (info(type).bytes <= info(i.address.unit).bytes) return load_from(b_, type, base, offset);
  return assemble(b_, type, [&](uint32_t byte) {
    const RegId out = b_.make();
    b_.put(Op::Lbu, out, base, kZero, offset + static_cast<int32_t>(byte));
    return out;
  });
}

void Scalars::store(const Instruction& i, RegId element, RegId high, uint8_t lane, Scalar value) {
  int32_t offset;
  const RegId base = place(i, element, high, lane, offset);
  const Type type = i.type.type;
  if (info(type).bytes <= info(i.address.unit).bytes) return store_to(b_, type, value, base, offset);
  take_apart(b_, type, value,
             [&](uint32_t byte, RegId bits) { b_.store(Op::Sb, bits, base, offset + static_cast<int32_t>(byte)); });
}

}  // namespace kerr::loops::scalar

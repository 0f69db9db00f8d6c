#include "loops/scalar/access.hpp"

#include <functional>

#include "loops/scalar/scalars.hpp"
#include "loops/scalar/select.hpp"
#include "loops/scalar/work_area.hpp"

namespace kerr::loops::scalar {

using Op = Builder::Op;

RegId Access::argument(uint32_t offset) {
  const RegId out = b_.make();
  if (offset < 2048) {
    b_.put(Op::Lw, out, arguments_, kZero, static_cast<int32_t>(offset));
  } else {
    b_.put(Op::Lw, out, b_.op2(Op::Add, arguments_, b_.constant(offset)));
  }
  return out;
}

void Access::enter() {
  arguments_ = b_.make();
  b_.put(Op::Lw, arguments_, kWork, kZero, Work::Arguments);
  tags_.resize(plan_.objects.size());
  for (uint32_t o = 0; o < plan_.objects.size(); ++o) prepare(plan_.objects[o], o);
  for (uint32_t p = 0; p < program_.parameters.size(); ++p) {
    const Object& object = plan_.objects[plan_.object_of[p]];
    ParameterBase base{argument(static_cast<uint32_t>(4 * (Arguments::First + plan_.objects.size() + p)))};
    if (object.reads == Object::Reads::Whole) {
      const RegId in_line = b_.op1(Op::Andi, base.view, kLineBytes - 1);
      base.whole = b_.add(b_.add(kWork, b_.constant(object.lines)), in_line);
    }
    bases_.push_back(base);
    if (object.reads == Object::Reads::Whole) preload(object, p);
  }
}

void Access::prepare(const Object& object, uint32_t number) {
  const RegId words = b_.make();
  b_.put(Op::Add, words, kWork, b_.constant(object.words));
  b_.store(Op::Sw, argument(4 * (Arguments::First + number)), words, ObjectWords::Base);
  if (object.reads != Object::Reads::None) b_.store(Op::Sw, b_.add(kWork, b_.constant(object.lines)), words, ObjectWords::Lines);
  if (object.stored) {
    b_.store(Op::Sw, kZero, words, ObjectWords::DirtyLow);
    b_.store(Op::Sw, kZero, words, ObjectWords::DirtyHigh);
    b_.store(Op::Sw, b_.add(kWork, b_.constant(object.write_lines)), words, ObjectWords::WriteLine);
  }
  if (object.reads == Object::Reads::None || object.reads == Object::Reads::Whole) return;
  tags_[number] = b_.add(kWork, b_.constant(object.tags));
  b_.store(Op::Sw, tags_[number], words, ObjectWords::Tags);
  b_.store(Op::Sw, b_.constant(object.sets - 1), words, ObjectWords::LastSet);
  const RegId at = b_.make(), end = b_.make(), nothing = b_.make();
  b_.put(Op::Addi, at, tags_[number]);
  b_.put(Op::Add, end, at, b_.constant(8 * object.sets));
  b_.set_constant(nothing, ~0u);
  const uint32_t top = b_.label();
  b_.mark(Step::Kind::LoopBegin);
  b_.bind(top);
  b_.store(Op::Sw, nothing, at, 0);
  b_.put(Op::Addi, at, at, kZero, 8);
  b_.branch(Op::Bne, at, end, top);
  b_.mark(Step::Kind::LoopEnd);
}

// All lines from that of the view's first byte to that of its last.
void Access::preload(const Object& object, uint32_t parameter) {
  const RegId view = bases_[parameter].view;
  const RegId last = b_.add(view, b_.constant(static_cast<uint32_t>(program_.parameters[parameter].bytes() - 1)));
  const RegId lines = b_.op2(Op::Sub, b_.op1(Op::Srli, last, kLineShift), b_.op1(Op::Srli, view, kLineShift));
  const RegId count = b_.op1(Op::Addi, lines, 1);
  b_.put(Op::Addi, kT0, view);
  b_.put(Op::Addi, kT2, count);
  pass_words(object);
  b_.memory_call(static_cast<uint32_t>(MemoryRoutine::Preload));
}

void Access::leave() {
  for (const Object& object : plan_.objects) {
    if (!object.stored) continue;
    pass_words(object);
    b_.memory_call(static_cast<uint32_t>(MemoryRoutine::Flush));
  }
}

void Access::pass_words(const Object& object) {
  if (object.words < 2048) {
    b_.put(Op::Addi, kT1, kWork, kZero, static_cast<int32_t>(object.words));
  } else {
    b_.set_constant(kT1, object.words);
    b_.put(Op::Add, kT1, kT1, kWork);
  }
}

// An element that may begin at no multiple of its size.
bool Access::in_bytes(const Instruction& i) const {
  return info(i.type.type).bytes > 1 &&
         (facts_.misaligned[i.address.index] || info(i.type.type).bytes > info(i.address.unit).bytes);
}

// An access that is not inside stores to where nothing is.
void Access::check(const Instruction& i, RegId element, RegId high, uint8_t lane) {
  if (!options_.check_bounds) return;
  const uint64_t bytes = program_.parameters[i.address.index].bytes(), size = info(i.type.type).bytes, more = lane * size;
  const uint64_t limit = more + size > bytes ? 0 : (bytes - more - size) / info(i.address.unit).bytes + 1;
  const uint32_t outside = b_.label();
  if (high != kZero) b_.branch(Op::Bne, high, kZero, outside);
  b_.branch(Op::Bgeu, element, b_.constant(static_cast<uint32_t>(limit)), outside);
  b_.mark(Step::Kind::ColdBegin);
  b_.bind(outside);
  b_.set_constant(kT0, 0xFFAF0000);
  b_.store(Op::Sw, kZero, kT0, 0);
  b_.jump(outside);
  b_.mark(Step::Kind::ColdEnd);
}

// base + element * size + more, made where the index is.
RegId Access::offset_of(const Instruction& i, RegId element, uint32_t level, RegId base, uint32_t more) {
  b_.aim(level);
  const RegId offset = b_.add_constant(b_.scaled(base, element, info(i.address.unit).bytes), more);
  b_.aim_here();
  return offset;
}

// Where in L1 the byte at an offset is: in t2.
RegId Access::line_address(const Object& object, RegId offset, bool polls) {
  if (polls) {
    b_.put(Op::Addi, kT0, offset);
    pass_words(object);
    b_.put(Op::Add, kT2, kWork, b_.constant(plan_.fetch_line));
    b_.memory_call(static_cast<uint32_t>(object.stored ? MemoryRoutine::FetchInOrder : MemoryRoutine::Fetch));
    return kT2;
  }
  const bool in_order = object.reads == Object::Reads::InOrder;
  const auto number = static_cast<size_t>(&object - plan_.objects.data());
  const uint32_t again = b_.label(), miss = b_.label();
  b_.bind(again);
  b_.put(Op::Srli, kT0, offset, kZero, kLineShift);
  RegId entry = tags_[number];
  if (object.sets > 1) {
    b_.put(Op::Andi, kT1, kT0, kZero, static_cast<int32_t>(object.sets - 1));
    b_.put(Op::Sh3add, kT1, kT1, entry);
    entry = kT1;
  }
  b_.put(Op::Lw, kT2, entry, kZero, 0);
  b_.branch(Op::Bne, kT2, kT0, miss);
  b_.put(Op::Lw, kT2, entry, kZero, 4);
  b_.put(Op::Add, kT2, kT2, offset);
  b_.mark(Step::Kind::ColdBegin);
  b_.bind(miss);
  b_.put(Op::Addi, kT0, offset);
  pass_words(object);
  b_.memory_call(static_cast<uint32_t>(in_order ? MemoryRoutine::FillInOrder : MemoryRoutine::Fill));
  b_.jump(again);
  b_.mark(Step::Kind::ColdEnd);
  return kT2;
}

Scalar Access::load(const Instruction& i, RegId element, RegId high, uint32_t level, uint8_t lane) {
  const Object& object = plan_.objects[plan_.object_of[i.address.index]];
  const ParameterBase& base = bases_[i.address.index];
  const Type type = i.type.type;
  const uint32_t more = lane * info(type).bytes;
  check(i, element, high, lane);
  if (object.reads == Object::Reads::Whole && polling_ == 0) {
    const RegId at = offset_of(i, element, level, base.whole, 0);
    const auto offset = static_cast<int32_t>(more);
    if (!in_bytes(i)) return load_from(b_, type, at, offset);
    return assemble(b_, type, [&](uint32_t byte) {
      const RegId out = b_.make();
      b_.put(Op::Lbu, out, at, kZero, offset + static_cast<int32_t>(byte));
      return out;
    });
  }
  if (!in_bytes(i)) return load_from(b_, type, line_address(object, offset_of(i, element, level, base.view, more), polling_ != 0), 0);
  return assemble(b_, type, [&](uint32_t byte) {
    const RegId out = b_.make();
    b_.put(Op::Lbu, out, line_address(object, offset_of(i, element, level, base.view, more + byte), polling_ != 0));
    return out;
  });
}

void Access::store(const Instruction& i, RegId element, RegId high, uint32_t level, uint8_t lane, Scalar value) {
  const Object& object = plan_.objects[plan_.object_of[i.address.index]];
  const RegId view = bases_[i.address.index].view;
  const Type type = i.type.type;
  const uint32_t more = lane * info(type).bytes;
  check(i, element, high, lane);
  if (!in_bytes(i)) {
    const RegId offset = offset_of(i, element, level, view, more);
    return store_piece(object, offset, info(type).bytes, [&](RegId at) { store_to(b_, type, value, at, 0); });
  }
  take_apart(b_, type, value, [&](uint32_t byte, RegId bits) {
    const RegId offset = offset_of(i, element, level, view, more + byte);
    store_piece(object, offset, 1, [&](RegId at) { b_.store(Op::Sb, bits, at, 0); });
  });
}

void Access::store_piece(const Object& object, RegId offset, uint32_t bytes, const std::function<void(RegId)>& store) {
  b_.put(Op::Addi, kT0, offset);
  pass_words(object);
  b_.set_constant(kT2, bytes);
  b_.memory_call(static_cast<uint32_t>(MemoryRoutine::Place));
  store(kT2);
  if (object.reads != Object::Reads::InOrder) return;
  // The line in the cache, if it is there.
  const auto number = static_cast<size_t>(&object - plan_.objects.data());
  const uint32_t skip = b_.label();
  b_.put(Op::Srli, kT0, offset, kZero, kLineShift);
  RegId entry = tags_[number];
  if (object.sets > 1) {
    b_.put(Op::Andi, kT1, kT0, kZero, static_cast<int32_t>(object.sets - 1));
    b_.put(Op::Sh3add, kT1, kT1, entry);
    entry = kT1;
  }
  b_.put(Op::Lw, kT2, entry, kZero, 0);
  b_.branch(Op::Bne, kT2, kT0, skip);
  b_.put(Op::Lw, kT2, entry, kZero, 4);
  b_.put(Op::Add, kT2, kT2, offset);
  store(kT2);
  b_.bind(skip);
}

}  // namespace kerr::loops::scalar

#include "loops/scalar/access.hpp"

#include <bit>
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
  uses_cache_.resize(plan_.objects.size());
  for (uint32_t o = 0; o < plan_.objects.size(); ++o) prepare(plan_.objects[o], o);
  if (plan_.windows != 0)
    forget(b_.add(kWork, b_.constant(plan_.window_tags)), plan_.windows * plan_.lines_of_window, 4);
  for (uint32_t p = 0; p < program_.parameters.size(); ++p) {
    const Object& object = plan_.objects[plan_.object_of[p]];
    ParameterBase base{argument(static_cast<uint32_t>(4 * (Arguments::First + plan_.objects.size() + p)))};
    if (object.reads == Object::Reads::Whole) {
      const RegId in_page = b_.shift_right(b_.shift_left(base.view, 32 - kPageShift), 32 - kPageShift, false);
      base.whole = b_.add(b_.add(kWork, b_.constant(object.lines)), in_page);
    }
    bases_.push_back(base);
    if (object.reads == Object::Reads::Whole) preload(object, p);
  }
}

void Access::prepare(const Object& object, uint32_t number) {
  const RegId words = b_.make();
  b_.put(Op::Add, words, kWork, b_.constant(object.words));
  b_.store(Op::Sw, argument(4 * (Arguments::First + number)), words, ObjectWords::Base);
  if (object.reads != Object::Reads::None)
    b_.store(Op::Sw, b_.add(kWork, b_.constant(object.lines)), words, ObjectWords::Lines);
  if (object.stored) {
    b_.store(Op::Sw, kZero, words, ObjectWords::DirtyLow);
    b_.store(Op::Sw, kZero, words, ObjectWords::DirtyHigh);
    b_.store(Op::Sw, b_.add(kWork, b_.constant(object.write_lines)), words, ObjectWords::WriteLine);
  }
  if (object.reads == Object::Reads::None || object.reads == Object::Reads::Whole) return;
  tags_[number] = b_.add(kWork, b_.constant(object.tags));
  b_.store(Op::Sw, tags_[number], words, ObjectWords::Tags);
  if (object.folded) {
    b_.store(Op::Sw, b_.constant(object.line_shift), words, ObjectWords::LineShift);
  } else {
    b_.store(Op::Sw, b_.constant(object.sets - 1), words, ObjectWords::LastSet);
  }
  forget(tags_[number], object.sets, 8);
}

// So many tags, the words of which are so many bytes apart.
void Access::forget(RegId tags, uint32_t count, int32_t stride) {
  const RegId at = b_.make(), end = b_.make(), nothing = b_.make();
  b_.put(Op::Addi, at, tags);
  b_.put(Op::Add, end, at, b_.constant(static_cast<uint32_t>(stride) * count));
  b_.set_constant(nothing, ~0u);
  const uint32_t top = b_.label();
  b_.mark(Step::Kind::LoopBegin);
  b_.bind(top);
  b_.store(Op::Sw, nothing, at, 0);
  b_.put(Op::Addi, at, at, kZero, stride);
  b_.branch(Op::Bne, at, end, top);
  b_.mark(Step::Kind::LoopEnd);
}

// All pages from that of the view's first byte to that of its last.
void Access::preload(const Object& object, uint32_t parameter) {
  const RegId view = bases_[parameter].view;
  const RegId last = b_.add(view, b_.constant(static_cast<uint32_t>(program_.parameters[parameter].bytes() - 1)));
  const RegId pages = b_.op2(Op::Sub, b_.op1(Op::Srli, last, kPageShift), b_.op1(Op::Srli, view, kPageShift));
  const RegId count = b_.op1(Op::Addi, pages, 1);
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

// start + index * unit: a register and what is to be added.
RegId Access::place_of(const Instruction& i, const Index& index, RegId start, int32_t& displacement) {
  const uint32_t unit = info(i.address.unit).bytes;
  displacement = 0;
  const auto constant = static_cast<int32_t>(index.constant * unit);
  if (constant >= -1024 && constant < 1024) {
    const RegId followed = pointers_.follow(start, index, unit);
    if (followed != kZero) {
      displacement = constant;
      return followed;
    }
  }
  b_.aim(index.level);
  const RegId out = b_.scaled(start, index.low, unit);
  b_.aim_here();
  return out;
}

RegId Access::offset_of(const Instruction& i, const Index& index, RegId start, uint32_t more) {
  int32_t displacement;
  const RegId at = place_of(i, index, start, displacement);
  if (displacement == 0) b_.aim(index.level);  // else it may be a pointer, which changes here
  const RegId out = b_.add_constant(at, static_cast<uint32_t>(displacement) + more);
  b_.aim_here();
  return out;
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
  uses_cache_[number] = true;
  const uint32_t again = b_.label(), miss = b_.label();
  b_.bind(again);
  b_.put(Op::Srli, kT0, offset, kZero, static_cast<int32_t>(object.line_shift));
  RegId entry = tags_[number];
  if (object.folded) {
    b_.put(Op::Srli, kT1, kT0, kZero, std::countr_zero(object.sets));
    b_.put(Op::Xor, kT1, kT1, kT0);
    // Too many for an immediate operand, perhaps.
    const uint32_t above = 32 - static_cast<uint32_t>(std::countr_zero(object.sets));
    if (object.sets <= 2048) {
      b_.put(Op::Andi, kT1, kT1, kZero, static_cast<int32_t>(object.sets - 1));
    } else {
      b_.put(Op::Slli, kT1, kT1, kZero, static_cast<int32_t>(above));
      b_.put(Op::Srli, kT1, kT1, kZero, static_cast<int32_t>(above));
    }
    b_.put(Op::Sh3add, kT1, kT1, entry);
    entry = kT1;
  } else if (object.sets > 1) {
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
  if (object.folded) b_.put(Op::Addi, kT2, entry);
  pass_words(object);
  b_.memory_call(static_cast<uint32_t>(in_order        ? MemoryRoutine::FillInOrder
                                       : object.folded ? MemoryRoutine::FillFolded
                                                       : MemoryRoutine::Fill));
  b_.jump(again);
  b_.mark(Step::Kind::ColdEnd);
  return kT2;
}

// The address of the stream's next element; in lines of its own, which a stream that comes again finds.
RegId Access::read_window(const Object& object, Pointers::Window& window) {
  if (window.is_new) window.line = read_windows_++;
  const uint32_t lines = plan_.window_lines + kLineBytes * plan_.lines_of_window * window.line;
  const uint32_t miss = b_.label(), back = b_.label();
  b_.branch(Op::Bgeu, window.position, window.end, miss);
  b_.bind(back);
  b_.mark(Step::Kind::ColdBegin);
  b_.bind(miss);
  b_.put(Op::Add, kT0, window.position, window.delta);
  pass_words(object);
  b_.put(Op::Add, kT2, kWork, b_.constant(lines));
  b_.memory_call(static_cast<uint32_t>(MemoryRoutine::FetchKept));
  b_.put(Op::Addi, window.position, kT2);
  b_.put(Op::Ori, window.end, kT2, kZero, kLineBytes - 1);
  b_.put(Op::Addi, window.end, window.end, kZero, 1);
  b_.put(Op::Sub, window.delta, kT0, kT2);
  b_.jump(back);
  b_.mark(Step::Kind::ColdEnd);
  return window.position;
}

Scalar Access::load(const Instruction& i, const Index& index, uint8_t lane) {
  const Object& object = plan_.objects[plan_.object_of[i.address.index]];
  const ParameterBase& base = bases_[i.address.index];
  const Type type = i.type.type;
  const uint32_t more = lane * info(type).bytes;
  if (options_.check_bounds)
    check_inside(b_, i, index.low, index.high, lane, program_.parameters[i.address.index].bytes());
  if (object.reads == Object::Reads::Whole && polling_ == 0) {
    int32_t displacement;
    const RegId at = place_of(i, index, base.whole, displacement);
    const int32_t offset = displacement + static_cast<int32_t>(more);
    if (!in_bytes(i)) return load_from(b_, type, at, offset);
    return assemble(b_, type, [&](uint32_t byte) {
      const RegId out = b_.make();
      b_.put(Op::Lbu, out, at, kZero, offset + static_cast<int32_t>(byte));
      return out;
    });
  }
  if (!in_bytes(i)) {
    if (object.reads == Object::Reads::Cached && polling_ == 0 && i.type.lanes == 1 && object.bytes < 0x80000000 &&
        read_windows_ < plan_.windows) {
      Pointers::Window* window = pointers_.window(base.view, index, info(i.address.unit).bytes, false);
      if (window != nullptr) {
        return load_from(b_, type, read_window(object, *window), 0);
      }
    }
    return load_from(b_, type, line_address(object, offset_of(i, index, base.view, more), polling_ != 0), 0);
  }
  return assemble(b_, type, [&](uint32_t byte) {
    const RegId out = b_.make();
    b_.put(Op::Lbu, out, line_address(object, offset_of(i, index, base.view, more + byte), polling_ != 0));
    return out;
  });
}

// To t0, of the object whose words are at t1. It may be beyond that already: a window may go through what waits once
// more.
void Access::raise_dirty_high() {
  b_.put(Op::Lw, kT2, kT1, kZero, ObjectWords::DirtyHigh);
  b_.put(Op::Maxu, kT2, kT2, kT0);
  b_.store(Op::Sw, kT2, kT1, ObjectWords::DirtyHigh);
}

// One behind the other. What is to be sent is known again when the line is full, and when the loop ends.
void Access::store_window(const Object& object, Pointers::Window& window, Type type, Scalar value) {
  const uint32_t full = b_.label(), back = b_.label(), first = b_.label();
  b_.branch(Op::Bgeu, window.position, window.end, full);
  b_.bind(back);
  store_to(b_, type, value, window.position, 0);
  b_.mark(Step::Kind::ColdBegin);
  b_.bind(full);
  b_.put(Op::Add, kT0, window.position, window.delta);
  pass_words(object);
  b_.branch(Op::Beq, window.end, kZero, first);
  raise_dirty_high();
  b_.bind(first);
  b_.set_constant(kT2, info(type).bytes);
  b_.memory_call(static_cast<uint32_t>(MemoryRoutine::Place));
  b_.put(Op::Addi, window.position, kT2);
  b_.put(Op::Sub, window.delta, kT0, kT2);
  b_.put(Op::Ori, window.end, kT2, kZero, kLineBytes - 1);
  b_.put(Op::Addi, window.end, window.end, kZero, 1);
  b_.jump(back);
  b_.mark(Step::Kind::ColdEnd);
  pointers_.at_end([this, &object, window] {
    b_.put(Op::Add, kT0, window.position, window.delta);
    pass_words(object);
    raise_dirty_high();
  });
}

void Access::store(const Instruction& i, const Index& index, uint8_t lane, Scalar value, bool alone) {
  const Object& object = plan_.objects[plan_.object_of[i.address.index]];
  const RegId view = bases_[i.address.index].view;
  const Type type = i.type.type;
  const uint32_t more = lane * info(type).bytes;
  if (options_.check_bounds)
    check_inside(b_, i, index.low, index.high, lane, program_.parameters[i.address.index].bytes());
  if (!in_bytes(i)) {
    const uint32_t bytes = info(type).bytes;
    if (alone && plan_.fetch_line == 0 && object.reads == Object::Reads::None && i.type.lanes == 1 &&
        !pointers_.in_if() && polling_ == 0 && index.linear && index.step * info(i.address.unit).bytes == bytes &&
        object.bytes < 0x80000000) {
      Pointers::Window* window = pointers_.window(view, index, info(i.address.unit).bytes, true);
      if (window != nullptr && window->is_new) return store_window(object, *window, type, value);
    }
    const RegId offset = offset_of(i, index, view, more);
    return store_piece(object, offset, bytes, [&](RegId at) { store_to(b_, type, value, at, 0); });
  }
  take_apart(b_, type, value, [&](uint32_t byte, RegId bits) {
    const RegId offset = offset_of(i, index, view, more + byte);
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

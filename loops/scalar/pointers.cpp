#include "loops/scalar/pointers.hpp"

namespace kerr::loops::scalar {

using Op = Builder::Op;

void Pointers::open(bool counted, bool is_short) { loops_.push_back({++opened_, counted, 0, is_short, {}, {}, {}}); }

void Pointers::add(RegId reg, uint32_t step) {
  const auto small = static_cast<int32_t>(step);
  if (small >= -2048 && small < 2048) return b_.put(Op::Addi, reg, reg, kZero, small);
  b_.put(Op::Add, reg, reg, b_.constant(step));
}

void Pointers::advance() {
  for (const Pointer& p : loops_.back().pointers) add(p.reg, p.step);
  for (const Stream& s : loops_.back().streams) add(s.window.position, s.step);
}

void Pointers::close() {
  const std::vector<std::function<void()>> at_end = std::move(loops_.back().at_end);
  loops_.pop_back();
  for (const auto& steps : at_end) steps();
}

RegId Pointers::follow(RegId start, const Index& index, uint32_t unit) {
  Loop& loop = loops_.back();
  if (!loop.counted || !index.linear || index.step == 0) return kZero;
  const uint32_t step = index.step * unit;
  for (const Pointer& p : loop.pointers)
    if (p.start == start && p.base == index.base && p.unit == unit && p.step == step) return p.reg;
  if (loop.pointers.size() >= kMostPointers) return kZero;
  b_.aim(b_.depth() - 1);
  const RegId reg = b_.make();
  b_.put(Op::Addi, reg, b_.scaled(start, index.base, unit));
  b_.aim_here();
  loop.pointers.push_back({start, index.base, unit, step, reg});
  return reg;
}

Pointers::Window* Pointers::window(RegId start, const Index& index, uint32_t unit, bool store) {
  Loop& loop = loops_.back();
  if (!loop.counted || !index.linear || (loop.is_short && !store)) return nullptr;
  const uint32_t step = index.step * unit;
  if (step == 0 || step > 256) return nullptr;
  for (Stream& s : loop.streams) {
    if (s.start != start || s.base != index.base || s.constant != index.constant || s.unit != unit || s.step != step ||
        s.store != store)
      continue;
    s.window.is_new = false;
    return &s.window;
  }
  if (loop.streams.size() >= kMostWindows) return nullptr;
  b_.aim(b_.depth() - 1);
  Window window{b_.make(), b_.make(), b_.make(), true, 0};
  b_.put(Op::Addi, window.position, b_.add_constant(b_.scaled(start, index.base, unit), index.constant * unit));
  b_.set_constant(window.end, 0);
  b_.set_constant(window.delta, 0);
  b_.aim_here();
  loop.streams.push_back({start, index.base, index.constant, unit, step, store, window});
  return &loop.streams.back().window;
}

}  // namespace kerr::loops::scalar

// Lane flags, their stack, and the comparisons that write them.   docs/hardware/tensix-math.md 9.1
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

// instr_mod1 of SFPPUSHC and SFPPOPC: 0 moves an entry, 1..12 name an operation, these are the rest.
enum StackMod : unsigned { kPlain = 0, kInvert = 13, kAllOn = 14, kAllOff = 15 };

LaneMask combine(unsigned operation, LaneMask a, LaneMask b) {
  switch (operation) {
    case 1: return b;
    case 2: return ~b;
    case 3: return a & b;
    case 4: return a | b;
    case 5: return a & ~b;
    case 6: return a | ~b;
    case 7: return ~a & b;
    case 8: return ~a | b;
    case 9: return ~a & ~b;
    case 10: return ~a | ~b;
    case 11: return a ^ b;
    default: return ~(a ^ b);
  }
}

LaneMask chosen(LaneMask lanes, LaneMask there, LaneMask elsewhere) { return (there & lanes) | (elsewhere & ~lanes); }

}  // namespace

Issue Sfpu::perform(const SFPENCC& i, const Operands&, LaneMask lanes) {
  const LaneMask u = i.instr_mod1 & 2 ? (i.imm12 & 1 ? kAllLanes : 0) : i.instr_mod1 & 1 ? ~flags_.u : flags_.u;
  const LaneMask f = (i.instr_mod1 & 8) && !(i.imm12 & 2) ? 0 : kAllLanes;
  flags_ = {chosen(lanes, f, flags_.f), chosen(lanes, u, flags_.u)};
  flags_changed();
  return Issue::done();
}

// A lane whose flags do not count gets F = 0, whatever is asked.
Issue Sfpu::perform(const SFPSETCC& i, const Operands& r, LaneMask lanes) {
  enum : unsigned { kNegative = 0, kNotZero = 2, kNotNegative = 4 };
  const auto condition = [&]() -> LaneMask {
    if (i.instr_mod1 & 8) return 0;
    if (i.instr_mod1 & 1) return i.imm12 ? kAllLanes : 0;
    const LReg& c = in(r.vc);
    switch (i.instr_mod1 & 6) {
      case kNegative: return (*kernels_)[LaneCondition::Negative](c, c);
      case kNotZero: return (*kernels_)[LaneCondition::NotZero](c, c);
      case kNotNegative: return ~(*kernels_)[LaneCondition::Negative](c, c);
      default: return ~(*kernels_)[LaneCondition::NotZero](c, c);
    }
  };
  set_f(lanes & enabled_, condition() & flags_.u);
  return Issue::done();
}

Issue Sfpu::perform(const SFPPUSHC& i, const Operands&, LaneMask lanes) {
  if (i.instr_mod1 == kPlain) {
    if (lanes != kAllLanes) {
      return Issue::unsupported(
          "SFPPUSHC in some columns only (DISABLE_BACKDOOR_LOAD differs): stacks of one depth are modelled");
    }
    if (stack_size_ == kStackDepth) return Issue::undefined("SFPPUSHC onto a stack that holds eight entries already");
    stack_[stack_size_++] = flags_;
    return Issue::done();
  }
  if (stack_size_ == 0) {
    return Issue::undefined(fmt::format("SFPPUSHC with instr_mod1 = {} and an empty stack", i.instr_mod1));
  }
  Flags& top = stack_[stack_size_ - 1];
  Flags changed;
  switch (i.instr_mod1) {
    case kInvert:
      set_f(lanes, ~flags_.f);
      changed = flags_;
      break;
    case kAllOn: changed = {kAllLanes, kAllLanes}; break;
    case kAllOff: changed = {0, kAllLanes}; break;
    default: changed = {combine(i.instr_mod1, top.f, flags_.f), flags_.u}; break;
  }
  top = {chosen(lanes, changed.f, top.f), chosen(lanes, changed.u, top.u)};
  return Issue::done();
}

Issue Sfpu::perform(const SFPPOPC& i, const Operands&, LaneMask lanes) {
  const Flags top = stack_size_ == 0 ? Flags{} : stack_[stack_size_ - 1];
  Flags changed;
  switch (i.instr_mod1) {
    case kPlain:
      if (lanes != kAllLanes) {
        return Issue::unsupported(
            "SFPPOPC in some columns only (DISABLE_BACKDOOR_LOAD differs): stacks of one depth are modelled");
      }
      if (stack_size_ == 0) return Issue::undefined("SFPPOPC from an empty stack");
      --stack_size_;
      changed = top;
      break;
    case kInvert: changed = {~flags_.f, flags_.u}; break;
    case kAllOn: changed = {kAllLanes, kAllLanes}; break;
    case kAllOff: changed = {0, kAllLanes}; break;
    default: changed = {combine(i.instr_mod1, flags_.f, top.f), top.u}; break;
  }
  flags_ = {chosen(lanes, changed.f, flags_.f), chosen(lanes, changed.u, flags_.u)};
  flags_changed();
  return Issue::done();
}

// "else": the lanes that the enclosing scope enables and this one did not.
Issue Sfpu::perform(const SFPCOMPC&, const Operands&, LaneMask lanes) {
  const Flags top = stack_size_ == 0 ? Flags{kAllLanes, kAllLanes} : stack_[stack_size_ - 1];
  set_f(lanes, top.f & ~flags_.f & top.u & flags_.u);
  return Issue::done();
}

// SFPLE, SFPGT: VD, F and the top of the stack learn in which lanes the comparison holds; the stack in disabled lanes
// too.
Issue Sfpu::compare(unsigned modifier, LaneMask holds, const Operands& r, LaneMask lanes) {
  enum : unsigned { kSetF = 1, kChangeStack = 2, kOrIntoStack = 4, kSetVd = 8 };
  const LaneMask active = lanes & enabled_;
  if (modifier & kSetVd) {
    if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
    if (writable(r.vd)) {
      LReg& d = lregs_[r.vd];
      (*kernels_)[LaneValue::Fill](d, d, d, d, ~0u, active & holds);
      (*kernels_)[LaneValue::Fill](d, d, d, d, 0, active & ~holds);
    }
  }
  if (modifier & kSetF) set_f(active, holds);
  if ((modifier & kChangeStack) && stack_size_ != 0) {
    LaneMask& f = stack_[stack_size_ - 1].f;
    f = modifier & kOrIntoStack ? f | (holds & lanes) : f & (holds | ~lanes);
  }
  return Issue::done();
}

Issue Sfpu::perform(const SFPLE& i, const Operands& r, LaneMask lanes) {
  return compare(i.instr_mod1, (*kernels_)[LaneCondition::NotGreater](in(r.vb), in(r.vc)), r, lanes);
}
Issue Sfpu::perform(const SFPGT& i, const Operands& r, LaneMask lanes) {
  return compare(i.instr_mod1, (*kernels_)[LaneCondition::Greater](in(r.vb), in(r.vc)), r, lanes);
}

}  // namespace kerr::emu::tensix

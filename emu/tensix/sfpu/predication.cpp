// Lane flags and their stack.   docs/hardware/tensix-math.md 9.1
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

// OP of SFPPUSHC (a: stack, b: current) and SFPPOPC (a: current, b: stack), all lanes at once.
std::uint32_t combine(unsigned op, std::uint32_t a, std::uint32_t b) {
  switch (op) {
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
constexpr unsigned kInvert = 13, kAllOn = 14, kAllOff = 15;

}  // namespace

Issue Sfpu::exec(int, const SFPENCC& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  if (i.instr_mod1 & 2) {
    use_flags_ = i.imm12 & 1;
  } else if (i.instr_mod1 & 1) {
    use_flags_ = !use_flags_;
  }
  flags_ = (i.instr_mod1 & 8) && !(i.imm12 & 2) ? 0 : ~0u;
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPSETCC& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  const std::uint32_t lanes = enabled();
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    const auto c = static_cast<std::int32_t>(lregs_[i.lreg_c][lane]);
    bool flag = false;
    if (use_flags_ && !(i.instr_mod1 & 8)) {
      if (i.instr_mod1 & 1) {
        flag = i.imm12 != 0;
      } else {
        switch (i.instr_mod1) {
          case 0: flag = c < 0; break;
          case 2: flag = c != 0; break;
          case 4: flag = c >= 0; break;
          default: flag = c == 0; break;
        }
      }
    }
    set_flag(lane, flag);
  }
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPPUSHC& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  if (i.instr_mod1 == 0) {
    if (stack_size_ == kStackDepth) return Issue::undefined("SFPPUSHC onto a stack that holds eight entries already");
    stack_[stack_size_++] = {flags_, use_flags_};
    return Issue::done();
  }
  if (stack_size_ == 0)
    return Issue::undefined(fmt::format("SFPPUSHC with instr_mod1 = {} and an empty stack", i.instr_mod1));
  Predicate& top = stack_[stack_size_ - 1];
  switch (i.instr_mod1) {
    case kInvert:
      flags_ = ~flags_;
      top = {flags_, use_flags_};
      break;
    case kAllOn: top = {~0u, true}; break;
    case kAllOff: top = {0, true}; break;
    default: top = {combine(i.instr_mod1, top.flags, flags_), use_flags_}; break;
  }
  return Issue::done();
}

Issue Sfpu::exec(int, const SFPPOPC& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  if (i.instr_mod1 == 0) {
    if (stack_size_ == 0) return Issue::undefined("SFPPOPC from an empty stack");
    const Predicate& top = stack_[--stack_size_];
    flags_ = top.flags;
    use_flags_ = top.use;
    return Issue::done();
  }
  const Predicate top = stack_size_ == 0 ? Predicate{} : stack_[stack_size_ - 1];
  switch (i.instr_mod1) {
    case kInvert: flags_ = ~flags_; break;
    case kAllOn: flags_ = ~0u, use_flags_ = true; break;
    case kAllOff: flags_ = 0, use_flags_ = true; break;
    default:
      flags_ = combine(i.instr_mod1, flags_, top.flags);
      use_flags_ = top.use;
      break;
  }
  return Issue::done();
}

// "else": the lanes that the enclosing scope enables and this one did not.
Issue Sfpu::exec(int, const SFPCOMPC& i) {
  if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
  const Predicate top = stack_size_ == 0 ? Predicate{~0u, true} : stack_[stack_size_ - 1];
  flags_ = top.use && use_flags_ ? top.flags & ~flags_ : 0;
  return Issue::done();
}

}  // namespace kerr::emu::tensix

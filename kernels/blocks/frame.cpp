#include "kernels/blocks/frame.hpp"

#include <array>
#include <stdexcept>
#include <utility>

namespace kerr::kernels {

using namespace isa::reg;

namespace {

constexpr std::array kSaved{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11};
constexpr int32_t kSavedBytes = 48;

}  // namespace

void enter(Caller a, int32_t local_bytes) {
  a->frame = {a->position(), local_bytes};
  a->addi(sp, sp, -(local_bytes + kSavedBytes));
  for (int32_t place = local_bytes; const isa::Reg reg : kSaved) {
    a->sw(reg, sp, place);
    place += 4;
  }
  a->arguments_are_in(a0, a1);  // arch/kernel_abi.hpp
}

// What need not be saved is known only now.
void leave(Caller a) {
  if (!a->frame) throw std::logic_error("leave() without enter()");
  const uint32_t written = a->written();
  const auto [first, local_bytes] = *a->frame;
  bool any = local_bytes != 0;
  int32_t place = local_bytes;
  for (uint32_t i = 0; i < kSaved.size(); ++i, place += 4) {
    if ((written >> kSaved[i].number & 1) == 0) {
      a->erase({first.item + 1 + i});
    } else {
      a->lw(kSaved[i], sp, place);
      any = true;
    }
  }
  any ? a->addi(sp, sp, local_bytes + kSavedBytes) : a->erase(first);
  a->ret();
  a->frame.reset();
}

Stream begin_kernel(std::string name, Stream::Where where) {
  Stream a;
  a.function(std::move(name), where);
  enter({a, where});
  return a;
}

Kernel end_kernel(Caller a) {
  leave(a);
  return Kernel::from(a);
}

void add_constant(Caller a, isa::Reg reg, uint32_t value) {
  const auto step = static_cast<int32_t>(value);
  if (step == 0) return;
  if (step >= -2048 && step < 2048) return a->addi(reg, reg, step);
  a->li(t0, value);
  a->add(reg, reg, t0);
}

}  // namespace kerr::kernels

#include "kernels/emit/frame.hpp"

#include <array>

namespace kerr::kernels {

using namespace isa::reg;

namespace {
constexpr std::array kSaved{s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11};
constexpr int kFrameBytes = 48;
}  // namespace

void enter(Stream& a) {
  a.addi(sp, sp, -kFrameBytes);
  for (int i = 0; i < static_cast<int>(kSaved.size()); ++i) a.sw(kSaved[static_cast<std::size_t>(i)], sp, 4 * i);
  a.arguments_are_in(a0, a1);  // arch/kernel_abi.hpp
}

void leave(Stream& a) {
  for (int i = 0; i < static_cast<int>(kSaved.size()); ++i) a.lw(kSaved[static_cast<std::size_t>(i)], sp, 4 * i);
  a.addi(sp, sp, kFrameBytes);
  a.ret();
}

void add_constant(Stream& a, isa::Reg reg, std::uint32_t value) {
  a.li(t0, value);
  a.add(reg, reg, t0);
}

}  // namespace kerr::kernels

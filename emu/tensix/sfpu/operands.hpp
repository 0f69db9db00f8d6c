// Which registers an instruction works on.   docs/hardware/tensix-math.md 10.1, 11
#pragma once

#include <string_view>
#include <type_traits>

#include "emu/snapshot/archive.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

template <class I>
concept VectorInstruction = std::string_view(I::kMnemonic)
.starts_with("SFP");

/// LReg numbers. An instruction without VB or VC uses VD there; a macro overrides some (11).
struct Operands {
  unsigned va = 0, vb = 0, vc = 0, vd = 0;
  void serialize(Archive& a) {
    for (unsigned* lreg : {&va, &vb, &vc, &vd}) a.below(17, *lreg);
  }
};

template <class I>
inline constexpr bool kVbInImmediate =
    std::is_same_v<I, isa::tensix::SFPAND> || std::is_same_v<I, isa::tensix::SFPOR> ||
    std::is_same_v<I, isa::tensix::SFPARECIP> || std::is_same_v<I, isa::tensix::SFPSHFT2>;

template <VectorInstruction I>
constexpr Operands operands_of(const I& i) {
  Operands r;
  if constexpr (requires { i.lreg_dest; }) r.vd = i.lreg_dest;
  if constexpr (requires { i.lreg_ind; }) r.vd = i.lreg_ind;
  if constexpr (requires { i.config_dest; }) r.vd = i.config_dest;
  r.vb = r.vc = r.vd;
  if constexpr (requires { i.lreg_c; }) r.vc = i.lreg_c;
  if constexpr (requires { i.lreg_src_c; }) r.vc = i.lreg_src_c;
  if constexpr (requires { i.lreg_src_b; }) r.vb = i.lreg_src_b;
  if constexpr (kVbInImmediate<I>) r.vb = i.imm12 & 15;
  if constexpr (requires { i.lreg_src_a; }) r.va = i.lreg_src_a;
  return r;
}

}  // namespace kerr::emu::tensix

// How every kernel begins and ends: arch/kernel_abi.hpp wants s0..s11 back as they were.
#pragma once

#include "isa/assembler.hpp"

namespace kerr::kernels {

/// Saves s0..s11 on the stack. Afterwards all registers but sp, ra, gp and tp are the kernel's.
void enter(isa::Assembler& a);

/// Restores them and returns to the firmware.
void leave(isa::Assembler& a);

/// Calls `body` inside a loop of as many turns as `counter` holds, at least one; `body` must not touch it.
template <class Body>
void repeat(isa::Assembler& a, isa::Reg counter, Body&& body) {
  const isa::Label top = a.here();
  body();
  a.addi(counter, counter, -1);
  a.bnez(counter, top);
}

/// The same of `count` >= 1 turns.
template <class Body>
void repeat(isa::Assembler& a, isa::Reg counter, std::uint32_t count, Body&& body) {
  a.li(counter, count);
  repeat(a, counter, body);
}

}  // namespace kerr::kernels

// What is left of earlier chips, and what no source describes.   docs/hardware/tensix-math.md 6.3, 7.4;
// tensix-datapath.md 17
#include <fmt/format.h>

#include "emu/tensix/fpu/fpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

Issue vaguely_described(const char* mnemonic) {
  return Issue::unsupported(
      fmt::format("{}: the ISA page of the matrix unit calls it something like GMPOOL of zeros, and says no more",
                  mnemonic),
      "Use GMPOOL.");
}

}  // namespace

// Neutered: they wait for both banks, add zero to Dst, and have the side effects of any instruction. How many rows get
// their denormals flushed by it is not known: none here.
template <class Instruction>
Issue Fpu::add_nothing(int thread, const Instruction& i, unsigned modifier) {
  if (Issue no = ready(thread, Needs::Both, modifier); !no.is_done()) return no;
  advance(thread, modifier);
  release_sources(thread, i.clear_dvalid);
  return Issue::done();
}

Issue Fpu::exec(int thread, const CONV3S1& i) { return add_nothing(thread, i, i.addr_mode); }
Issue Fpu::exec(int thread, const CONV3S2& i) { return add_nothing(thread, i, i.addr_mode); }
Issue Fpu::exec(int thread, const MFCONV3S1& i) { return add_nothing(thread, i, i.addr_mode); }
Issue Fpu::exec(int thread, const APOOL3S1& i) { return add_nothing(thread, i, i.pool_addr_mode); }
Issue Fpu::exec(int thread, const APOOL3S2& i) { return add_nothing(thread, i, i.pool_addr_mode); }

Issue Fpu::exec(int, const MPOOL3S1&) { return vaguely_described("MPOOL3S1"); }
Issue Fpu::exec(int, const MPOOL3S2&) { return vaguely_described("MPOOL3S2"); }

Issue Fpu::undescribed(const char* mnemonic) {
  return Issue::unsupported(
      fmt::format("{}: the assembler table of LLK lists it, no source says what it does on Blackhole", mnemonic));
}

}  // namespace kerr::emu::tensix

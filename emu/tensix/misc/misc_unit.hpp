// The miscellaneous unit: sets and steps address counters. SETDVALID is with the unpackers.
// docs/hardware/tensix-datapath.md 8.1
#pragma once

#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// `cnt_set_mask` names the units whose counters an instruction works on: bit 0 and 1 the unpackers, bit 2 the packer.
/// `thread_override` 0 is the issuing thread, 1..3 are threads 0..2.
class MiscUnit {
 public:
  explicit MiscUnit(Adcs& adcs) : adcs_(adcs) {}

  Issue exec(int, const isa::tensix::NOP&) { return Issue::done(); }
  Issue exec(int thread, const isa::tensix::SETADC& i);
  Issue exec(int thread, const isa::tensix::SETADCXX& i);
  Issue exec(int thread, const isa::tensix::SETADCXY& i);
  Issue exec(int thread, const isa::tensix::SETADCZW& i);
  Issue exec(int thread, const isa::tensix::INCADCXY& i);
  Issue exec(int thread, const isa::tensix::INCADCZW& i);
  Issue exec(int thread, const isa::tensix::ADDRCRXY& i);
  Issue exec(int thread, const isa::tensix::ADDRCRZW& i);

 private:
  template <class F>
  void for_each_unit(int thread, uint32_t thread_override, uint32_t units, F f);

  Adcs& adcs_;
};

}  // namespace kerr::emu::tensix

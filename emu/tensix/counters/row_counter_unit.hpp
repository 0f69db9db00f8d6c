// The part of the matrix unit that only moves row counters, hands Src banks back and clears the packer's histogram.
// docs/hardware/tensix-datapath.md 8.2, 9
#pragma once

#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tensix/unpack/due_hand_overs.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class RowCounterUnit {
 public:
  /// `due`: none for a unit by itself.
  RowCounterUnit(const Config& config, Rwcs& rwcs, SrcRegister& src_a, SrcRegister& src_b, PackerSignals& signals,
                 const DueHandOvers* due = nullptr)
      : config_(config), rwcs_(rwcs), src_a_(src_a), src_b_(src_b), signals_(signals), due_(due) {}

  Issue exec(int thread, const isa::tensix::SETRWC& i);
  Issue exec(int thread, const isa::tensix::INCRWC& i);
  Issue exec(int thread, const isa::tensix::CLEARDVALID& i);
  Issue exec(int thread, const isa::tensix::CLREXPHIST& i);
  Issue exec(int, const isa::tensix::GATESRCRST&) { return Issue::done(); }  // invalidates a cache that is not modelled

 private:
  const Config& config_;
  Rwcs& rwcs_;
  SrcRegister& src_a_;
  SrcRegister& src_b_;
  PackerSignals& signals_;
  const DueHandOvers* due_;
};

}  // namespace kerr::emu::tensix

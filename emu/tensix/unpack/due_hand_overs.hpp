// Relaxed timing: who hands a Src bank over next, where cycles do not tell.
// docs/hardware/tensix-datapath.md 9
#pragma once

#include <array>

#include "emu/tensix/frontend/wait_gate.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/src_register.hpp"
#include "emu/tensix/state/unit_holds.hpp"
#include "emu/tensix/thread.hpp"
#include "isa/tensix/table.hpp"

namespace kerr::emu::tensix {

/// An UNPACR_NOP that waits for a bank goes in the cycle after the one in which it becomes free. In relaxed timing its
/// thread has to wait for its turn, while the thread that has freed the bank runs on and would give back what has not
/// been handed over yet. So instructions that give banks back without waiting ask here first.
class DueHandOvers {
 public:
  /// `timed`: of the coprocessor, whose threads these are.
  DueHandOvers(const std::array<CoprocessorThread, kThreads>& threads, const std::array<WaitGate, kThreads>& gates,
               const UnitHolds& holds, const bool& timed)
      : threads_(threads), gates_(gates), holds_(holds), timed_(timed) {}

  /// For an instruction that gives back the matrix unit's banks of SrcA and SrcB which `clears` names (bits 0 and 1):
  /// what will have changed when none is due any more, or 0. `due`: nullptr if nothing ever is.
  static WaitMask before(const DueHandOvers* due, unsigned clears, const SrcRegister& a, const SrcRegister& b) {
    if (clears == 0 || due == nullptr) return 0;
    if ((clears & 1) != 0 && due->any(a)) return a.what() | wait::kUnitIdle;
    if ((clears & 2) != 0 && due->any(b)) return b.what() | wait::kUnitIdle;
    return 0;
  }
  static Issue wait(WaitMask due) { return Issue::wait(due, "an UNPACR_NOP that has waited for the bank comes first"); }

 private:
  // Is the matrix unit's bank of `src` not its own yet, and nothing but its turn keeps an UNPACR_NOP from handing over
  // a bank of `src`? Exact timing: never.
  bool any(const SrcRegister& src) const {
    if (timed_ || src.fpu_may_read()) return false;
    for (size_t n = 0; n < kThreads; ++n) {
      if (threads_[n].has_current && !threads_[n].halted && is_due(n, src)) return true;
    }
    return false;
  }
  bool is_due(size_t n, const SrcRegister& src) const {
    constexpr unsigned kClearSource = 1, kOnlySetValid = 3;
    const uint32_t word = threads_[n].current;
    if (isa::tensix::opcode_of(word) != isa::tensix::Opcode::UNPACR_NOP) return false;
    const auto i = isa::tensix::UNPACR_NOP::decode(word);
    const unsigned unpacker = src.what() == wait::kSrcB ? 1 : 0;
    if (i.unpacker_select != unpacker || i.unpack_pop != kClearSource || i.clr_to1_fmt_ctrl == kOnlySetValid ||
        i.set_dvalid == 0) {
      return false;
    }
    const unsigned awaited = i.stall_clr_cntrl ? src.unpack_index() : src.fpu_index();
    if (src.owner(awaited) != SrcRegister::Owner::Unpackers) return false;
    const isa::tensix::Row& row = *isa::tensix::row_of(word);
    return !holds_.held(static_cast<int>(n), row.unit) &&
           !(gates_[n].latched() && isa::tensix::held_by(row.gate, gates_[n].block_mask()));
  }

  const std::array<CoprocessorThread, kThreads>& threads_;
  const std::array<WaitGate, kThreads>& gates_;
  const UnitHolds& holds_;
  const bool& timed_;
};

}  // namespace kerr::emu::tensix

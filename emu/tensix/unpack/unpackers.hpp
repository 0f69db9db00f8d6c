// The two unpackers: datums from L1 to SrcA or Dst (unpacker 0) and to SrcB (unpacker 1), converted on the way.
// docs/hardware/tensix-datapath.md 11; hand-over of banks: 9
#pragma once

#include "emu/memory/l1.hpp"
#include "emu/observe/footprint.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Unpackers {
 public:
  Unpackers(const Config& config, Adcs& adcs, ContextCounters& context_counters, SrcRegister& src_a, SrcRegister& src_b,
            Dst& dst, const L1& l1, const Tolerance& tolerance = Tolerance::none())
      : config_(config),
        adcs_(adcs),
        counters_(context_counters),
        src_a_(src_a),
        src_b_(src_b),
        dst_(dst),
        l1_(l1),
        tolerance_(tolerance) {}

  Issue exec(int thread, const isa::tensix::UNPACR& i);  // settings.cpp -> source.cpp -> target.cpp
  Issue exec(int thread, const isa::tensix::UNPACR_NOP& i);
  Issue exec(int thread, const isa::tensix::SETDVALID& i);

  /// For observers: where the UNPACR `word` takes its address from; whether it is going to write to Dst.
  bool foresee(int thread, uint32_t word, Footprint& f);

 private:
  SrcRegister& target(unsigned unpacker) { return unpacker == 0 ? src_a_ : src_b_; }
  void step_counters(int thread, const isa::tensix::UNPACR& i);
  void hand_over(int thread, unsigned unpacker);
  void reset_row_base(int thread, unsigned unpacker);

  const Config& config_;
  Adcs& adcs_;
  ContextCounters& counters_;
  SrcRegister& src_a_;
  SrcRegister& src_b_;
  Dst& dst_;
  const L1& l1_;
  const Tolerance& tolerance_;
};

}  // namespace kerr::emu::tensix

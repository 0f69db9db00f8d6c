// The matrix unit: SrcA and SrcB to Dst, and moves between the three. Its instructions that only step counters or hand
// banks back are in emu/tensix/counters, the arithmetic itself is in emu/tensix/math.   docs/hardware/tensix-math.md 3
// to 7
#pragma once

#include <array>
#include <cstdint>

#include "emu/tensix/issue.hpp"
#include "emu/tensix/math/fpu_mode.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Fpu {
 public:
  Fpu(const Config& config, Rwcs& rwcs, SrcRegister& src_a, SrcRegister& src_b, Dst& dst)
      : config_(config), rwcs_(rwcs), src_a_(src_a), src_b_(src_b), dst_(dst) {}

  // arithmetic.cpp
  Issue exec(int thread, const isa::tensix::MVMUL& i);
  Issue exec(int thread, const isa::tensix::DOTPV& i);
  Issue exec(int thread, const isa::tensix::GAPOOL& i);
  Issue exec(int thread, const isa::tensix::GMPOOL& i);
  Issue exec(int thread, const isa::tensix::ELWMUL& i);
  Issue exec(int thread, const isa::tensix::ELWADD& i);
  Issue exec(int thread, const isa::tensix::ELWSUB& i);

  // moves.cpp
  Issue exec(int thread, const isa::tensix::MOVA2D& i);
  Issue exec(int thread, const isa::tensix::MOVB2D& i);
  Issue exec(int thread, const isa::tensix::MOVD2A& i);
  Issue exec(int thread, const isa::tensix::MOVD2B& i);
  Issue exec(int thread, const isa::tensix::MOVB2A& i);

  // housekeeping.cpp
  Issue exec(int thread, const isa::tensix::ZEROACC& i);
  Issue exec(int thread, const isa::tensix::ZEROSRC& i);
  Issue exec(int thread, const isa::tensix::TRNSPSRCB& i);

  /// MVMULs executed so far: for reports.
  std::uint64_t mvmuls() const { return mvmuls_; }

 private:
  enum class Needs { Nothing, SrcA, SrcB, Both };

  /// What the configuration says to one thread's instructions; good as long as Config::version() stays.
  struct Settings {
    std::uint64_t version = ~std::uint64_t{0};
    bool refused = false;       // something is configured that is not modelled: check_configuration() says what
    bool a_overridden = false;  // ALU_FORMAT_SPEC_REG_SrcA_override: for moves only
    bool implied_a = true, implied_b = true;  // DISABLE_IMPLIED_SRCx_FMT off
    math::Format configured_a{}, configured_b{};
    math::FpuMode mode;     // without formats and phase
    unsigned dst_base = 0;  // MATH_Offset + DEST_REGW_BASE
  };
  const Settings& settings(int thread) {
    Settings& s = settings_[static_cast<std::size_t>(thread)];
    if (s.version != config_.version()) refresh(thread, s);
    return s;
  }
  void refresh(int thread, Settings& s) const;
  Issue check_configuration(int thread) const;

  /// All checks that stand before any effect: banks, configuration, address modifier.
  Issue ready(int thread, Needs needs, unsigned modifier, bool arithmetic);
  Issue wait_for(Needs needs) const;

  const ConfigBank& config(int thread) const { return config_.seen_by(thread); }
  const ThreadConfig& own(int thread) const { return config_.thread(thread); }
  Rwc& rwc(int thread) { return rwcs_[static_cast<std::size_t>(thread)]; }

  math::FpuMode mode(int thread);
  math::Format format_a(int thread);
  math::Format format_b(int thread);
  /// What decides the shape of the Dst cells that MOVB2D writes and MOVD2B reads.
  math::Format format_of_b_moves(int thread);

  unsigned dst_row(int thread, unsigned dst) {
    return (dst + rwc(thread).dst + settings(thread).dst_base) & (Dst::kRows - 1);
  }
  void advance(int thread, unsigned modifier) { rwc(thread).apply(own(thread), modifier); }
  void release_sources(int thread, unsigned clear_dvalid);

  template <class Instruction>
  Issue elementwise_add(int thread, const Instruction& i, bool subtract);
  Issue move_from_dst(int thread, unsigned dst, unsigned src_row, unsigned instr_mod, bool low_half, math::Format shape,
                      SrcRegister& to, const char* name);

  const Config& config_;
  Rwcs& rwcs_;
  SrcRegister& src_a_;
  SrcRegister& src_b_;
  Dst& dst_;
  std::array<Settings, kThreads> settings_;
  std::uint64_t mvmuls_ = 0;
};

}  // namespace kerr::emu::tensix

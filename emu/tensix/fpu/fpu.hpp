// The matrix unit: SrcA and SrcB to Dst, and moves between the three. Its instructions that only step counters or hand
// banks back are in emu/tensix/counters, the arithmetic itself is in emu/math.   docs/hardware/tensix-math.md 3
// to 7
#pragma once

#include <array>
#include <cstdint>

#include "emu/math/fpu_mode.hpp"
#include "emu/observe/footprint.hpp"
#include "emu/tensix/fpu/modifier.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/sfpu/lane_config.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tensix/unpack/due_hand_overs.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Fpu {
 public:
  /// `lanes`: the vector unit's configuration, which can keep moves out of columns. `due`: none for a unit by itself.
  Fpu(const Config& config, Rwcs& rwcs, SrcRegister& src_a, SrcRegister& src_b, Dst& dst, const LaneConfig& lanes,
      const Tolerance& tolerance = Tolerance::none(), const DueHandOvers* due = nullptr)
      : config_(config),
        rwcs_(rwcs),
        src_a_(src_a),
        src_b_(src_b),
        dst_(dst),
        lanes_(lanes),
        tolerance_(tolerance),
        due_(due) {}

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
  Issue exec(int thread, const isa::tensix::MOVDBGA2D& i);

  // housekeeping.cpp
  Issue exec(int thread, const isa::tensix::ZEROACC& i);
  Issue exec(int thread, const isa::tensix::ZEROSRC& i);
  Issue exec(int thread, const isa::tensix::TRNSPSRCB& i);
  Issue exec(int thread, const isa::tensix::SHIFTXA& i);
  Issue exec(int thread, const isa::tensix::SHIFTXB& i);

  // legacy.cpp
  Issue exec(int thread, const isa::tensix::CONV3S1& i);
  Issue exec(int thread, const isa::tensix::CONV3S2& i);
  Issue exec(int thread, const isa::tensix::MFCONV3S1& i);
  Issue exec(int thread, const isa::tensix::APOOL3S1& i);
  Issue exec(int thread, const isa::tensix::APOOL3S2& i);
  Issue exec(int thread, const isa::tensix::MPOOL3S1& i);
  Issue exec(int thread, const isa::tensix::MPOOL3S2& i);
  template <OneOf<isa::tensix::MOVDBGB2D, isa::tensix::TRNSPSRCA, isa::tensix::RAREB, isa::tensix::SETASHRMH0,
                  isa::tensix::SETASHRMH1, isa::tensix::SETASHRMV, isa::tensix::SETASHRMH, isa::tensix::SETPKEDGOF,
                  isa::tensix::SETIBRWC>
                Instruction>
  Issue exec(int, const Instruction&) {
    return undescribed(Instruction::kMnemonic);
  }

  /// For observers: the rows of Dst that the instruction will read and write.
  void foresee(int thread, uint32_t word, Footprint& f);

  /// MVMULs executed so far: for reports.
  uint64_t mvmuls() const { return mvmuls_; }
  void serialize(Archive& a) {
    a(mvmuls_);
    a.below(math::kSrcRows, last_a_row_);
  }

 private:
  enum class Needs { Nothing, SrcA, SrcB, Both };

  /// What the configuration says to one thread's instructions; good as long as Config::version() stays.
  struct Settings {
    uint64_t version = ~uint64_t{0};
    bool refused = false;      // something is configured that is not modelled: check_configuration() says what
    bool forced_fp16 = false;  // FP16A_FORCE_Enable: data are FP16 and Dst is 16 bits wide, whatever else is set
    bool implied_a = true, implied_b = true;  // DISABLE_IMPLIED_SRCx_FMT off
    math::Format configured_a{}, configured_b{};
    math::FpuMode mode;     // without formats and phase
    unsigned dst_base = 0;  // MATH_Offset + DEST_REGW_BASE
  };
  const Settings& settings(int thread) {
    Settings& s = settings_[static_cast<size_t>(thread)];
    if (s.version != config_.version()) refresh(thread, s);
    return s;
  }
  void refresh(int thread, Settings& s) const;
  Issue check_configuration(int thread) const;

  /// All checks that come before any effect: banks, configuration, address modifier.
  Issue ready(int thread, Needs needs, unsigned modifier) {
    const bool waits = ((needs == Needs::SrcA || needs == Needs::Both) && !src_a_.fpu_may_read()) ||
                       ((needs == Needs::SrcB || needs == Needs::Both) && !src_b_.fpu_may_read());
    if (!waits && !settings(thread).refused && modifier_is_modelled(rwc(thread), own(thread), modifier)) [[likely]]
      return Issue::done();
    return why_not_ready(thread, needs, modifier);
  }
  /// Whether the instruction reads rows of SrcA and SrcB (from `a` on, `a_rows` of them, and so on) that nobody knows.
  Issue known(const char* name, unsigned a, unsigned a_rows, unsigned b, unsigned b_rows) const {
    if ((src_a_.unknown().rows | src_b_.unknown().rows) == 0) [[likely]]
      return Issue::done();
    if (Issue no = known(name, src_a_, "SrcA", a, a_rows); !no.is_done()) return no;
    return known(name, src_b_, "SrcB", b, b_rows);
  }
  static Issue known(const char* name, const SrcRegister& src, const char* which, unsigned first, unsigned count);
  Issue why_not_ready(int thread, Needs needs, unsigned modifier);
  Issue wait_for(Needs needs) const;

  const ConfigBank& config(int thread) const { return config_.seen_by(thread); }
  const ThreadConfig& own(int thread) const { return config_.thread(thread); }
  Rwc& rwc(int thread) { return rwcs_[static_cast<size_t>(thread)]; }

  math::FpuMode mode(int thread) {
    math::FpuMode m = settings(thread).mode;
    m.src_a = format_a(thread);
    m.src_b = format_b(thread);
    m.phase = static_cast<uint8_t>(rwc(thread).phase(own(thread)));
    return m;
  }
  math::Format format_a(int thread) {
    const Settings& s = settings(thread);
    if (s.forced_fp16) return math::Format::Fp16;
    return s.implied_a ? src_a_.fpu_format() : s.configured_a;
  }
  math::Format format_b(int thread) {
    const Settings& s = settings(thread);
    return s.implied_b ? src_b_.fpu_format() : s.configured_b;
  }
  /// What decides the shape of the Dst cells that MOVB2D writes and MOVD2B reads.
  math::Format format_of_b_moves(int thread);

  unsigned dst_row(int thread, unsigned dst) {
    return (dst + rwc(thread).dst + settings(thread).dst_base) & (Dst::kRows - 1);
  }
  /// The end of every instruction that computes a row of SrcA (whether it uses it or not): `src` is the operand that
  /// the counter was added to.
  void advance(int thread, unsigned modifier, unsigned src = 0) {
    Rwc& counters = rwc(thread);
    last_a_row_ = static_cast<uint8_t>((counters.a + src) % math::kSrcRows);
    counters.apply(own(thread), modifier);
  }
  /// Columns that BLOCK_DEST_MOV keeps moves to and from Dst out of, one bit each.
  uint32_t blocked_columns() const { return lanes_.blocked_move_columns; }
  void release_sources(int thread, unsigned clear_dvalid);
  /// The end of an instruction that has computed `rows` rows of Dst from `row` on.
  Issue computed(int thread, unsigned modifier, unsigned clear_dvalid, unsigned row, unsigned rows) {
    advance(thread, modifier);
    release_sources(thread, clear_dvalid);
    return Issue::done().wrote_dst(row, rows);
  }

  Issue multiply_one_row(int thread, const isa::tensix::MVMUL& i, const math::FpuMode& m);
  void foresee_clear(int thread, const isa::tensix::ZEROACC& i, Footprint& f);
  void mark_rows_of_16_bits(int thread, unsigned row, unsigned rows);
  /// Bit 0 of a move's instr_mod has no meaning.
  bool odd_rows(unsigned instr_mod) const { return (instr_mod & 1) != 0 && !tolerance_.has(Oddity::MoveMode); }
  Issue refuse_forced_tf32(int thread, math::Format unforced, const char* name);
  template <class Instruction>
  Issue move_a_to_dst(int thread, const Instruction& i, Needs needs);
  template <class Instruction>
  Issue add_nothing(int thread, const Instruction& i, unsigned modifier);
  template <class Instruction, class Arithmetic>
  Issue elementwise(int thread, const Instruction& i, Arithmetic arithmetic);
  static Issue undescribed(const char* mnemonic);
  Issue move_from_dst(int thread, unsigned dst, unsigned src_row, unsigned instr_mod, bool low_half, math::Format shape,
                      SrcRegister& to, const char* name);

  const Config& config_;
  Rwcs& rwcs_;
  SrcRegister& src_a_;
  SrcRegister& src_b_;
  Dst& dst_;
  const LaneConfig& lanes_;
  const Tolerance& tolerance_;
  const DueHandOvers* due_;
  std::array<Settings, kThreads> settings_;
  uint8_t last_a_row_ = 0;  // where the last instruction of any thread started in SrcA: what SHIFTXA reads
  uint64_t mvmuls_ = 0;
};

}  // namespace kerr::emu::tensix

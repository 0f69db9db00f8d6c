// The vector unit: 32 lanes, predicated, between LRegs and Dst.   docs/hardware/tensix-math.md 1.5, 8 to 12
// Every instruction takes effect when it issues; latencies matter inside macros only (macro.cpp).
#pragma once

#include <array>
#include <cstdint>

#include "emu/cycle.hpp"
#include "emu/observe/footprint.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/sfpu/lane_config.hpp"
#include "emu/tensix/sfpu/lane_kernels.hpp"
#include "emu/tensix/sfpu/macro.hpp"
#include "emu/tensix/sfpu/operands.hpp"
#include "emu/tensix/sfpu/prng.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// Part of the way of a frequent instruction from its word to the loop over lanes. The files of this folder are
/// compiled as one (CMakeLists.txt of emu/tensix), so that it can be inline wherever it is defined.
#define KERR_FREQUENT [[gnu::always_inline]] inline

class Sfpu {
 public:
  static constexpr unsigned kLRegs = 17;

  Sfpu(const Config& config, Rwcs& rwcs, Dst& dst, const Tolerance& tolerance = Tolerance::none())
      : config_(config), rwcs_(rwcs), dst_(dst), tolerance_(tolerance) {
    reset();
  }
  /// Leaving soft reset bit 10 (docs/hardware/tile.md 3.1).
  void reset();

  /// Every SFP* instruction: issue.cpp, which calls one of the functions perform() below.
  template <VectorInstruction I>
  Issue exec(int thread, const I& i);
  template <VectorInstruction I>
  Issue exec_word(int thread, uint32_t word);

  // Instructions that SFPLOADMACRO has scheduled: macro.cpp.
  /// Called before any instruction issues.
  void set_time(Cycle cycle) { now_ = cycle; }
  /// Something is still to happen.
  bool busy() const { return busy_; }
  /// And it will, without further vector instructions of `thread`, which used the unit last.
  bool moves(int thread) const { return busy_ && thread == macro_thread_ && moves_by_itself(); }
  /// Whose macros they are: the thread that used the unit last.
  int macro_thread() const { return macro_thread_; }
  /// Executes what is due before the present cycle.
  Issue catch_up();
  /// Executes all that does not wait for further vector instructions: `thread` waits.
  Issue drain(int thread);
  /// The instruction that was executed last began later than the present cycle (exact timing).
  void began(Cycle cycle) { last_cycle_ = cycle; }

  /// For observers: the rows of Dst that the instruction will read or write.
  void foresee(int thread, uint32_t word, Footprint& f);

  const LReg& lreg(unsigned index) const { return lregs_[index]; }
  /// For a debugger.
  void set_lreg(unsigned index, const LReg& value) { lregs_[index] = value; }
  /// Lanes that an instruction works on.
  LaneMask enabled() const { return enabled_; }
  LaneMask flags() const { return flags_.f; }
  const LaneConfig& lane_config() const { return lane_config_; }

  void serialize(Archive& archive);

 private:
  static constexpr unsigned kGeneral = 8;         // LRegs 0..7 can be written by everything
  static constexpr unsigned kFirstTemplate = 12;  // a VD from here on stores the instruction as a macro's template
  static constexpr unsigned kMacroRegister = 16;  // what only macros write
  static constexpr unsigned kZero = 9, kOne = 10;
  static constexpr unsigned kStackDepth = 8;

  struct Flags {
    LaneMask f = 0;  // F
    LaneMask u = 0;  // U: F decides
    void serialize(Archive& a) { a(f, u); }
  };

  // perform(i, operands, lanes): what an instruction does in those of `lanes` that it concerns. `lanes` are all lanes
  // but those of columns that store the instruction as a template instead (9.2).

  // predication.cpp, 9.1
  KERR_FREQUENT Issue perform(const isa::tensix::SFPENCC& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSETCC& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPPUSHC& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPPOPC& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPCOMPC& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPLE& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPGT& i, const Operands& r, LaneMask lanes);

  // load_store.cpp, 10.2
  KERR_FREQUENT Issue perform(const isa::tensix::SFPLOAD& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSTORE& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPLOADI& i, const Operands& r, LaneMask lanes);

  // float.cpp, 10.3, 10.4
  KERR_FREQUENT Issue perform(const isa::tensix::SFPMAD& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPADD& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPMUL& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPMULI& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPADDI& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPMUL24& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPLUT& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPLUTFP32& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPARECIP& i, const Operands& r, LaneMask lanes);

  // integer.cpp, 10.5
  KERR_FREQUENT Issue perform(const isa::tensix::SFPIADD& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSHFT& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPAND& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPOR& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPXOR& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPNOT& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPLZ& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPABS& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPEXEXP& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPEXMAN& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSETEXP& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSETMAN& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPSETSGN& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPDIVP2& i, const Operands& r, LaneMask lanes);

  // convert.cpp, 10.6
  Issue perform(const isa::tensix::SFPCAST& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFP_STOCH_RND& i, const Operands& r, LaneMask lanes);
  static constexpr unsigned kImmediateAmount = 8;  // of instr_mod1
  static bool odd_mode(const isa::tensix::SFP_STOCH_RND& i);

  // cross_lane.cpp, 10.7, 10.8
  KERR_FREQUENT Issue perform(const isa::tensix::SFPMOV& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPTRANSP& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPSWAP& i, const Operands& r, LaneMask lanes);
  Issue perform(const isa::tensix::SFPSHFT2& i, const Operands& r, LaneMask lanes);

  // configure.cpp, 10.9
  Issue perform(const isa::tensix::SFPCONFIG& i, const Operands& r, LaneMask lanes);
  KERR_FREQUENT Issue perform(const isa::tensix::SFPNOP&, const Operands&, LaneMask) { return Issue::done(); }

  // macro.cpp, 11
  Issue perform(const isa::tensix::SFPLOADMACRO& i, const Operands& r, LaneMask lanes);

  // --- issue.cpp: an instruction that a thread issues
  template <class I>
  KERR_FREQUENT Issue regular(const I& i);
  MacroQueue::Due begin_beside_macros();
  Issue end_beside_macros(Issue issue, MacroQueue::Due& due);
  void store_template(unsigned index, uint32_t word, LaneMask lanes);

  // --- registers
  /// A register as it stood when this cycle began.
  const LReg& in(unsigned r) const { return in_macro_cycle_ ? before_[r] : lregs_[r]; }
  static bool writable(unsigned r) { return r < kGeneral || r == kMacroRegister; }
  /// The common shape: LReg[vd] = value(old VD, VA, VB, VC, immediate) in enabled lanes, if VD can be written.
  KERR_FREQUENT Issue write(LaneValue value, const Operands& r, LaneMask lanes, uint32_t immediate = 0) {
    if (undefined_with_dest_index(r.vd, lanes)) return fault_with_dest_index(r.vd);
    if (writable(r.vd)) {
      (*kernels_)[value](lregs_[r.vd], in(r.va), in(r.vb), in(r.vc), immediate, lanes & enabled_);
    }
    return Issue::done();
  }
  /// Erratum TEN-2932: most instructions that write LReg 4..7 store nonsense while ENABLE_DEST_INDEX is set.
  bool undefined_with_dest_index(unsigned vd, LaneMask lanes) const {
    return (lane_config_.enable_dest_index & enabled_ & lanes) != 0 && vd >= 4 && vd < kGeneral;
  }
  static Issue fault_with_dest_index(unsigned vd);
  /// d = c in `lanes`.
  void move(LReg& d, const LReg& c, LaneMask lanes) { (*kernels_)[LaneValue::Move](d, c, c, c, 0, lanes); }
  static LReg filled(uint32_t value) {
    LReg reg;
    reg.fill(value);
    return reg;
  }
  void set_f(LaneMask lanes, LaneMask values) {
    flags_.f = (flags_.f & ~lanes) | (values & lanes);
    flags_changed();
  }
  void flags_changed() {
    if (!in_macro_cycle_) refresh_enabled();
  }
  void refresh_enabled() { enabled_ = (flags_.f | ~flags_.u) & ~lane_config_.rows_masked; }
  /// Random numbers of all lanes; `lanes` advance.
  LReg random(LaneMask lanes);

  // --- float.cpp
  struct MadResult {  // a result of the MAD sub-unit on its way
    LReg value{};
    LaneMask lanes = 0;
    Operands operands;
    bool indirect = false;
    LReg selector{};  // LReg 7, if indirect
    void serialize(Archive& a) { a(value, lanes, operands, indirect, selector); }
  };
  template <class F>
  KERR_FREQUENT Issue mad_result(const Operands& r, bool indirect_vd, LaneMask lanes, F write_to);
  void commit(const MadResult& result);
  KERR_FREQUENT Issue multiply_add(unsigned modifier, const Operands& r, LaneMask lanes);
  Issue piecewise(const Operands& r, const LReg& slope, const LReg& offset, bool keep_sign, bool indirect_vd,
                  LaneMask lanes);

  // --- predication.cpp
  Issue compare(unsigned modifier, LaneMask holds, const Operands& r, LaneMask lanes);

  // --- load_store.cpp
  struct Settings {  // what the configuration says to one thread; good as long as Config::version() stays
    uint64_t version = ~uint64_t{0};
    uint8_t mode_0 = 0;        // what mode 0 stands for
    bool dest_offset = false;  // DEST_OFFSET_Enable: not modelled
    bool remap_addrs = false, swizzle_32b = false;
    // What an address modifier adds to the row counter, if that is all that it does; else kNotSimple.
    std::array<int16_t, 8> steps{};
    unsigned offset = 0, dst_base = 0, sp_base = 0, stack_increment = 0;
  };
  static constexpr int16_t kNotSimple = -1;
  const Settings& settings(int thread) {
    Settings& s = settings_[static_cast<size_t>(thread)];
    if (s.version != config_.version()) [[unlikely]]
      refresh(thread, s);
    return s;
  }
  void refresh(int thread, Settings& s) const;
  KERR_FREQUENT Issue check_access(const Settings& s, unsigned modifier);
  KERR_FREQUENT void apply_modifier(const Settings& s, unsigned modifier);
  KERR_FREQUENT unsigned load_address(const Settings& s, unsigned offset, unsigned mode);
  KERR_FREQUENT unsigned store_address(const Settings& s, unsigned offset, unsigned mode);
  unsigned physical_row(const Settings& s, bool wide, unsigned row) const {
    const DstAddressing addressing{s.remap_addrs, s.swizzle_32b, dst_.high_half()};
    return wide ? addressing.row_32(row) : addressing.row_16(row);
  }
  KERR_FREQUENT void load(const Settings& s, unsigned vd, unsigned mode, unsigned address, LaneMask lanes);
  KERR_FREQUENT Issue store(const Settings& s, unsigned vd, unsigned mode, unsigned address, LaneMask lanes);
  Issue why_no_access(const Settings& s, unsigned modifier) const;
  void load_with_care(unsigned vd, unsigned mode, unsigned physical, LaneMask odd, LaneMask active);
  void capture_index(unsigned vd, unsigned row, LaneMask odd, LaneMask lanes);
  void store_with_care(const LReg& c, unsigned mode, unsigned physical, LaneMask odd, LaneMask active);
  LReg dst_words(unsigned row, LaneMask odd_columns);
  void put_dst_words(unsigned row, LaneMask odd_columns, const LReg& values, LaneMask lanes);

  // --- macro.cpp
  void schedule(unsigned macro, unsigned vd, unsigned mode, unsigned address, int thread);
  Issue check_macro(unsigned macro) const;
  Issue run_cycle(MacroQueue::Due& due);
  Issue run_scheduled(const Scheduled& s);
  Issue idle_cycle();
  bool moves_by_itself() const { return result_old_ || queue_.moves_by_itself(); }
  void begin_cycle();
  void end_cycle();
  Issue check_cycle(const MacroQueue::Due& due);

  const Config& config_;
  Rwcs& rwcs_;
  Dst& dst_;
  const Tolerance& tolerance_;
  const LaneKernels* kernels_ = &lane_kernels()[0];

  std::array<LReg, kLRegs> lregs_;
  Flags flags_;
  std::array<Flags, kStackDepth> stack_;
  unsigned stack_size_ = 0;
  LaneConfig lane_config_;
  std::array<MacroConfig, kLaneColumns> macros_;
  Prng prng_;

  LaneMask enabled_ = kAllLanes;  // from flags_ and lane_config_
  uint32_t seed_writes_ = 0;      // Config::prng_seed_writes() that prng_ knows of
  std::array<Settings, kThreads> settings_;
  int thread_ = 0;  // whose instruction is being executed

  Cycle now_ = 0;
  bool busy_ = false;
  MacroQueue queue_;
  Cycle last_cycle_ = 0;  // that queue_ knows of
  int macro_thread_ = 0;
  bool in_macro_cycle_ = false;  // several sub-units work: all read before_ and the predication of its beginning
  bool scheduled_ = false;       // the instruction that is being performed comes from a macro
  bool swapped_last_cycle_ = false;
  std::array<LReg, kLRegs> before_;
  bool result_new_ = false, result_old_ = false;
  MadResult mad_new_, mad_old_;  // executed in this cycle, in the one before
};

#undef KERR_FREQUENT

}  // namespace kerr::emu::tensix

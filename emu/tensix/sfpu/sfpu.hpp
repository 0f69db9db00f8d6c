// The vector unit: 32 lanes, predicated, between LRegs and Dst.   docs/hardware/tensix-math.md 1.5, 8 to 10
// All but macros: SFPLOADMACRO and what only macros use fault as Unsupported.
#pragma once

#include <array>
#include <cstdint>

#include "emu/tensix/issue.hpp"
#include "emu/tensix/sfpu/prng.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class Sfpu {
 public:
  static constexpr unsigned kLanes = 32;
  static constexpr unsigned kLRegs = 17;
  using LReg = std::array<std::uint32_t, kLanes>;  // lane l sits at row l / 8, column l % 8

  Sfpu(const Config& config, Rwcs& rwcs, Dst& dst) : config_(config), rwcs_(rwcs), dst_(dst) { reset(); }
  /// Leaving soft reset bit 10 (docs/hardware/tile.md 3.1).
  void reset();

  // predication.cpp, 9.1
  Issue exec(int, const isa::tensix::SFPENCC& i);
  Issue exec(int, const isa::tensix::SFPSETCC& i);
  Issue exec(int, const isa::tensix::SFPPUSHC& i);
  Issue exec(int, const isa::tensix::SFPPOPC& i);
  Issue exec(int, const isa::tensix::SFPCOMPC& i);

  // load_store.cpp, 10.2
  Issue exec(int thread, const isa::tensix::SFPLOAD& i);
  Issue exec(int thread, const isa::tensix::SFPSTORE& i);
  Issue exec(int, const isa::tensix::SFPLOADI& i);

  // float.cpp, 10.3, 10.4
  Issue exec(int, const isa::tensix::SFPMAD& i);
  Issue exec(int, const isa::tensix::SFPADD& i);
  Issue exec(int, const isa::tensix::SFPMUL& i);
  Issue exec(int, const isa::tensix::SFPMULI& i);
  Issue exec(int, const isa::tensix::SFPADDI& i);
  Issue exec(int, const isa::tensix::SFPMUL24& i);
  Issue exec(int, const isa::tensix::SFPLUT& i);
  Issue exec(int, const isa::tensix::SFPLUTFP32& i);
  Issue exec(int, const isa::tensix::SFPARECIP& i);

  // integer.cpp, 10.5
  Issue exec(int, const isa::tensix::SFPIADD& i);
  Issue exec(int, const isa::tensix::SFPSHFT& i);
  Issue exec(int, const isa::tensix::SFPAND& i);
  Issue exec(int, const isa::tensix::SFPOR& i);
  Issue exec(int, const isa::tensix::SFPXOR& i);
  Issue exec(int, const isa::tensix::SFPNOT& i);
  Issue exec(int, const isa::tensix::SFPLZ& i);
  Issue exec(int, const isa::tensix::SFPABS& i);
  Issue exec(int, const isa::tensix::SFPMOV& i);
  Issue exec(int, const isa::tensix::SFPEXEXP& i);
  Issue exec(int, const isa::tensix::SFPEXMAN& i);
  Issue exec(int, const isa::tensix::SFPSETEXP& i);
  Issue exec(int, const isa::tensix::SFPSETMAN& i);
  Issue exec(int, const isa::tensix::SFPSETSGN& i);
  Issue exec(int, const isa::tensix::SFPDIVP2& i);
  Issue exec(int, const isa::tensix::SFPLE& i);
  Issue exec(int, const isa::tensix::SFPGT& i);

  // convert.cpp, 10.6
  Issue exec(int, const isa::tensix::SFPCAST& i);
  Issue exec(int, const isa::tensix::SFP_STOCH_RND& i);

  // cross_lane.cpp, 10.7, 10.8
  Issue exec(int, const isa::tensix::SFPTRANSP& i);
  Issue exec(int, const isa::tensix::SFPSWAP& i);
  Issue exec(int, const isa::tensix::SFPSHFT2& i);

  // configure.cpp, 10.9
  Issue exec(int, const isa::tensix::SFPCONFIG& i);
  Issue exec(int, const isa::tensix::SFPNOP&) { return Issue::done(); }

  const LReg& lreg(unsigned index) const { return lregs_[index]; }
  /// One bit a lane: the lanes that an instruction works on.
  std::uint32_t enabled() const { return use_flags_ ? flags_ : ~0u; }
  std::uint32_t flags() const { return flags_; }
  bool use_flags() const { return use_flags_; }

 private:
  static constexpr unsigned kGeneral = 8;         // LRegs 0..7 can be written by everything
  static constexpr unsigned kFirstTemplate = 12;  // a VD from here on stores the instruction as a macro template
  static constexpr unsigned kStackDepth = 8;

  struct Predicate {
    std::uint32_t flags = 0;  // F of each lane
    bool use = false;         // U
  };

  bool is_enabled(unsigned lane) const { return enabled() >> lane & 1; }
  template <class F>
  void for_each_enabled(F f) {
    const std::uint32_t lanes = enabled();
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (lanes >> lane & 1) f(lane);
    }
  }
  void set_flag(unsigned lane, bool value) { flags_ = (flags_ & ~(1u << lane)) | std::uint32_t{value} << lane; }
  /// The common shape: LReg[vd] = value(lane) in enabled lanes. A `vd` of 12..15 stores the instruction as a template
  /// instead, 8..11 discards the result.
  template <class Instruction, class F>
  Issue compute(const Instruction& i, F value) {
    if (i.lreg_dest >= kFirstTemplate) return store_template(i.lreg_dest, i.encode());
    if (Issue refused = check_writable(i.lreg_dest); !refused.is_done()) return refused;
    LReg result = lregs_[i.lreg_dest];
    for_each_enabled([&](unsigned lane) { result[lane] = value(lane); });
    if (i.lreg_dest < kGeneral) lregs_[i.lreg_dest] = result;
    return Issue::done();
  }
  /// LReg[vd] = value(lane), where bit 3 of `modifier` takes vd from LReg[7] lane by lane.
  template <class Instruction, class F>
  Issue compute_indirect(const Instruction& i, unsigned vd, unsigned modifier, F value);
  Issue multiply_add(unsigned vd, unsigned modifier, std::uint32_t word, unsigned va, unsigned vb, unsigned vc);
  Issue order_compare(unsigned vd, unsigned vc, unsigned modifier, std::uint32_t word, bool greater);

  Issue store_template(unsigned vd, std::uint32_t word);
  /// Erratum TEN-2932: with ENABLE_DEST_INDEX most instructions write nonsense to LReg 4..7.
  Issue check_writable(unsigned vd) const;
  std::uint32_t next_random(unsigned lane);
  unsigned resolve_mode(int thread, unsigned mode) const;
  Issue dst_address(int thread, unsigned offset, unsigned modifier, unsigned mode, unsigned& address) const;

  const Config& config_;
  Rwcs& rwcs_;
  Dst& dst_;

  std::array<LReg, kLRegs> lregs_;
  std::uint32_t flags_ = 0;  // F of each lane
  bool use_flags_ = false;   // U; SFPENCC, SFPPUSHC and SFPPOPC act on all lanes alike, so one bit is enough
  std::array<Predicate, kStackDepth> stack_{};
  unsigned stack_size_ = 0;
  std::uint32_t lane_config_ = 0;  // the same in all lanes
  std::array<std::uint32_t, 4> templates_{}, sequences_{};
  std::uint32_t misc_ = 0;
  std::array<std::uint32_t, kLanes> random_{};
  std::uint32_t seed_writes_ = 0;  // Config::prng_seed_writes() that random_ knows of
};

/// The total order of SFPSWAP, SFPLE and SFPGT: sign-magnitude, -0 below +0.
constexpr std::int32_t sfpu_order(std::uint32_t v) { return static_cast<std::int32_t>(v >> 31 ? v ^ 0x7FFFFFFF : v); }

}  // namespace kerr::emu::tensix

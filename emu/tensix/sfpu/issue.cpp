// How an instruction that a thread issues comes to its function.   docs/hardware/tensix-math.md 9.2, 9.3, 11
#include <fmt/format.h>

#include "emu/tensix/sfpu/sfpu.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

template <class I, class... Is>
constexpr bool kIsOneOf = (std::is_same_v<I, Is> || ...);

// A VD of 12..15 is a register to these, or they have none.
template <class I>
constexpr bool kNeverTemplate = kIsOneOf<I, SFPCONFIG, SFPLOADMACRO, SFPLOAD, SFPLOADI, SFPNOP>;

template <class I>
constexpr SubUnit kSubUnit =
    kIsOneOf<I, SFPLOAD, SFPLOADI, SFPLOADMACRO, SFPNOP>                                  ? SubUnit::Load
    : kIsOneOf<I, SFPSTORE>                                                               ? SubUnit::Store
    : kIsOneOf<I, SFP_STOCH_RND, SFPSHFT2>                                                ? SubUnit::Round
    : kIsOneOf<I, SFPMAD, SFPADD, SFPMUL, SFPMULI, SFPADDI, SFPMUL24, SFPLUT, SFPLUTFP32> ? SubUnit::Mad
                                                                                          : SubUnit::Simple;

}  // namespace

template <VectorInstruction I>
Issue Sfpu::exec_word(int thread, uint32_t word) {
  thread_ = thread;
  if constexpr (std::is_same_v<I, SFP_STOCH_RND>) {
    const SFP_STOCH_RND i = SFP_STOCH_RND::decode(word);
    if (odd_mode(i) && !tolerance_.has(Oddity::RoundMode)) return Issue::odd(Oddity::RoundMode, i.instr_mod1);
  }
  if (!busy_) [[likely]]
    return regular(I::decode(word));
  MacroQueue::Due due = begin_beside_macros();
  return end_beside_macros(due.uses(kSubUnit<I>) ? Issue::done() : regular(I::decode(word)), due);
}

template <VectorInstruction I>
Issue Sfpu::exec(int thread, const I& i) {
  return exec_word<I>(thread, i.encode());
}

template <class I>
Issue Sfpu::regular(const I& i) {
  const Operands r = operands_of(i);
  if constexpr (!kNeverTemplate<I>) {
    if (r.vd >= kFirstTemplate && lane_config_.disable_backdoor_load != kAllLanes) [[unlikely]] {
      const LaneMask lanes = lane_config_.disable_backdoor_load;
      Issue issue = Issue::done();
      if (lanes != 0 || std::is_same_v<I, SFPSTORE>) issue = perform(i, r, lanes);  // SFPSTORE steps the counters
      if (issue.is_done()) store_template(r.vd - kFirstTemplate, i.encode(), ~lanes);
      return issue;
    }
  }
  return perform(i, r, kAllLanes);
}

// A cycle in which scheduled instructions work too, or the results of earlier ones arrive. A regular one that needs a
// sub-unit that is taken is lost.
MacroQueue::Due Sfpu::begin_beside_macros() {
  last_cycle_ = now_;
  macro_thread_ = thread_;
  const MacroQueue::Due due = queue_.next_cycle(true);
  begin_cycle();
  return due;
}

Issue Sfpu::end_beside_macros(Issue issue, MacroQueue::Due& due) {
  if (issue.is_done()) issue = run_cycle(due);
  end_cycle();
  return issue;
}

void Sfpu::store_template(unsigned index, uint32_t word, LaneMask lanes) {
  for (unsigned c = 0; c < kLaneColumns; ++c) {
    if (lanes >> c & 1) macros_[c].templates[index] = word;
  }
}

Issue Sfpu::fault_with_dest_index(unsigned vd) {
  return Issue::fault(
      FaultCategory::UnpredictableValue,
      fmt::format("writing LReg {} while LaneConfig.ENABLE_DEST_INDEX is set stores an undefined value (TEN-2932)", vd),
      "Clear ENABLE_DEST_INDEX with SFPCONFIG, or use LReg 0..3.");
}

#define KERR_INSTANTIATE(I)                          \
  template Issue Sfpu::exec(int thread, const I& i); \
  template Issue Sfpu::exec_word<I>(int thread, uint32_t word);
KERR_INSTANTIATE(SFPLOAD)
KERR_INSTANTIATE(SFPLOADI)
KERR_INSTANTIATE(SFPSTORE)
KERR_INSTANTIATE(SFPLUT)
KERR_INSTANTIATE(SFPMULI)
KERR_INSTANTIATE(SFPADDI)
KERR_INSTANTIATE(SFPDIVP2)
KERR_INSTANTIATE(SFPEXEXP)
KERR_INSTANTIATE(SFPEXMAN)
KERR_INSTANTIATE(SFPIADD)
KERR_INSTANTIATE(SFPSHFT)
KERR_INSTANTIATE(SFPSETCC)
KERR_INSTANTIATE(SFPMOV)
KERR_INSTANTIATE(SFPABS)
KERR_INSTANTIATE(SFPAND)
KERR_INSTANTIATE(SFPOR)
KERR_INSTANTIATE(SFPNOT)
KERR_INSTANTIATE(SFPLZ)
KERR_INSTANTIATE(SFPSETEXP)
KERR_INSTANTIATE(SFPSETMAN)
KERR_INSTANTIATE(SFPMAD)
KERR_INSTANTIATE(SFPADD)
KERR_INSTANTIATE(SFPMUL)
KERR_INSTANTIATE(SFPPUSHC)
KERR_INSTANTIATE(SFPPOPC)
KERR_INSTANTIATE(SFPSETSGN)
KERR_INSTANTIATE(SFPENCC)
KERR_INSTANTIATE(SFPCOMPC)
KERR_INSTANTIATE(SFPTRANSP)
KERR_INSTANTIATE(SFPXOR)
KERR_INSTANTIATE(SFP_STOCH_RND)
KERR_INSTANTIATE(SFPNOP)
KERR_INSTANTIATE(SFPCAST)
KERR_INSTANTIATE(SFPCONFIG)
KERR_INSTANTIATE(SFPSWAP)
KERR_INSTANTIATE(SFPLOADMACRO)
KERR_INSTANTIATE(SFPSHFT2)
KERR_INSTANTIATE(SFPLUTFP32)
KERR_INSTANTIATE(SFPLE)
KERR_INSTANTIATE(SFPGT)
KERR_INSTANTIATE(SFPMUL24)
KERR_INSTANTIATE(SFPARECIP)

}  // namespace kerr::emu::tensix

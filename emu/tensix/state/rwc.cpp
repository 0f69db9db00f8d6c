#include "emu/tensix/state/rwc.hpp"

namespace kerr::emu::tensix {
namespace {

struct Step {
  unsigned increment;
  bool clear, cr_to_counter, counter_to_cr;
};

// First match wins; clear wins over everything (tensix-datapath.md 16, last but one row).
void step(uint16_t& counter, uint16_t& cr, const Step& s, unsigned mask) {
  if (s.clear) {
    counter = cr = 0;
  } else if (s.counter_to_cr) {
    counter = cr = static_cast<uint16_t>((counter + s.increment) & mask);
  } else if (s.cr_to_counter) {
    counter = cr = static_cast<uint16_t>((cr + s.increment) & mask);
  } else {
    counter = static_cast<uint16_t>((counter + s.increment) & mask);
  }
}

}  // namespace

void Rwc::apply(const ThreadConfig& config, unsigned modifier, bool with_fidelity) {
  namespace f = arch::thread_config;
  // The eight sections of an address modifier lie in consecutive words, all laid out alike.
  modifier &= 7;
  const uint32_t ab = config.words[f::ADDR_MOD_AB_SEC0_SrcAIncr.word + modifier];
  const uint32_t d = config.words[f::ADDR_MOD_DST_SEC0_DestIncr.word + modifier];
  const uint32_t bias = config.words[f::ADDR_MOD_BIAS_SEC0_BiasIncr.word + modifier];
  if (ab != 0) {
    step(a, a_cr,
         {f::ADDR_MOD_AB_SEC0_SrcAIncr.get(ab), f::ADDR_MOD_AB_SEC0_SrcAClear.get(ab) != 0,
          f::ADDR_MOD_AB_SEC0_SrcACR.get(ab) != 0, false},
         63);
    step(b, b_cr,
         {f::ADDR_MOD_AB_SEC0_SrcBIncr.get(ab), f::ADDR_MOD_AB_SEC0_SrcBClear.get(ab) != 0,
          f::ADDR_MOD_AB_SEC0_SrcBCR.get(ab) != 0, false},
         63);
  }
  if (d != 0) {
    step(dst, dst_cr,
         {f::ADDR_MOD_DST_SEC0_DestIncr.get(d), f::ADDR_MOD_DST_SEC0_DestClear.get(d) != 0,
          f::ADDR_MOD_DST_SEC0_DestCR.get(d) != 0, f::ADDR_MOD_DST_SEC0_DestCToCR.get(d) != 0},
         1023);
    if (with_fidelity) {
      const bool clear = f::ADDR_MOD_DST_SEC0_FidelityClear.get(d) != 0;
      fidelity = clear ? 0 : static_cast<uint8_t>((fidelity + f::ADDR_MOD_DST_SEC0_FidelityIncr.get(d)) & 3);
    }
  }
  if (bias == 0) return;
  if (f::ADDR_MOD_BIAS_SEC0_BiasClear.get(bias) != 0) {
    extra_modifier_bit = false;
  } else if ((f::ADDR_MOD_BIAS_SEC0_BiasIncr.get(bias) & 3) != 0) {
    extra_modifier_bit = !extra_modifier_bit;
  }
}

}  // namespace kerr::emu::tensix

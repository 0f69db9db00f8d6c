#include "emu/tensix/state/rwc.hpp"

namespace kerr::emu::tensix {
namespace {

using arch::ConfigField;

// The eight sections of an address modifier lie in consecutive words, all laid out alike.
std::uint32_t section(const ThreadConfig& config, ConfigField of_section_0, unsigned modifier) {
  return of_section_0.get(config.words[of_section_0.word + (modifier & 7)]);
}

struct Step {
  unsigned increment;
  bool clear, cr_to_counter, counter_to_cr;
};

// First match wins; clear wins over everything (tensix-datapath.md 16, last but one row).
void step(std::uint16_t& counter, std::uint16_t& cr, const Step& s, unsigned mask) {
  if (s.clear) {
    counter = cr = 0;
  } else if (s.counter_to_cr) {
    counter = cr = static_cast<std::uint16_t>((counter + s.increment) & mask);
  } else if (s.cr_to_counter) {
    counter = cr = static_cast<std::uint16_t>((cr + s.increment) & mask);
  } else {
    counter = static_cast<std::uint16_t>((counter + s.increment) & mask);
  }
}

}  // namespace

void Rwc::apply(const ThreadConfig& config, unsigned modifier, bool with_fidelity) {
  namespace f = arch::thread_config;
  const auto get = [&](ConfigField field) { return section(config, field, modifier); };
  step(a, a_cr,
       {get(f::ADDR_MOD_AB_SEC0_SrcAIncr), get(f::ADDR_MOD_AB_SEC0_SrcAClear) != 0,
        get(f::ADDR_MOD_AB_SEC0_SrcACR) != 0, false},
       63);
  step(b, b_cr,
       {get(f::ADDR_MOD_AB_SEC0_SrcBIncr), get(f::ADDR_MOD_AB_SEC0_SrcBClear) != 0,
        get(f::ADDR_MOD_AB_SEC0_SrcBCR) != 0, false},
       63);
  step(dst, dst_cr,
       {get(f::ADDR_MOD_DST_SEC0_DestIncr), get(f::ADDR_MOD_DST_SEC0_DestClear) != 0,
        get(f::ADDR_MOD_DST_SEC0_DestCR) != 0, get(f::ADDR_MOD_DST_SEC0_DestCToCR) != 0},
       1023);
  if (with_fidelity) {
    const bool clear = get(f::ADDR_MOD_DST_SEC0_FidelityClear) != 0;
    fidelity = clear ? 0 : static_cast<std::uint8_t>((fidelity + get(f::ADDR_MOD_DST_SEC0_FidelityIncr)) & 3);
  }
  if (get(f::ADDR_MOD_BIAS_SEC0_BiasClear) != 0) {
    extra_modifier_bit = false;
  } else if ((get(f::ADDR_MOD_BIAS_SEC0_BiasIncr) & 3) != 0) {
    extra_modifier_bit = !extra_modifier_bit;
  }
}

}  // namespace kerr::emu::tensix

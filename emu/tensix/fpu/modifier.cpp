#include "emu/tensix/fpu/modifier.hpp"

#include <fmt/format.h>

namespace kerr::emu::tensix {

Issue check_modifier(const Rwc& rwc, const ThreadConfig& config, unsigned modifier) {
  if (rwc.extra_modifier_bit) {
    return Issue::unsupported("the extra address modifier bit (ADDR_MOD_BIAS) is set: its effect is not modelled");
  }
  const unsigned first = arch::thread_config::ADDR_MOD_AB2_SEC0_SrcAIncr.word;
  if (const uint16_t bits = config.words[first + modifier]; bits != 0) {
    return Issue::unsupported(
        fmt::format("ADDR_MOD_AB2_SEC{} = {}: a seventh increment bit is not modelled", modifier, bits));
  }
  return Issue::done();
}

}  // namespace kerr::emu::tensix

// What an address modifier asks for that is not modelled.   docs/hardware/tensix-datapath.md 8.2
#pragma once

#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/rwc.hpp"

namespace kerr::emu::tensix {

/// Whether check_modifier() would say Done.
inline bool modifier_is_modelled(const Rwc& rwc, const ThreadConfig& config, unsigned modifier) {
  return !rwc.extra_modifier_bit && config.words[arch::thread_config::ADDR_MOD_AB2_SEC0_SrcAIncr.word + modifier] == 0;
}

/// Done, or Unsupported: the extra modifier bit and the seventh increment bits of a and b have no known effect.
Issue check_modifier(const Rwc& rwc, const ThreadConfig& config, unsigned modifier);

}  // namespace kerr::emu::tensix

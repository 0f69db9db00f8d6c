// Row counters of the matrix and vector unit, and the address modifiers that step them.
// docs/hardware/tensix-datapath.md 8.2, tensix-math.md 3.3
#pragma once

#include <cstdint>

#include "emu/tensix/state/config.hpp"

namespace kerr::emu::tensix {

/// The counters of one thread. All sums wrap: a and b at 64, dst and sp at 1024, fidelity at 4.
struct Rwc {
  uint16_t a = 0, a_cr = 0;
  uint16_t b = 0, b_cr = 0;
  uint16_t dst = 0, dst_cr = 0;
  uint16_t sp = 0;  // stack pointer of the vector unit
  uint8_t fidelity = 0;
  bool extra_modifier_bit = false;

  /// Steps the counters by ADDR_MOD_*_SEC<modifier> of the issuing thread, after the instruction's own row computation.
  /// `with_fidelity` is false for SFPLOAD, SFPSTORE and SFPLOADMACRO.
  void apply(const ThreadConfig& config, unsigned modifier, bool with_fidelity = true);

  /// (fidelity + FIDELITY_BASE_Phase) & 3
  unsigned phase(const ThreadConfig& config) const {
    return (fidelity + config.get(arch::thread_config::FIDELITY_BASE_Phase)) & 3;
  }
  void serialize(Archive& archive) {
    for (uint16_t* counter : {&a, &a_cr, &b, &b_cr}) archive.below(64, *counter);
    for (uint16_t* counter : {&dst, &dst_cr, &sp}) archive.below(1024, *counter);
    archive.below(4, fidelity);
    archive(extra_modifier_bit);
  }
};

}  // namespace kerr::emu::tensix

// Configuration of the coprocessor by the names of its fields (arch/tensix_config.hpp), its GPRs and its address
// modifiers.
//
//   set_config(cfg::THCON_SEC0_REG2_Out_data_format, format);                   // this field alone, by the thread
//   store_config(cfg::STACC_RELU_ApplyRelu, cfg::STACC_RELU_ApplyRelu.of(1));   // the whole word, by the hart, at once
//   set_thread_config(thread_cfg::SRCA_SET_SetOvrdWithAddr.word, 4);            // a word of the thread
// docs/hardware/tensix-datapath.md 6, 7
#pragma once

#include "arch/tensix_config.hpp"
#include "device/tensix/sync.hpp"

namespace kerr::device {

namespace cfg = arch::global_config;
namespace thread_cfg = arch::thread_config;
using arch::ConfigField;

[[gnu::error("the value does not fit this field of the configuration")]] void config_value_does_not_fit();

/// One field, or several neighbours, by RMWCIB instructions: one for each byte that they touch.
[[gnu::always_inline]] inline void set_config(ConfigField field, uint32_t value) {
  if (__builtin_constant_p(value) && !field.holds(value)) config_value_does_not_fit();
  const uint32_t mask = field.mask(), data = field.of(value);
  const auto modify = [&](uint32_t opcode, uint32_t byte) __attribute__((always_inline)) {
    const uint32_t touched = mask >> 8 * byte & 0xFF;
    if (touched != 0) issue_word(opcode | touched << 16 | (data >> 8 * byte & 0xFF) << 8 | field.word);
  };
  modify(tensix::RMWCIB0{}.word(), 0);
  modify(tensix::RMWCIB1{}.word(), 1);
  modify(tensix::RMWCIB2{}.word(), 2);
  modify(tensix::RMWCIB3{}.word(), 3);
}

/// The whole word that holds `field`, by the hart.
[[gnu::always_inline]] inline void store_config(ConfigField field, uint32_t word) {
  mmio(arch::kConfigBase + 4u * field.word) = word;
}

/// For as long as it lives, no other thread modifies the words of the configuration that all three share.
struct SharedConfigLock {
  [[gnu::always_inline]] SharedConfigLock() { issue(tensix::ATGETM().mutex_index(0)); }
  [[gnu::always_inline]] ~SharedConfigLock() { issue(tensix::ATRELM().mutex_index(0)); }
};

/// A word of the thread's own configuration.
[[gnu::always_inline]] inline void set_thread_config(uint32_t word, uint32_t value) {
  issue(tensix::SETC16().setc16_reg(word).setc16_value(value));
}

/// 16 bits of a GPR of the thread.
[[gnu::always_inline]] inline void set_gpr_half(uint32_t gpr, bool high, uint32_t value) {
  issue_word(tensix::SETDMAREG().reg_index_16b(2 * gpr + (high ? 1 : 0)).word() | value << 8);
}
/// Configuration from a GPR; two instructions later it counts.
[[gnu::always_inline]] inline void config_from_gpr(ConfigField field, uint32_t gpr) {
  issue(tensix::WRCFG().cfg_reg(field.word).gpr_address(gpr));
}

/// How a counter of rows goes on behind an instruction of the matrix or vector unit.   docs/hardware/tensix-math.md 3.3
struct Step {
  uint32_t by = 0;
  bool from_mark = false;  // from where its mark stands, which comes along
  bool clear = false;      // counter and mark go to zero instead
};
/// An address modifier; all of it is set.
struct AddressModifier {
  Step a{}, b{}, dst{};
  uint32_t phases = 0;       // the fidelity phase goes on by so many
  bool first_phase = false;  // or back to the first
  bool dst_marks = false;    // Dst's mark comes along with the counter
};
[[gnu::always_inline]] inline void set_address_modifier(uint32_t index, AddressModifier m) {
  using namespace thread_cfg;
  set_thread_config(ADDR_MOD_AB_SEC0_SrcAIncr.word + index,
                    ADDR_MOD_AB_SEC0_SrcAIncr.of(m.a.by) | ADDR_MOD_AB_SEC0_SrcACR.of(m.a.from_mark) |
                        ADDR_MOD_AB_SEC0_SrcAClear.of(m.a.clear) | ADDR_MOD_AB_SEC0_SrcBIncr.of(m.b.by) |
                        ADDR_MOD_AB_SEC0_SrcBCR.of(m.b.from_mark) | ADDR_MOD_AB_SEC0_SrcBClear.of(m.b.clear));
  set_thread_config(ADDR_MOD_DST_SEC0_DestIncr.word + index,
                    ADDR_MOD_DST_SEC0_DestIncr.of(m.dst.by) | ADDR_MOD_DST_SEC0_DestCR.of(m.dst.from_mark) |
                        ADDR_MOD_DST_SEC0_DestClear.of(m.dst.clear) | ADDR_MOD_DST_SEC0_DestCToCR.of(m.dst_marks) |
                        ADDR_MOD_DST_SEC0_FidelityIncr.of(m.phases) |
                        ADDR_MOD_DST_SEC0_FidelityClear.of(m.first_phase));
  set_thread_config(ADDR_MOD_BIAS_SEC0_BiasIncr.word + index, 0);
}

}  // namespace kerr::device

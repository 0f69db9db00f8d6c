// The configuration unit: instructions that read and write configuration words.   docs/hardware/tensix-datapath.md 6.2
#pragma once

#include "emu/tensix/bus.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

/// A write is visible to the very next instruction. The bank is the one that the issuing thread's CFG_STATE_ID names.
class ConfigUnit {
 public:
  ConfigUnit(Config& config, Gpr& gpr, ContextCounters& context_counters, CoprocessorBus& bus)
      : config_(config), gpr_(gpr), context_counters_(context_counters), bus_(bus) {}

  Issue exec(int thread, const isa::tensix::SETC16& i);
  Issue exec(int thread, const isa::tensix::WRCFG& i);
  Issue exec(int thread, const isa::tensix::RDCFG& i);
  Issue exec(int thread, const isa::tensix::RMWCIB0& i) {
    return replace_byte(thread, 0, i.cfg_reg_addr, i.data, i.mask);
  }
  Issue exec(int thread, const isa::tensix::RMWCIB1& i) {
    return replace_byte(thread, 1, i.cfg_reg_addr, i.data, i.mask);
  }
  Issue exec(int thread, const isa::tensix::RMWCIB2& i) {
    return replace_byte(thread, 2, i.cfg_reg_addr, i.data, i.mask);
  }
  Issue exec(int thread, const isa::tensix::RMWCIB3& i) {
    return replace_byte(thread, 3, i.cfg_reg_addr, i.data, i.mask);
  }
  Issue exec(int thread, const isa::tensix::CFGSHIFTMASK& i);
  Issue exec(int thread, const isa::tensix::STREAMWRCFG& i);

 private:
  Issue replace_byte(int thread, unsigned byte, uint32_t index, uint32_t data, uint32_t mask);

  Config& config_;
  Gpr& gpr_;
  ContextCounters& context_counters_;
  CoprocessorBus& bus_;
};

}  // namespace kerr::emu::tensix

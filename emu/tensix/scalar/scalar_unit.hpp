// The scalar unit (THCON): register arithmetic, and loads and stores of L1 and of the tile's registers.
// docs/hardware/tensix-datapath.md 14
#pragma once

#include <cstdint>

#include "emu/riscv/bus.hpp"
#include "emu/tensix/coprocessor.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tile/l1.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class ScalarUnit {
 public:
  ScalarUnit(Gpr& gpr, Config& config, Adcs& adcs, L1& l1, CoprocessorBus& bus)
      : gpr_(gpr), config_(config), adcs_(adcs), l1_(l1), bus_(bus) {}

  // arithmetic.cpp
  Issue exec(int thread, const isa::tensix::SETDMAREG& i);
  Issue exec(int thread, const isa::tensix::ADDDMAREG& i);
  Issue exec(int thread, const isa::tensix::SUBDMAREG& i);
  Issue exec(int thread, const isa::tensix::MULDMAREG& i);
  Issue exec(int thread, const isa::tensix::BITWOPDMAREG& i);
  Issue exec(int thread, const isa::tensix::SHIFTDMAREG& i);
  Issue exec(int thread, const isa::tensix::CMPDMAREG& i);
  Issue exec(int, const isa::tensix::DMANOP&) { return Issue::done(); }
  Issue exec(int, const isa::tensix::FLUSHDMA&) {
    return Issue::done();
  }  // every unit has finished when it has started
  Issue exec(int thread, const isa::tensix::REG2FLOP& i);

  // memory.cpp
  Issue exec(int thread, const isa::tensix::LOADIND& i);
  Issue exec(int thread, const isa::tensix::STOREIND& i);
  Issue exec(int thread, const isa::tensix::LOADREG& i);
  Issue exec(int thread, const isa::tensix::STOREREG& i);
  Issue exec(int thread, const isa::tensix::ATINCGET& i);
  Issue exec(int thread, const isa::tensix::ATSWAP& i);

 private:
  void write_adc(int thread, const isa::tensix::REG2FLOP& i);
  void store_l1(int thread, std::uint32_t address, unsigned bytes, unsigned data_reg);
  Issue store_register(int thread, std::uint32_t address, std::uint32_t value);

  Gpr& gpr_;
  Config& config_;
  Adcs& adcs_;
  L1& l1_;
  CoprocessorBus& bus_;
};

}  // namespace kerr::emu::tensix

// The scalar unit (THCON): register arithmetic, and loads and stores of L1, of the tile's registers and of Src.
// docs/hardware/tensix-datapath.md 14
#pragma once

#include <cstdint>

#include "emu/access.hpp"
#include "emu/memory/l1.hpp"
#include "emu/tensix/bus.hpp"
#include "emu/tensix/issue.hpp"
#include "emu/tensix/state/packer_signals.hpp"
#include "emu/tensix/state/state.hpp"
#include "emu/tensix/state/unit_holds.hpp"
#include "isa/tensix/instructions.hpp"

namespace kerr::emu::tensix {

class ScalarUnit {
 public:
  ScalarUnit(State& state, UnitHolds& holds, L1& l1, CoprocessorBus& bus,
             const Tolerance& tolerance = Tolerance::none())
      : gpr_(state.gpr),
        config_(state.config),
        adcs_(state.adcs),
        signals_(state.packer_signals),
        src_a_(state.src_a),
        src_b_(state.src_b),
        holds_(holds),
        l1_(l1),
        bus_(bus),
        tolerance_(tolerance) {}

  // arithmetic.cpp
  Issue exec(int thread, const isa::tensix::ADDDMAREG& i);
  Issue exec(int thread, const isa::tensix::SUBDMAREG& i);
  Issue exec(int thread, const isa::tensix::MULDMAREG& i);
  Issue exec(int thread, const isa::tensix::BITWOPDMAREG& i);
  Issue exec(int thread, const isa::tensix::SHIFTDMAREG& i);
  Issue exec(int thread, const isa::tensix::CMPDMAREG& i);
  Issue exec(int, const isa::tensix::DMANOP&) { return Issue::done(); }
  Issue exec(int, const isa::tensix::RSTDMA&) {
    return Issue::unsupported("RSTDMA: the assembler table of LLK lists it, no source says what it does on Blackhole");
  }
  Issue exec(int, const isa::tensix::FLUSHDMA&) {
    return Issue::done();
  }  // every unit has finished when it has started
  Issue exec(int thread, const isa::tensix::REG2FLOP& i);

  // set_register.cpp
  Issue exec(int thread, const isa::tensix::SETDMAREG& i);

  // memory.cpp
  Issue exec(int thread, const isa::tensix::LOADIND& i);
  Issue exec(int thread, const isa::tensix::STOREIND& i);
  Issue exec(int thread, const isa::tensix::LOADREG& i);
  Issue exec(int thread, const isa::tensix::STOREREG& i);

  // atomics.cpp
  Issue exec(int thread, const isa::tensix::ATINCGET& i);
  Issue exec(int thread, const isa::tensix::ATINCGETPTR& i);
  Issue exec(int thread, const isa::tensix::ATSWAP& i);
  Issue exec(int thread, const isa::tensix::ATCAS& i);

 private:
  void write_adc(int thread, const isa::tensix::REG2FLOP& i);
  Issue set_from_signals(int thread, const isa::tensix::SETDMAREG& i);
  void store_l1(int thread, uint32_t address, unsigned bytes, unsigned data_reg);
  Issue store_register(uint32_t address, uint32_t value);
  Issue store_src(int thread, uint32_t index, bool to_b, unsigned data_reg);
  Issue retry(int thread, uint32_t address, const char* why);
  static Issue beyond_l1(uint64_t address, unsigned bytes);

  Gpr& gpr_;
  Config& config_;
  Adcs& adcs_;
  PackerSignals& signals_;
  SrcRegister& src_a_;
  SrcRegister& src_b_;
  UnitHolds& holds_;
  L1& l1_;
  CoprocessorBus& bus_;
  const Tolerance& tolerance_;
};

}  // namespace kerr::emu::tensix

// The scalar unit: GPRs in, GPRs, L1 or registers out.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kSteps = 8;

// ADDDMAREG and its kin.
template <class I>
std::function<void(CaseMaker&)> arithmetic() {
  return [](CaseMaker& m) {
    m.random_gprs();
    for (unsigned n = 0; n < kSteps; ++n) {
      I i{};
      i.op_a_reg_index = m.below(64), i.op_b_reg_index = m.below(64), i.result_reg_index = m.below(64);
      m.execute(i);
    }
    m.drain();
    m.show_gprs();
    m.finish();
  };
}

void set_halves(CaseMaker& m) {
  m.random_gprs();
  for (unsigned n = 0; n < kSteps; ++n) {
    m.execute(
        SETDMAREG{.reg_index_16b = m.field(7), .payload_sig_sel = m.field(14), .payload_sig_sel_size = m.field(2)});
  }
  m.drain();
  m.show_gprs();
  m.finish();
}

template <class I>
std::function<void(CaseMaker&)> nothing() {
  return [](CaseMaker& m) {
    m.random_gprs();
    for (unsigned n = 0; n < kSteps; ++n) {
      m.execute(I{});
      m.push(ADDDMAREG{.op_a_reg_index = m.below(64), .op_b_reg_index = m.below(64), .result_reg_index = m.below(64)});
    }
    m.drain();
    m.show_gprs();
    m.show_counters();
    m.finish();
  };
}

// Counters of stream registers; a hart reads them back.
void store_registers(CaseMaker& m) {
  for (unsigned r = 0; r < 64; ++r) m.program().store(m.gpr_address(r), m.field(16));
  std::array<uint32_t, kSteps> written{};
  for (uint32_t& reg : written) {
    const unsigned stream = m.below(64), index = m.one_of({8, 10});
    reg = 0x10000 + stream * 0x400 + index;
    m.execute(STOREREG{.reg_addr = reg, .tdma_data_reg_index = m.below(64)});
  }
  m.drain();
  m.show_gprs();
  for (const uint32_t reg : written) m.show_register(arch::kLdmBase + 4 * reg);
  m.finish();
}

}  // namespace

void add_scalar_bodies(Bodies& out) {
  out["SETDMAREG"] = set_halves;
  out["ADDDMAREG"] = arithmetic<ADDDMAREG>();
  out["MULDMAREG"] = arithmetic<MULDMAREG>();
  out["DMANOP"] = nothing<DMANOP>();
  out["STOREREG"] = store_registers;
}

}  // namespace kerr::oracle

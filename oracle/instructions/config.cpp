// The configuration unit: words are read back through the window, address modifiers through the counters they move.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kSteps = 6;

// Words that take most values without a refusal by the reference simulator.
constexpr std::initializer_list<unsigned> kWords{12, 13, 14, 15, 24, 28, 56, 57, 59, 69, 76, 77, 84, 86, 124, 125};

void show_words(CaseMaker& m) {
  m.show_config(kWords);
  m.show_gprs();
  m.finish();
}

void set_words(CaseMaker& m) {
  m.random_gprs();
  for (const unsigned w : kWords) m.program().config(w, m.one_in(3) ? 0 : m.any());
}

void write_words(CaseMaker& m) {
  set_words(m);
  for (unsigned n = 0; n < kSteps; ++n) {
    if (m.one_in(3)) {
      m.execute(WRCFG{.cfg_reg = 12, .wr128b = 1, .gpr_address = 4 * m.below(16)});
    } else {
      m.execute(WRCFG{.cfg_reg = m.one_of(kWords), .gpr_address = m.below(64)});
    }
  }
  m.push(NOP{});
  m.drain();
  show_words(m);
}

void read_words(CaseMaker& m) {
  set_words(m);
  for (unsigned n = 0; n < kSteps; ++n) m.execute(RDCFG{.cfg_reg = m.one_of(kWords), .gpr_address = m.below(64)});
  m.drain();
  show_words(m);
}

template <class I>
std::function<void(CaseMaker&)> merge_bytes() {
  return [](CaseMaker& m) {
    set_words(m);
    for (unsigned n = 0; n < kSteps; ++n) {
      m.execute(I{.cfg_reg_addr = m.one_of(kWords), .data = m.field(8), .mask = m.field(8)});
      if (m.one_in(3)) m.push(RDCFG{.cfg_reg = m.one_of(kWords), .gpr_address = m.below(64)});
    }
    m.drain();
    show_words(m);
  };
}

// The only form that the reference simulator accepts adds a scratch word.
void shift_and_mask(CaseMaker& m) {
  set_words(m);
  for (unsigned s = 0; s < 3; ++s) m.program().config(209 + s, m.edge_word());
  for (unsigned n = 0; n < kSteps; ++n) {
    m.execute(CFGSHIFTMASK{.cfg_reg = m.one_of(kWords),
                           .scratch_sel = m.below(4),
                           .right_cshift_amt = 0,
                           .mask_width = 31,
                           .operation = 3,
                           .disable_mask_on_old_val = 1});
  }
  m.drain();
  show_words(m);
}

// Thread configuration cannot be read; address modifiers show in the counters.
void set_thread_words(CaseMaker& m) {
  for (unsigned t = 0; t < 8; ++t)
    m.program().thread_config(12 + t, 0).thread_config(28 + t, 0).thread_config(47 + t, 0);
  m.program().thread_config(1, 0).config(1, 0).config(220, 0);
  m.push(SETRWC{.bit_mask = 15});
  for (unsigned n = 0; n < kSteps; ++n) {
    const unsigned modifier = m.below(8);
    // Clear, Clear-and-carry together are refused: mostly one of them.
    const uint32_t ab =
        joined({m.field(6), m.one_of({0, 0, 1, 2}) << 6, m.field(6) << 8, m.one_of({0, 0, 1, 2}) << 14});
    const uint32_t dst = joined({m.field(10), m.one_of({0, 0, 1, 2, 4}) << 10, m.field(2) << 13, m.below(2) << 15});
    m.execute(SETC16{.setc16_value = ab, .setc16_reg = 12 + modifier});
    m.execute(SETC16{.setc16_value = dst, .setc16_reg = 28 + modifier});
    for (unsigned k = m.below(3); k < 3; ++k)
      m.push(ZEROACC{.where = m.below(8), .addr_mode = m.one_in(2) ? modifier : m.below(8), .clear_mode = 1});
  }
  m.drain();
  m.show_counters();
  m.finish();
}

}  // namespace

void add_config_bodies(Bodies& out) {
  out["WRCFG"] = write_words;
  out["RDCFG"] = read_words;
  out["RMWCIB0"] = merge_bytes<RMWCIB0>();
  out["RMWCIB1"] = merge_bytes<RMWCIB1>();
  out["RMWCIB2"] = merge_bytes<RMWCIB2>();
  out["RMWCIB3"] = merge_bytes<RMWCIB3>();
  out["CFGSHIFTMASK"] = shift_and_mask;
  out["SETC16"] = set_thread_words;
}

}  // namespace kerr::oracle

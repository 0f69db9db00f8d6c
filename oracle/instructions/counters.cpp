// Address counters and row counters, seen through the debug bus.
#include "oracle/instructions/bodies.hpp"

namespace kerr::oracle {

using namespace isa::tensix;

namespace {

constexpr unsigned kSteps = 5;

unsigned units(CaseMaker& m) { return 1 + m.below(7); }

// Counters start anywhere, some at their last value.
void set_counters(CaseMaker& m) {
  for (unsigned unit = 0; unit < 3; ++unit) {
    for (unsigned channel = 0; channel < 2; ++channel) {
      for (unsigned dimension = 0; dimension < 4; ++dimension) {
        // Z and W have eight bits in the reference simulator, thirteen in the document.
        const unsigned bits = dimension == 0 ? 16 : dimension == 1 ? 13 : 7;
        m.push(SETADC{.value = m.field(bits), .dimension = dimension, .channel = channel, .cnt_set_mask = 1u << unit});
      }
    }
  }
}

template <class MakeInstruction>
std::function<void(CaseMaker&)> counting(MakeInstruction make) {
  return [make](CaseMaker& m) {
    set_counters(m);
    for (unsigned n = 0; n < kSteps; ++n) m.execute(make(m));
    m.drain();
    m.show_counters();
    m.finish();
  };
}

SETADC set_one(CaseMaker& m) {
  const unsigned dimension = m.below(4);
  return {.value = m.field(dimension == 0   ? 16
                           : dimension == 1 ? 13
                                            : 8),
          .dimension = dimension,
          .channel = m.below(2),
          .cnt_set_mask = units(m)};
}
SETADCXX set_ends(CaseMaker& m) { return {.x_start = m.field(10), .x_end2 = m.field(10), .cnt_set_mask = units(m)}; }

template <class I>
I with_xy(CaseMaker& m, I i) {
  i.ch0_x = m.field(3), i.ch0_y = m.field(3), i.ch1_x = m.field(3), i.ch1_y = m.field(3);
  i.cnt_set_mask = units(m);
  return i;
}
template <class I>
I with_zw(CaseMaker& m, I i) {
  i.ch0_z = m.field(3), i.ch0_w = m.field(3), i.ch1_z = m.field(3), i.ch1_w = m.field(3);
  i.cnt_set_mask = units(m);
  return i;
}
template <class I>
I masked_xy(CaseMaker& m) {
  return with_xy(m, I{.bit_mask = 1 + m.below(15)});
}
template <class I>
I masked_zw(CaseMaker& m) {
  return with_zw(m, I{.bit_mask = 1 + m.below(15)});
}
INCADCXY increment_xy(CaseMaker& m) { return with_xy(m, INCADCXY{}); }
INCADCZW increment_zw(CaseMaker& m) { return with_zw(m, INCADCZW{}); }

SETRWC set_rows(CaseMaker& m) {
  const unsigned carry = m.field(3);
  return {
      .bit_mask = carry | m.field(4), .rwc_a = m.field(4), .rwc_b = m.field(4), .rwc_d = m.field(4), .rwc_cr = carry};
}

void row_counters(CaseMaker& m, bool setting) {
  for (unsigned n = 0; n < 2 * kSteps; ++n) {
    const bool set = n % 2 == 0;
    if (set != setting && m.one_in(3)) continue;
    const INCRWC add{.rwc_a = m.field(4), .rwc_b = m.field(4), .rwc_d = m.field(4), .rwc_cr = m.one_of({0, 4})};
    if (set) {
      setting ? m.execute(set_rows(m)) : m.push(set_rows(m));
    } else {
      setting ? m.push(add) : m.execute(add);
    }
  }
  m.drain();
  m.show_counters();
  m.finish();
}

}  // namespace

void add_counter_bodies(Bodies& out) {
  out["SETADC"] = counting(set_one);
  out["SETADCXX"] = counting(set_ends);
  out["SETADCXY"] = counting(masked_xy<SETADCXY>);
  out["SETADCZW"] = counting(masked_zw<SETADCZW>);
  out["ADDRCRXY"] = counting(masked_xy<ADDRCRXY>);
  out["ADDRCRZW"] = counting(masked_zw<ADDRCRZW>);
  out["INCADCXY"] = counting(increment_xy);
  out["INCADCZW"] = counting(increment_zw);
  out["SETRWC"] = [](CaseMaker& m) { row_counters(m, true); };
  out["INCRWC"] = [](CaseMaker& m) { row_counters(m, false); };
}

}  // namespace kerr::oracle

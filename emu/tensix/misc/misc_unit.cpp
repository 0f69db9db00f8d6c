#include "emu/tensix/misc/misc_unit.hpp"

namespace kerr::emu::tensix {

template <class F>
void MiscUnit::for_each_unit(int thread, uint32_t thread_override, uint32_t units, F f) {
  const int target = thread_override == 0 ? thread : static_cast<int>(thread_override) - 1;
  for (int unit = 0; unit < kAdcUnits; ++unit) {
    if (units >> unit & 1) f(adcs_.of(target, static_cast<AdcUnit>(unit)));
  }
}

// One counter and its carriage return. The thread override aliases bits 17:16 of the value, which only X is wide enough
// to keep.
Issue MiscUnit::exec(int thread, const isa::tensix::SETADC& i) {
  for_each_unit(thread, i.value >> 16, i.cnt_set_mask,
                [&](Adc& adc) { adc.channel[i.channel][static_cast<Dimension>(i.dimension)].set(i.value); });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::SETADCXX& i) {
  for_each_unit(thread, 0, i.cnt_set_mask, [&](Adc& adc) {
    adc.channel[0].x.set(i.x_start);
    adc.channel[1].x.set(i.x_end2);
  });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::SETADCXY& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    if (i.bit_mask & 1) adc.channel[0].x.set(i.ch0_x);
    if (i.bit_mask & 2) adc.channel[0].y.set(i.ch0_y);
    if (i.bit_mask & 4) adc.channel[1].x.set(i.ch1_x);
    if (i.bit_mask & 8) adc.channel[1].y.set(i.ch1_y);
  });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::SETADCZW& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    if (i.bit_mask & 1) adc.channel[0].z.set(i.ch0_z);
    if (i.bit_mask & 2) adc.channel[0].w.set(i.ch0_w);
    if (i.bit_mask & 4) adc.channel[1].z.set(i.ch1_z);
    if (i.bit_mask & 8) adc.channel[1].w.set(i.ch1_w);
  });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::INCADCXY& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    adc.channel[0].x.increment(i.ch0_x);
    adc.channel[0].y.increment(i.ch0_y);
    adc.channel[1].x.increment(i.ch1_x);
    adc.channel[1].y.increment(i.ch1_y);
  });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::INCADCZW& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    adc.channel[0].z.increment(i.ch0_z);
    adc.channel[0].w.increment(i.ch0_w);
    adc.channel[1].z.increment(i.ch1_z);
    adc.channel[1].w.increment(i.ch1_w);
  });
  return Issue::done();
}

// Steps the carriage return and goes there.
Issue MiscUnit::exec(int thread, const isa::tensix::ADDRCRXY& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    if (i.bit_mask & 1) adc.channel[0].x.increment_cr(i.ch0_x);
    if (i.bit_mask & 2) adc.channel[0].y.increment_cr(i.ch0_y);
    if (i.bit_mask & 4) adc.channel[1].x.increment_cr(i.ch1_x);
    if (i.bit_mask & 8) adc.channel[1].y.increment_cr(i.ch1_y);
  });
  return Issue::done();
}

Issue MiscUnit::exec(int thread, const isa::tensix::ADDRCRZW& i) {
  for_each_unit(thread, i.thread_override, i.cnt_set_mask, [&](Adc& adc) {
    if (i.bit_mask & 1) adc.channel[0].z.increment_cr(i.ch0_z);
    if (i.bit_mask & 2) adc.channel[0].w.increment_cr(i.ch0_w);
    if (i.bit_mask & 4) adc.channel[1].z.increment_cr(i.ch1_z);
    if (i.bit_mask & 8) adc.channel[1].w.increment_cr(i.ch1_w);
  });
  return Issue::done();
}

}  // namespace kerr::emu::tensix

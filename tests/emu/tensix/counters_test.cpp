// Address counters and row counters have no window of their own: these tests look at the state and the units directly.
#include <gtest/gtest.h>

#include "emu/tensix/counters/row_counter_unit.hpp"
#include "emu/tensix/misc/misc_unit.hpp"
#include "emu/tensix/state/state.hpp"
#include "tests/emu/quiet_board.hpp"
#include "tests/emu/tensix/field_values.hpp"

namespace kerr::emu::tensix {

using isa::tensix::ADDRCRXY;
using isa::tensix::CLEARDVALID;
using isa::tensix::INCADCXY;
using isa::tensix::INCADCZW;
using isa::tensix::INCRWC;
using isa::tensix::SETADC;
using isa::tensix::SETADCXX;
using isa::tensix::SETADCXY;
using isa::tensix::SETADCZW;
using isa::tensix::SETRWC;

namespace {

class Counters : public ::testing::Test {
 protected:
  static constexpr int kThread = 1;

  template <class U, class I>
  void exec(U& unit, const I& i) {
    ASSERT_TRUE(unit.exec(kThread, i).is_done());
  }
  Adc& adc(AdcUnit unit, int thread = kThread) { return state.adcs.of(thread, unit); }
  Rwc& rwc() { return state.rwcs[kThread]; }
  void set_modifier(unsigned index, uint16_t ab, uint16_t dst) {
    state.config.write_thread(kThread, thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr.word + index, ab);
    state.config.write_thread(kThread, thread_cfg::ADDR_MOD_DST_SEC0_DestIncr.word + index, dst);
  }
  void apply(unsigned modifier, bool with_fidelity = true) {
    rwc().apply(state.config.thread(kThread), modifier, with_fidelity);
  }

  QuietBoard board;
  State state{board};
  MiscUnit misc{state.adcs};
  RowCounterUnit rows{state.config, state.rwcs, state.src_a, state.src_b, state.packer_signals};
};

using AddressCounters = Counters;
using RowCounters = Counters;
using AddressModifier = Counters;

TEST_F(AddressCounters, SetadcxxSetsTheSpanOfX) {
  exec(misc, SETADCXX{.x_start = 5, .x_end2 = 1023, .cnt_set_mask = 0b101});
  for (const AdcUnit u : {AdcUnit::Unpacker0, AdcUnit::Packer}) {
    EXPECT_EQ(adc(u).channel[0].x.value, 5u);
    EXPECT_EQ(adc(u).channel[0].x.cr, 5u);
    EXPECT_EQ(adc(u).channel[1].x.value, 1023u);
  }
  EXPECT_EQ(adc(AdcUnit::Unpacker1).channel[1].x.value, 0u);
  EXPECT_EQ(adc(AdcUnit::Unpacker0, 0).channel[1].x.value, 0u);
}

TEST_F(AddressCounters, ThreadOverrideNamesAnotherThread) {
  exec(misc, SETADCXY{.bit_mask = 8, .ch1_y = 6, .thread_override = 3, .cnt_set_mask = 1});
  EXPECT_EQ(adc(AdcUnit::Unpacker0, 2).channel[1].y.value, 6u);
  EXPECT_EQ(adc(AdcUnit::Unpacker0, 1).channel[1].y.value, 0u);
}

TEST_F(AddressCounters, SetadcSetsOneCounterAtItsWidth) {
  exec(misc, SETADC{.value = 0xFFFF, .dimension = 2, .channel = 1, .cnt_set_mask = 4});
  EXPECT_EQ(adc(AdcUnit::Packer).channel[1].z.value, 0x1FFFu);
  exec(misc, SETADC{.value = 0xFFFF, .dimension = 0, .channel = 0, .cnt_set_mask = 4});
  EXPECT_EQ(adc(AdcUnit::Packer).channel[0].x.value, 0xFFFFu);
}

TEST_F(AddressCounters, IncrementLeavesTheCarriageReturnAndAddcrGoesThere) {
  exec(misc, SETADCXY{.bit_mask = 0xF, .ch0_x = 1, .ch0_y = 2, .ch1_x = 3, .ch1_y = 4, .cnt_set_mask = 1});
  exec(misc, INCADCXY{.ch0_x = 7, .ch0_y = 7, .ch1_x = 7, .ch1_y = 7, .cnt_set_mask = 1});
  AdcChannel& ch0 = adc(AdcUnit::Unpacker0).channel[0];
  EXPECT_EQ(ch0.x.value, 8u);
  EXPECT_EQ(ch0.x.cr, 1u);
  exec(misc, ADDRCRXY{.bit_mask = 1, .ch0_x = 2, .ch0_y = 2, .cnt_set_mask = 1});
  EXPECT_EQ(ch0.x.value, 3u);
  EXPECT_EQ(ch0.x.cr, 3u);
  EXPECT_EQ(ch0.y.value, 9u) << "not in the mask";
  EXPECT_EQ(adc(AdcUnit::Unpacker0).channel[1].y.value, 11u);
}

TEST_F(AddressCounters, WrapAtTheirWidth) {
  adc(AdcUnit::Packer).channel[0].w.set(0x1FFF);
  exec(misc, INCADCZW{.ch0_w = 3, .cnt_set_mask = 4});
  EXPECT_EQ(adc(AdcUnit::Packer).channel[0].w.value, 2u);
  exec(misc, SETADCZW{.bit_mask = 2, .ch0_w = 7, .cnt_set_mask = 4});
  EXPECT_EQ(adc(AdcUnit::Packer).channel[0].w.cr, 7u);
}

TEST_F(AddressCounters, HoldEighteenBitsOfXAndThirteenOfTheOthers) {
  AdcChannel& ch1 = adc(AdcUnit::Unpacker1).channel[1];
  ch1.x.set(0x3FFFF), ch1.y.set(0x1FFF), ch1.z.set(0x1FFF), ch1.w.set(0x1FFF);
  EXPECT_EQ(ch1.x.value, 0x3FFFFu);
  exec(misc, INCADCXY{.ch1_x = 1, .ch1_y = 1, .cnt_set_mask = 2});
  exec(misc, INCADCZW{.ch1_z = 1, .ch1_w = 1, .cnt_set_mask = 2});
  for (const AdcCounter* c : {&ch1.x, &ch1.y, &ch1.z, &ch1.w}) EXPECT_EQ(c->value, 0u);
  EXPECT_EQ(ch1.x.cr, 0x3FFFFu) << "an increment leaves it";
  exec(misc, ADDRCRXY{.bit_mask = 0xF, .ch1_x = 1, .ch1_y = 2, .cnt_set_mask = 2});
  EXPECT_EQ(ch1.x.value, 0u);
  EXPECT_EQ(ch1.y.value, 1u);
}

TEST_F(RowCounters, SetrwcSetsNamedCountersAndTheirCarriageReturn) {
  exec(rows, SETRWC{.bit_mask = 0b0101, .rwc_a = 8, .rwc_b = 8, .rwc_d = 4});
  EXPECT_EQ(rwc().a, 8);
  EXPECT_EQ(rwc().a_cr, 8);
  EXPECT_EQ(rwc().b, 0);
  EXPECT_EQ(rwc().dst, 4);
  exec(rows, SETRWC{.bit_mask = 0b0001, .rwc_a = 8, .rwc_cr = 1});
  EXPECT_EQ(rwc().a, 16);
  exec(rows, SETRWC{.rwc_d = 3, .rwc_cr = 8});
  EXPECT_EQ(rwc().dst, 7) << "adds to itself without its mask bit";
}

TEST_F(RowCounters, SetrwcClearsFidelityAndReleasesBanks) {
  rwc().fidelity = 2;
  state.src_a.give_to_fpu(math::Format::Bf16);
  state.src_b.give_to_fpu(math::Format::Bf16);
  exec(rows, SETRWC{.bit_mask = 8, .clear_ab_vld = 1});
  EXPECT_EQ(rwc().fidelity, 0);
  EXPECT_EQ(state.src_a.owner(0), SrcRegister::Owner::Unpackers);
  EXPECT_EQ(state.src_a.fpu_index(), 1u);
  EXPECT_EQ(state.src_b.owner(0), SrcRegister::Owner::Fpu);
}

// tt-llk's table: "SFPU SP" in the mask, its value in the fields of the three counters.
TEST_F(RowCounters, SetrwcSetsTheStackPointerOfTheVectorUnit) {
  exec(rows, SETRWC{.bit_mask = 0b10000, .rwc_a = 0xD, .rwc_b = 0xC, .rwc_d = 0xF});
  EXPECT_EQ(rwc().sp, 0x3CD) << "ten bits of twelve";
  EXPECT_EQ(rwc().dst, 0);
  exec(rows, SETRWC{.bit_mask = 0b01111, .rwc_a = 1});
  EXPECT_EQ(rwc().sp, 0x3CD);
}

TEST_F(RowCounters, AReleaseCanKeepTheBankValid) {
  state.config.write_thread(kThread, thread_cfg::CLR_DVALID_SrcA_Disable.word, 1);
  state.src_a.give_to_fpu(math::Format::Bf16);
  exec(rows, SETRWC{.clear_ab_vld = 1});
  EXPECT_EQ(state.src_a.owner(0), SrcRegister::Owner::Fpu);
  EXPECT_EQ(state.src_a.fpu_index(), 1u);
}

TEST_F(RowCounters, IncrwcStepsAllThreeAndWraps) {
  rwc().b = 60;
  rwc().dst_cr = 100;
  exec(rows, INCRWC{.rwc_a = 1, .rwc_b = 5, .rwc_d = 8, .rwc_cr = 4});
  EXPECT_EQ(rwc().a, 1);
  EXPECT_EQ(rwc().b, 1);
  EXPECT_EQ(rwc().dst, 108);
  EXPECT_EQ(rwc().dst_cr, 108);
}

TEST_F(RowCounters, CleardvalidCanKeepThePointerOrStartOver) {
  state.src_b.give_to_fpu(math::Format::Bf16);
  exec(rows, CLEARDVALID{.reset = 2, .cleardvalid = 2});
  EXPECT_EQ(state.src_b.owner(0), SrcRegister::Owner::Unpackers);
  EXPECT_EQ(state.src_b.fpu_index(), 0u);
  state.src_b.give_to_fpu(math::Format::Bf16);
  exec(rows, CLEARDVALID{.reset = 1});
  EXPECT_EQ(state.src_b.unpack_index(), 0u);
  EXPECT_FALSE(state.src_b.fpu_may_read());
}

TEST_F(AddressModifier, AddsCarriesAndClears) {
  set_modifier(2, /*A += 8, B = cr += 32*/ 8 | (32 | 1 << 6) << 8, /*D += 16, fidelity += 1*/ 16 | 1 << 13);
  rwc().b = 5;
  rwc().b_cr = 16;
  apply(2);
  EXPECT_EQ(rwc().a, 8);
  EXPECT_EQ(rwc().a_cr, 0);
  EXPECT_EQ(rwc().b, 48);
  EXPECT_EQ(rwc().b_cr, 48);
  EXPECT_EQ(rwc().dst, 16);
  EXPECT_EQ(rwc().fidelity, 1);
  apply(2, false);
  EXPECT_EQ(rwc().fidelity, 1) << "loads and stores of the vector unit leave it alone";
  set_modifier(3, 0x8080, 1 << 11 | 1 << 15);
  apply(3);
  EXPECT_EQ(rwc().a, 0);
  EXPECT_EQ(rwc().b_cr, 0);
  EXPECT_EQ(rwc().dst, 0);
  EXPECT_EQ(rwc().fidelity, 0);
}

TEST_F(AddressModifier, CounterToCarriageReturnMovesBoth) {
  set_modifier(0, 0, 4 | 1 << 12);
  rwc().dst = 10;
  apply(0);
  EXPECT_EQ(rwc().dst, 14);
  EXPECT_EQ(rwc().dst_cr, 14);
}

TEST_F(AddressModifier, NegativeDstStepsAreModulo1024) {
  set_modifier(0, 0, 1024 - 8);
  rwc().dst = 4;
  apply(0);
  EXPECT_EQ(rwc().dst, 1020);
}

}  // namespace
}  // namespace kerr::emu::tensix

// Instructions of the matrix unit that the reference simulator refuses or accepts in part: expectations from the ISA
// pages, by small models of their own. The unit alone, on state that the tests can see.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "emu/math/dot_product.hpp"
#include "emu/math/fpu_mode.hpp"
#include "emu/tensix/counters/row_counter_unit.hpp"
#include "emu/tensix/fpu/fpu.hpp"
#include "emu/tensix/fpu/max_pool.hpp"
#include "emu/tensix/state/state.hpp"
#include "tests/emu/quiet_board.hpp"
#include "tests/emu/tensix/field_values.hpp"

namespace kerr::emu::tensix {

using namespace isa::tensix;

namespace {

class MatrixUnit : public ::testing::Test {
 protected:
  static constexpr int kThread = 1;

  MatrixUnit() {
    state.src_a.give_to_fpu(math::Format::Bf16);
    state.src_b.give_to_fpu(math::Format::Bf16);
  }

  template <class I>
  Issue exec(const I& i) {
    return fpu.exec(kThread, i);
  }
  bool all_valid(unsigned first, unsigned count) const {
    for (unsigned row = first; row < first + count; ++row) {
      if (!state.dst.valid(row)) return false;
    }
    return true;
  }
  template <class I>
  void done(const I& i) {
    const Issue issue = exec(i);
    ASSERT_TRUE(issue.is_done()) << (issue.problem() ? issue.problem()->what : issue.why());
  }
  void expect_unsupported(const Issue& issue) {
    ASSERT_EQ(issue.kind(), Issue::Kind::Fault);
    EXPECT_EQ(issue.problem()->category, FaultCategory::Unsupported);
  }
  Rwc& rwc() { return state.rwcs[kThread]; }
  void thread_config(FieldValue v) {
    const uint32_t old = state.config.thread(kThread).words[v.field.word];
    state.config.write_thread(kThread, v.field.word, static_cast<uint16_t>(v.field.set(old, v.value)));
  }
  void config(const std::vector<FieldValue>& fields) {
    for (const auto& [field, value] : fields) state.config.write_bits(0, field.word, field.of(value), field.mask());
  }
  void formats(DataFormat a, DataFormat b) {
    config({{cfg::ALU_FORMAT_SPEC_REG0_SrcA, a}, {cfg::ALU_FORMAT_SPEC_REG1_SrcB, b}});
  }
  void formats(math::Format f) {  // of both banks, as configured instead of implied
    thread_config({thread_cfg::DISABLE_IMPLIED_SRCA_FMT_Base, 1});
    thread_config({thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base, 1});
    config({{whole(cfg::ALU_FORMAT_SPEC_REG0_SrcA), 0}});
    formats(f, f);
  }
  static constexpr arch::ConfigField kMathOffset = thread_cfg::DEST_TARGET_REG_CFG_MATH_Offset;

  math::Cell& a(unsigned row, unsigned column) { return state.src_a.fpu_bank().cells[row][column]; }
  math::Cell& b(unsigned row, unsigned column) { return state.src_b.fpu_bank().cells[row][column]; }
  uint32_t dst_32(unsigned row, unsigned column) {
    const unsigned p = math::dst_row_32(row);
    return uint32_t{state.dst.row(p)[column]} << 16 | state.dst.row(p + 8)[column];
  }
  void set_dst_32(unsigned row, unsigned column, uint32_t raw) {
    const unsigned p = math::dst_row_32(row);
    state.dst.row(p)[column] = static_cast<uint16_t>(raw >> 16);
    state.dst.row(p + 8)[column] = static_cast<uint16_t>(raw);
  }
  void fill_randomly() {
    for (unsigned r = 0; r < 64; ++r) {
      for (unsigned c = 0; c < 16; ++c) {
        a(r, c) = any_bf16();
        b(r, c) = any_bf16();
      }
    }
    state.src_a.fpu_bank().changed();
    state.src_b.fpu_bank().changed();
    for (unsigned r = 0; r < Dst::kRows; ++r) {
      for (unsigned c = 0; c < 16; ++c) state.dst.row(r)[c] = math::encode_bf16(math::bf16_from_cell(any_bf16()));
    }
  }
  math::Cell any_bf16() { return math::make_cell(random() & 1, 120 + random() % 16, random() % 128 << 3); }

  std::mt19937 random{1};
  QuietBoard board;
  State state{board};
  LaneConfig lanes;
  Fpu fpu{state.config, state.rwcs, state.src_a, state.src_b, state.dst, lanes};
};

// ---------------------------------------------------------------- MVMUL, DOTPV

TEST_F(MatrixUnit, MvmulBroadcastAddsOneProductToEveryOtherRow) {
  fill_randomly();
  rwc().b = 13;
  rwc().a = 16;
  uint16_t before[8][16], expected[16];
  std::copy_n(state.dst.row(40), 8 * 16, before[0]);
  math::FpuMode mode;
  for (const unsigned odd : {0u, 1u}) {
    for (unsigned r = odd; r < 8; r += 2) {
      std::copy_n(before[r], 16, expected);
      math::dot_product_reference(mode, state.src_a.fpu_bank(), 16, state.src_b.fpu_bank(), 13, {expected, nullptr}, 1);
      std::copy_n(expected, 16, before[r]);
    }
    done(MVMUL{.dst = 40 + 6 + odd, .instr_mod19 = 1});  // bits 1 and 2 of the row do not count
    for (unsigned r = 0; r < 8; ++r) {
      EXPECT_TRUE(std::equal(before[r], before[r] + 16, state.dst.row(40 + r))) << odd << " row " << r;
    }
  }
}

// A later state of the reference simulator, after its author's comparison with the chip's RTL.
TEST_F(MatrixUnit, MvmulBroadcastMarksTheRowsThatItDoesNotWrite) {
  for (const bool wide : {false, true}) {
    for (const unsigned odd : {0u, 1u}) {
      fill_randomly();
      formats(math::Format::Bf16);
      if (wide) config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
      state.dst.set_valid(0, Dst::kRows, false);
      done(MVMUL{.dst = 40 + odd, .instr_mod19 = 1});
      const unsigned even = 1 - odd;
      for (unsigned r = 0; r < 8; ++r) {
        const bool valid = r == odd || r == 4 + odd || r == 6 + odd || r == 4 + even || r == 6 + even;
        EXPECT_EQ(state.dst.valid(wide ? math::dst_row_32(40 + r) : 40 + r), valid)
            << wide << " " << odd << " row " << r;
      }
      state.dst.set_valid(0, Dst::kRows, true);
      done(MVMUL{.dst = 40 + odd, .instr_mod19 = 1});
      EXPECT_TRUE(all_valid(0, Dst::kRows)) << "a flag that was set stays set";
    }
  }
}

TEST_F(MatrixUnit, DotpvIsMvmulWithOrWithoutItsAccumulateBit) {
  fill_randomly();
  std::copy_n(state.dst.row(0), 8 * 16, state.dst.row(8));
  std::copy_n(state.dst.row(0), 8 * 16, state.dst.row(16));
  done(MVMUL{.dst = 0});
  done(DOTPV{.dst = 8});
  done(DOTPV{.dst = 16, .dest_accum_en = 1});
  EXPECT_TRUE(std::equal(state.dst.row(0), state.dst.row(8), state.dst.row(8)));
  EXPECT_TRUE(std::equal(state.dst.row(0), state.dst.row(8), state.dst.row(16)));
}

TEST_F(MatrixUnit, TheSrcAOverrideReplacesTheConfiguredFormatOnly) {
  fill_randomly();
  config({{cfg::ALU_FORMAT_SPEC_REG_SrcA_val, DataFormat::Fp16}, {cfg::ALU_FORMAT_SPEC_REG_SrcA_override, 1}});
  done(MVMUL{});  // the implied format of the bank still wins
  uint16_t implied[16];
  std::copy_n(state.dst.row(0), 16, implied);
  math::FpuMode fp16{.src_a = math::Format::Fp16, .src_b = math::Format::Fp16};
  formats(math::Format::Bf16);
  formats(DataFormat::Bf16, DataFormat::Fp16);
  uint16_t expected[8 * 16];
  std::copy_n(state.dst.row(8), 8 * 16, expected);
  math::dot_product_reference(fp16, state.src_a.fpu_bank(), 0, state.src_b.fpu_bank(), 0, {expected, nullptr}, 8);
  done(MVMUL{.dst = 8});
  EXPECT_TRUE(std::equal(expected, expected + 8 * 16, state.dst.row(8)));
}

TEST_F(MatrixUnit, TheSrcBOverrideReplacesTheConfiguredFormatOnly) {
  const math::Cell one = math::make_cell(false, 15, 0);
  std::fill_n(&a(0, 0), 64 * 16, one);
  std::fill_n(&b(0, 0), 64 * 16, one);
  formats(math::Format::Fp16);
  formats(DataFormat::Fp16, DataFormat::Bf16);
  expect_unsupported(exec(ELWADD{.dst = 8}));  // exponents of different width
  config({{cfg::ALU_FORMAT_SPEC_REG_SrcB_val, DataFormat::Fp16}, {cfg::ALU_FORMAT_SPEC_REG_SrcB_override, 1}});
  done(ELWADD{.dst = 8});
  EXPECT_EQ(state.dst.row(8)[0], math::encode_fp16(0x4000));
  thread_config({thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base, 0});
  expect_unsupported(exec(ELWADD{.dst = 8}));  // the implied format of the bank, BF16, still wins
}

// The author of the reference simulator on the masking of its first versions: "appears to have been fully removed" in
// Blackhole (ttsim issue 14).
TEST_F(MatrixUnit, ACellTakesPartWithAllItsBitsWhateverItsFormat) {
  const math::Cell fine = math::make_cell(false, 127, 5), one = math::make_cell(false, 127, 0);
  for (unsigned r = 0; r < 64; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(r, c) = r == c ? fine : 0, b(r, c) = fine;
  }
  formats(math::Format::Bf16);
  config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
  const auto value = [&](unsigned row) { return math::decode_32(dst_32(row, 3)); };
  const uint32_t fine_as_float = math::fp32_from_cell(fine);
  done(ELWADD{.dst = 0});  // SrcA row 0 is zero in column 3
  EXPECT_EQ(value(0), fine_as_float);
  std::fill_n(&a(0, 0), 64 * 16, one);
  state.src_a.fpu_bank().changed();
  for (unsigned r = 8; r < 64; ++r) std::fill_n(state.dst.row(r), 16, 0);
  for (const unsigned phase : {0u, 2u}) {
    rwc().fidelity = static_cast<uint8_t>(phase);
    done(ELWMUL{.dst = 8});
  }
  EXPECT_EQ(value(8), fine_as_float);
  rwc().fidelity = 0;
  formats(DataFormat::Tf32, DataFormat::Bf16);
  done(MOVB2D{.dst = 24, .movb2d_instr_mod = 4});
  EXPECT_EQ(value(24), fine_as_float);
}

TEST_F(MatrixUnit, Fp16ForceOverridesFormatAndDstWidth) {
  fill_randomly();
  thread_config({thread_cfg::DISABLE_IMPLIED_SRCB_FMT_Base, 1});
  config({{cfg::ALU_FORMAT_SPEC_REG1_SrcB, DataFormat::Fp16},
          {cfg::ALU_ACC_CTRL_Fp32_enabled, 1},
          {cfg::ALU_ACC_CTRL_INT8_math_enabled, 1}});
  thread_config({thread_cfg::FP16A_FORCE_Enable, 1});
  math::FpuMode fp16{.src_a = math::Format::Fp16, .src_b = math::Format::Fp16};
  uint16_t expected[8 * 16];
  std::copy_n(state.dst.row(8), 8 * 16, expected);
  math::dot_product_reference(fp16, state.src_a.fpu_bank(), 0, state.src_b.fpu_bank(), 0, {expected, nullptr}, 8);
  done(MVMUL{.dst = 8});
  EXPECT_TRUE(std::equal(expected, expected + 8 * 16, state.dst.row(8)));
}

// ---------------------------------------------------------------- GMPOOL

int32_t total_order(uint32_t v) { return static_cast<int32_t>(v >> 31 ? v ^ 0x7FFFFFFF : v); }

// The reference simulator's rule, for a scale of one: the largest 32-bit pattern in a total order.
TEST_F(MatrixUnit, MaxPoolWithScaleOneIsTheTotalOrderOfBitPatterns) {
  constexpr math::Cell kOne = math::make_cell(false, 127, 0);
  math::Cell ones[16];
  std::fill_n(ones, 16, kOne);
  for (const bool wide : {false, true}) {
    for (const math::Format format : {math::Format::Bf16, math::Format::Tf32}) {
      MaxPoolMode mode;
      ASSERT_EQ(choose_max_pool_mode({.src_a = format, .fp32_dst = wide}, false, mode), nullptr);
      for (int n = 0; n < 20000; ++n) {
        math::Cell column[16];
        for (math::Cell& c : column) {
          c = static_cast<math::Cell>(random()) & math::kCellMask;
          if (random() % 4 == 0) c &= math::kCellSign | 0x3FF;  // zeros and denormals
          if (random() % 4 == 0) c |= 0x3FC00;                  // infinities and NaN
        }
        uint32_t dst = static_cast<uint32_t>(random());
        if (random() % 4 == 0) dst &= 0xFF00FFFF;
        if (random() % 8 == 0) dst = 0xFFFFFFFF;
        uint32_t best = wide ? math::decode_32(dst) & 0xFFFFE000
                             : uint32_t{math::decode_bf16(static_cast<uint16_t>(dst >> 16))} << 16;
        for (const math::Cell c : column) {
          math::Cell trimmed = math::trim(c, format);
          if (math::cell_exponent(trimmed) == 0) trimmed = 0;
          if (total_order(math::fp32_from_cell(trimmed)) > total_order(best)) best = math::fp32_from_cell(trimmed);
        }
        uint32_t expected = math::encode_32(best);
        uint32_t got = max_pool(mode, dst & (wide ? ~0u : 0xFFFF0000), column, ones);
        if (!wide) expected &= 0xFFFF0000, got &= 0xFFFF0000;
        ASSERT_EQ(got, expected) << math::name_of(format) << " wide " << wide;
      }
    }
  }
}

TEST_F(MatrixUnit, GmpoolScalesByPowersOfTwoAndCountsFromInvalidRows) {
  formats(math::Format::Bf16);
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(16 + r, c) = math::make_cell(false, 127 + r, 0);  // 2^r
    b(8, r) = math::make_cell(true, 127 - 2 * r, 0x3FF);  // 2^-2r: sign, mantissa ignored
  }
  b(8, 0) = math::make_cell(false, 0, 5);  // takes the first row out
  rwc().a = 16 + 5;                        // 16 rows, aligned
  rwc().b = 8 + 3;                         // one row of an aligned eight
  state.dst.set_valid(4, 4, false);
  std::fill_n(state.dst.row(5), 16, 0x1234);
  done(GMPOOL{.dst = 4, .instr_mod19 = 1});
  for (unsigned c = 0; c < 16; ++c) {
    EXPECT_EQ(state.dst.row(4)[c], math::encode_bf16(0x3F00)) << "2^1 * 2^-2";
    EXPECT_EQ(state.dst.row(5)[c], 0u);
  }
  EXPECT_TRUE(all_valid(4, 4));
  for (unsigned c = 0; c < 16; ++c) b(8, c) = 0;
  state.dst.set_valid(4, 1, false);
  done(GMPOOL{.dst = 4, .instr_mod19 = 1});
  EXPECT_EQ(state.dst.row(4)[0], 0xFFFF) << "nothing is left but the invalid row's all ones";
}

TEST_F(MatrixUnit, GmpoolTellsTheIndexBesideTheValue) {
  formats(math::Format::Bf16);
  config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(r, c) = math::make_cell(false, 100 + (r == c % 8 ? 20 : r % 3), 0);
    b(0, r) = math::make_cell(false, 127, 0);
  }
  for (unsigned c = 0; c < 16; ++c) {
    set_dst_32(0, c, 0x00000200);  // zero, and a second pass: the phase counts up from 0x200
    set_dst_32(1, c, 0x00000200);
  }
  done(GMPOOL{.dst = 0, .max_pool_index_en = 1, .instr_mod19 = 1});
  constexpr unsigned kPlace[] = {0, 3, 6, 1, 4, 7, 2, 5};
  for (unsigned c = 0; c < 16; ++c) {
    EXPECT_EQ(dst_32(0, c) >> 16, math::encode_bf16(120 << 7)) << c;
    EXPECT_EQ(dst_32(0, c) & 0xFFFF, 0x300u | (0x30 + kPlace[c % 8])) << c;
    EXPECT_EQ(dst_32(1, c), 0x300u) << "the other rows count their phase";
  }
}

TEST_F(MatrixUnit, GmpoolOfTf32WithIndexGivesTheIndexAlone) {
  formats(math::Format::Tf32);
  config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(r, c) = math::make_cell(false, 100, r == 2 || r == 9 ? 7 : 1);
    b(0, r) = math::make_cell(false, 127, 0);
  }
  for (unsigned c = 0; c < 16; ++c) set_dst_32(0, c, 0);
  done(GMPOOL{.dst = 0, .max_pool_index_en = 1, .instr_mod19 = 1});
  EXPECT_EQ(dst_32(0, 0), 0x100u | (0x10 + 6)) << "row 9 ties and replaces the value, but rows from 8 on have no index";
}

TEST_F(MatrixUnit, GmpoolOfIntegersComparesMagnitudesAndKeepsThirteenBits) {
  config({{cfg::ALU_ACC_CTRL_INT8_math_enabled, 1}});
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(r, c) = math::make_cell(c & 1, 16, 3 + r);
    b(0, r) = r == 15 ? 0 : math::make_cell(false, 99, 0);  // the last row does not take part
  }
  for (unsigned c = 0; c < 16; ++c) set_dst_32(0, c, math::encode_32(c < 8 ? 0x80000001 : 0x12345));
  done(GMPOOL{.dst = 0, .instr_mod19 = 1});
  EXPECT_EQ(math::decode_32(dst_32(0, 0)), 3u + 14) << "largest positive";
  EXPECT_EQ(math::decode_32(dst_32(0, 1)), 0x80000001u) << "-1 is larger than -3";
  EXPECT_EQ(math::decode_32(dst_32(0, 8)), 0x12345u & 0x1FFF) << "Dst was larger, cut to 13 bits";
}

TEST_F(MatrixUnit, GmpoolOfFp16ScalesWithFiveBitExponents) {
  formats(math::Format::Fp16);
  for (unsigned r = 0; r < 16; ++r) {
    for (unsigned c = 0; c < 16; ++c) a(r, c) = math::cell_from_fp16(static_cast<uint16_t>(0x3C00 + r));
    b(0, r) = math::cell_from_fp16(0x4000);  // 2.0
  }
  std::fill_n(state.dst.row(0), 16, math::encode_fp16(0xC000));
  done(GMPOOL{.dst = 0, .instr_mod19 = 1});
  EXPECT_EQ(state.dst.row(0)[3], math::encode_fp16(0x400F));
  config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
  expect_unsupported(exec(GMPOOL{.dst = 0, .instr_mod19 = 1}));
}

// ---------------------------------------------------------------- moves

TEST_F(MatrixUnit, MovdbgDoesNotWaitForItsBank) {
  state.src_a.release(false);  // on to a bank that the unpackers own
  a(0, 3) = math::make_cell(false, 127, 0);
  formats(math::Format::Bf16);
  EXPECT_EQ(exec(MOVA2D{.dst = 2}).kind(), Issue::Kind::Wait);
  done(MOVDBGA2D{.dst = 2});
  EXPECT_EQ(state.dst.row(2)[3], math::encode_bf16(0x3F80));
}

TEST_F(MatrixUnit, BlockDestMovKeepsMovesOutOfColumns) {
  fill_randomly();
  formats(math::Format::Bf16);
  lanes.set(1, 1u << 9);  // column 2
  lanes.set(7, 3u << 9);  // columns 14 and 15
  const auto is_blocked = [](unsigned c) { return c == 2 || c == 14 || c == 15; };
  uint16_t dst_before[16];
  math::Cell a_before[16];
  std::copy_n(state.dst.row(4), 16, dst_before);
  std::copy_n(&a(8, 0), 16, a_before);
  done(MOVA2D{.dst = 4, .src = 1});
  done(MOVD2A{.dst = 30, .src = 8});
  done(MOVB2D{.dst = 5, .src = 1});
  done(MOVD2B{.dst = 30, .src = 8});
  for (unsigned c = 0; c < 16; ++c) {
    EXPECT_EQ(state.dst.row(4)[c], is_blocked(c) ? dst_before[c] : math::encode_bf16(math::bf16_from_cell(a(1, c))))
        << c;
    EXPECT_EQ(a(8, c), is_blocked(c) ? a_before[c] : math::cell_from_bf16(math::decode_bf16(state.dst.row(30)[c])))
        << c;
    EXPECT_EQ(b(8, c) == math::cell_from_bf16(math::decode_bf16(state.dst.row(30)[c])), !is_blocked(c)) << c;
  }
  lanes.set(1, 0);
  lanes.set(7, 0);
  EXPECT_EQ(lanes.blocked_move_columns, 0u);
}

// tensix-datapath.md 10: what compiled normalisation kernels do with DBG_FEATURE_DISABLE bit 11.
TEST_F(MatrixUnit, MovesOfTheLowHalfGoWithSixteenBitAccessesToTheHighHalf) {
  formats(math::Format::Bf16);
  state.dst.set_high_half(true);
  set_dst_32(20, 5, uint32_t{math::encode_bf16(0x4040)} << 16 | math::encode_bf16(0x3F80));
  done(MOVD2B{.dst = 20, .src = 0});
  EXPECT_EQ(b(0, 5), math::cell_from_bf16(0x4040)) << "a 16-bit access sees the high half of the 32-bit view";
  done(MOVD2B{.dst = 20, .src = 0, .dest_32b_lo = 1});
  EXPECT_EQ(b(0, 5), math::cell_from_bf16(0x3F80));
  done(MOVB2D{.dst = 21, .src = 0, .dest_32b_lo = 1});
  EXPECT_EQ(dst_32(21, 5) & 0xFFFF, math::encode_bf16(0x3F80));
  EXPECT_EQ(dst_32(21, 5) >> 16, 0u);
}

TEST_F(MatrixUnit, Mova2dTakesEveryDatumAsTf32WhileDstHasFloatsOf32Bits) {
  const math::Cell datum = math::make_cell(true, 130, 0x155);
  for (const math::Format format : {math::Format::Bf16, math::Format::Tf32, math::Format::Bfp8, math::Format::Fp16}) {
    for (unsigned r = 0; r < 8; ++r) std::fill_n(&a(r, 0), 16, datum);
    formats(format);
    config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
    state.dst.set_valid(0, Dst::kRows, false);
    for (unsigned r = 0; r < 32; ++r) std::fill_n(state.dst.row(r), 16, 0x1234);
    done(MOVA2D{.dst = 8, .instr_mod = 2});
    for (unsigned r = 8; r < 16; ++r) {
      EXPECT_EQ(math::decode_32(dst_32(r, 7)), math::fp32_from_cell(datum)) << math::name_of(format) << " row " << r;
      EXPECT_TRUE(state.dst.valid(math::dst_row_32(r)));
      EXPECT_FALSE(state.dst.valid(r)) << "not the 16-bit row " << r;
      EXPECT_EQ(state.dst.row(r)[7], 0x1234) << "not the 16-bit row " << r;
    }
  }
}

// tt-metal pull request 47311: "it also clears zero flags for the corresponding half address, even though no data is
// written".
TEST_F(MatrixUnit, Mova2dOfLowHalvesShowsClearedRowsOf16BitsAgain) {
  const math::Cell datum = math::cell_from_bf16(0x3F80);
  for (unsigned r = 0; r < 8; ++r) std::fill_n(&a(r, 0), 16, datum);
  formats(math::Format::Bf16);
  std::fill_n(state.dst.row(0), 64 * 16, 0x3424);
  done(ZEROACC{.where = 1, .addr_mode = 7, .clear_mode = 1});  // rows 16 to 31
  done(MOVA2D{.dst = 16, .instr_mod = 2, .dest_32b_lo = 1});   // the 32-bit rows there are rows 32 to 47
  for (unsigned r = 0; r < 64; ++r) {
    EXPECT_EQ(state.dst.valid(r), r < 24 || r >= 32) << r;
    EXPECT_EQ(state.dst.row(r)[9], r >= 40 && r < 48 ? math::encode_bf16(0x3F80) : 0x3424) << r;
  }
  state.dst.set_valid(16, 16, false);
  config({{cfg::ALU_ACC_CTRL_INT8_math_enabled, 1}});
  done(MOVA2D{.dst = 16, .instr_mod = 2, .dest_32b_lo = 1});
  for (unsigned r = 16; r < 32; ++r)
    EXPECT_FALSE(state.dst.valid(r)) << "a Dst of 32 bits has its flags in order " << r;
}

TEST_F(MatrixUnit, Mova2dOfLowHalvesIntoFloatsOf32BitsIsUnsupported) {
  formats(math::Format::Bf16);
  config({{cfg::ALU_ACC_CTRL_Fp32_enabled, 1}});
  expect_unsupported(exec(MOVA2D{.instr_mod = 2, .dest_32b_lo = 1}));
  expect_unsupported(exec(MOVDBGA2D{.instr_mod = 2, .dest_32b_lo = 1}));
  done(MOVA2D{.instr_mod = 2});
}

// ---------------------------------------------------------------- shifts

TEST_F(MatrixUnit, ShiftxaReadsTheRowsThatTheLastInstructionComputed) {
  fill_randomly();
  formats(math::Format::Bf16);
  math::Cell before[64][16];
  std::copy_n(state.src_a.fpu_bank().cells[0], 64 * 16, before[0]);
  done(MOVA2D{.dst = 0, .src = 37});  // row 37: the block of rows 32 to 47
  done(SHIFTXA{.shift_mode = 2});
  for (unsigned r = 0; r < 16; ++r) {
    EXPECT_EQ(a(r, 0), 0u);
    for (unsigned c = 1; c < 16; ++c) EXPECT_EQ(a(r, c), before[32 + r][c - 1]);
    EXPECT_EQ(a(32 + r, 4), before[32 + r][4]) << "the source stays";
  }
  rwc().a = 5;
  done(MVMUL{});  // computes row 5: rows 0 to 15, in place
  std::copy_n(state.src_a.fpu_bank().cells[0], 64 * 16, before[0]);
  done(SHIFTXA{.shift_mode = 3});
  for (unsigned r = 0; r < 16; ++r) {
    EXPECT_EQ(a(r, 15), 0u);
    for (unsigned c = 0; c < 15; ++c) EXPECT_EQ(a(r, c), before[r][c + 1]);
  }
  expect_unsupported(exec(SHIFTXA{.shift_mode = 1}));
}

TEST_F(MatrixUnit, ShiftxbRotatesOrShiftsOneRow) {
  fill_randomly();
  math::Cell before[16];
  std::copy_n(&b(1, 0), 16, before);
  rwc().b = 60;
  thread_config({thread_cfg::ADDR_MOD_AB_SEC0_SrcBIncr, 3});
  done(SHIFTXB{.shift_row = 5});
  for (unsigned c = 0; c < 16; ++c) EXPECT_EQ(b(1, c), before[(c + 1) % 16]);
  EXPECT_EQ(rwc().b, 63u);
  done(SHIFTXB{.shift_row = 2, .rot_shift = 1});
  for (unsigned c = 0; c < 14; ++c) EXPECT_EQ(b(1, c), before[c + 2]);
  EXPECT_EQ(b(1, 15), 0u);
}

// ---------------------------------------------------------------- legacy

TEST_F(MatrixUnit, NeuteredInstructionsWaitStepCountersAndReleaseBanks) {
  thread_config({thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr, 3});
  done(CONV3S1{.clear_dvalid = 1});
  EXPECT_EQ(rwc().a, 3u);
  EXPECT_EQ(exec(APOOL3S2{}).kind(), Issue::Kind::Wait) << "SrcA was given back";
  EXPECT_EQ(rwc().a, 3u);
  state.src_a.give_to_fpu(math::Format::Bf16);
  state.src_a.give_to_fpu(math::Format::Bf16);
  done(APOOL3S1{.clear_dvalid = 2});
  EXPECT_EQ(exec(MFCONV3S1{}).waits_for(), wait::kSrcB);
}

// Measured on a P150 (tt-metal pull request 54295): the half is bit 9 of row offset + block number.
TEST_F(MatrixUnit, ZeroaccOfSixteenRowsTakesTheHalfFromTheSumOfOffsetAndBlock) {
  const struct {
    unsigned offset, block, cleared;
  } measured[] = {{480, 31, 31}, {488, 31, 63}, {496, 31, 63}, {496, 0, 0},   {496, 15, 15},
                  {496, 16, 48}, {0, 31, 31},   {512, 0, 32},  {512, 31, 63}, {1008, 15, 47}};
  for (const auto& m : measured) {
    for (const unsigned by_counter : {0u, 32u, m.offset}) {  // the sum takes the row counter as it takes MATH_Offset
      if (by_counter > m.offset) continue;
      state.dst.set_valid(0, Dst::kRows, true);
      thread_config({kMathOffset, m.offset - by_counter});
      rwc().dst = by_counter;
      done(ZEROACC{.where = m.block, .addr_mode = 7, .clear_mode = 1});
      for (unsigned block = 0; block < 64; ++block) {
        EXPECT_EQ(all_valid(16 * block, 16), block != m.cleared)
            << "offset " << m.offset << " block " << m.block << ": block " << block;
      }
    }
  }
}

TEST_F(MatrixUnit, ZeroaccOfSixteenRowsOf32BitsTakesTheHalfFromTheOffset) {
  const struct {
    unsigned offset, block, cleared;
  } cases[] = {{240, 15, 15}, {240, 0, 0}, {248, 8, 8}, {256, 0, 16}, {512, 3, 19}, {752, 15, 31}};
  for (const auto& m : cases) {
    state.dst.set_valid(0, Dst::kRows, true);
    thread_config({kMathOffset, m.offset});
    done(ZEROACC{.where = m.block, .addr_mode = 7, .use_32_bit_mode = 1, .clear_mode = 1});
    for (unsigned block = 0; block < 32; ++block) {
      EXPECT_EQ(all_valid(32 * block, 8), block != m.cleared)
          << "offset " << m.offset << " block " << m.block << ": block " << block;
      EXPECT_EQ(all_valid(32 * block + 16, 8), block != m.cleared) << block;
      EXPECT_TRUE(all_valid(32 * block + 8, 8)) << "flags of low halves stay, block " << block;
    }
  }
}

TEST_F(MatrixUnit, ZeroaccInAbsoluteModeTakesTheBlockAsItIs) {
  config({{cfg::DEST_ACCESS_CFG_zeroacc_absolute_tile_mode, 1}});
  for (const unsigned offset : {0u, 488u, 496u, 512u, 1008u}) {
    for (const unsigned block : {0u, 16u, 31u, 32u, 63u}) {
      state.dst.set_valid(0, Dst::kRows, true);
      thread_config({kMathOffset, offset});
      done(ZEROACC{.where = block, .addr_mode = 7, .clear_mode = 1});
      for (unsigned b = 0; b < 64; ++b) EXPECT_EQ(all_valid(16 * b, 16), b != block) << offset << " " << b;
    }
  }
}

TEST_F(MatrixUnit, ZeroaccOfOneRowCountsInRowsAndOfAHalfInHalves) {
  thread_config({kMathOffset, 496});
  rwc().dst = 8;
  done(ZEROACC{.where = 31, .addr_mode = 7});
  for (unsigned row = 0; row < Dst::kRows; ++row) EXPECT_EQ(state.dst.valid(row), row != 496 + 8 + 31) << row;
  for (const unsigned half : {0u, 1u}) {
    state.dst.set_valid(0, Dst::kRows, true);
    done(ZEROACC{.where = half, .addr_mode = 7, .clear_mode = 2});
    EXPECT_EQ(all_valid(0, 512), half != 0);
    EXPECT_EQ(all_valid(512, 512), half != 1);
  }
}

// tt-llk's table: "bits 23:22 ... if they are nonzero, this instruction will cause srcA and/or srcB data valid to be
// cleared".
TEST_F(MatrixUnit, ZeroaccReleasesBanksInEveryMode) {
  for (const uint32_t mode : {0u, 1u, 2u, 3u}) {
    for (const uint32_t banks : {0u, 1u, 2u, 3u}) {
      state.src_a.reset_ownership();
      state.src_b.reset_ownership();
      state.src_a.give_to_fpu(math::Format::Bf16);
      state.src_b.give_to_fpu(math::Format::Bf16);
      done(ZEROACC{.where = 1, .addr_mode = 7, .clear_mode = mode, .clear_dvalid = banks});
      EXPECT_EQ(state.src_a.fpu_may_read(), (banks & 1) == 0) << mode;
      EXPECT_EQ(state.src_b.fpu_may_read(), (banks & 2) == 0) << mode;
      EXPECT_EQ(state.src_a.fpu_index(), banks & 1);
    }
  }
}

TEST_F(MatrixUnit, WhatNoSourceDescribesIsUnsupported) {
  expect_unsupported(exec(TRNSPSRCA{}));
  expect_unsupported(exec(RAREB{}));
  expect_unsupported(exec(SETASHRMH0{}));
  expect_unsupported(exec(SETASHRMH1{}));
  expect_unsupported(exec(SETASHRMV{}));
  expect_unsupported(exec(SETASHRMH{}));
  expect_unsupported(exec(SETPKEDGOF{}));
  expect_unsupported(exec(SETIBRWC{}));
  expect_unsupported(exec(MOVDBGB2D{}));
  expect_unsupported(exec(MPOOL3S1{}));
  expect_unsupported(exec(MPOOL3S2{}));
}

TEST_F(MatrixUnit, ClrexphistClearsTheHistogram) {
  RowCounterUnit unit{state.config, state.rwcs, state.src_a, state.src_b, state.packer_signals};
  for (int n = 0; n < 300; ++n) state.packer_signals.note_exponent(33, true);
  state.packer_signals.note_exponent(200, false);
  EXPECT_EQ(state.packer_signals.exponent_histogram[1], 255u) << "saturates";
  EXPECT_EQ(state.packer_signals.largest_exponent, 200u);
  ASSERT_TRUE(unit.exec(kThread, CLREXPHIST{}).is_done());
  EXPECT_EQ(state.packer_signals.exponent_histogram[1], 0u);
  EXPECT_EQ(state.packer_signals.largest_exponent, 0u);
}

}  // namespace
}  // namespace kerr::emu::tensix

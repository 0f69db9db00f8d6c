// SFPLOAD, SFPSTORE, SFPLOADI.   docs/hardware/tensix-math.md 10.2, 15.7, 15.8
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

namespace cfg = arch::global_config;
namespace tcfg = arch::thread_config;

class LoadStore : public VectorUnit {
 protected:
  static std::string mode(unsigned m) { return "instr_mod0=" + std::to_string(m); }
  /// Stores `value` of all lanes to Dst address 0; then the raw cells of row 0 and row 8, column 0.
  void store(u32 value, unsigned m) {
    cell(0, 0) = cell(8, 0) = 0xEEEE;
    set(0, value);
    run("SFPSTORE lreg_ind=0, " + mode(m));
  }
  u32 load(unsigned m, u32 old = 0x11112222) {
    set(1, old);
    run("SFPLOAD lreg_ind=1, " + mode(m));
    return lane0(1);
  }
};

TEST_F(LoadStore, EveryModeStoresItsCells) {
  const struct {
    unsigned mode;
    u32 value, high, low;
  } vectors[] = {
      {2, 0xC0495678, 0xC980, 0xEEEE},
      {3, 0xC0495678, 0xC980, 0x5678},
      {4, 0xC0495678, 0xC980, 0x5678},
      {12, 0xC0495678, 0xC980, 0x5678},
      {6, 0xC0495678, 0x5678, 0xEEEE},
      {14, 0xC0495678, 0x5678, 0xEEEE},
      {15, 0xC0495678, 0xC049, 0xEEEE},
      {7, 0xC0495678, 0xC049, 0x5678},
      {9, 0xC0495678, 0x5678, 0xC049},
      {10, 0xC0495678, 0xC980, 0x5678},
      {11, 0xC0495678, 0, 0xEEEE},
      {3, 0x80000001, 0x8000, 0},
      {4, 0x80000001, 0x8000, 0x0001},
      {5, 0x80000123, 0x8000 | 0x123 << 5 | 16, 0xEEEE},
      {13, 0x00000FFF, 0x3FF << 5 | 16, 0xEEEE},
      {8, 0x80018001, 0x8001, 0xEEEE},
  };
  for (const auto& v : vectors) {
    store(v.value, v.mode);
    EXPECT_EQ(cell(0, 0), v.high) << "mode " << v.mode;
    EXPECT_EQ(cell(8, 0), v.low) << "mode " << v.mode;
  }
}

TEST_F(LoadStore, EveryModeLoadsItsCells) {
  const struct {
    unsigned mode;
    u32 value;
  } vectors[] = {{2, 0xA4C00000}, {3, 0xA4C05678}, {4, 0xA4C05678},  {12, 0xA4C05678}, {10, 0xA4C05678},
                 {6, 0x0000C049}, {9, 0x0000C049}, {14, 0x1111C049}, {15, 0xC0492222}, {7, 0xC0490000},
                 {8, 0x80004049}, {11, 0},         {5, 0x80000002},  {13, 0x80000202}};
  cell(0, 0) = 0xC049;
  cell(8, 0) = 0x5678;
  for (const auto& v : vectors) EXPECT_EQ(load(v.mode), v.value) << "mode " << v.mode;
}

TEST_F(LoadStore, Fp16TruncatesAndClamps) {
  const struct {
    u32 value, fp16;
  } vectors[] = {{0x477FFFFF, 0x7BFF}, {0x47800000, 0x7C00}, {0x48000000, 0x7FFF}, {0x7FC00000, 0x7FFF},
                 {0x387FFFFF, 0x0000}, {0x38800000, 0x0400}, {0xFF800000, 0xFFFF}, {0x80000000, 0x8000}};
  for (const auto& v : vectors) {
    store(v.value, 1);
    EXPECT_EQ(math::decode_fp16(cell(0, 0)), v.fp16) << std::hex << v.value;
  }
  store(0x3FFFFFFF, 2);
  EXPECT_EQ(math::decode_bf16(cell(0, 0)), 0x3FFF);
  store(0x807FFFFF, 2);
  EXPECT_EQ(math::decode_bf16(cell(0, 0)), 0x8000);
}

TEST_F(LoadStore, TheLargestFp16MayMeanInfinity) {
  cell(0, 0) = math::encode_fp16(0x0001);
  EXPECT_EQ(load(1), 0x00002000u) << "denormals stay denormals";
  cell(0, 0) = 0xFFFF;
  EXPECT_EQ(load(1), 0xC7FFE000u);
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=1");
  EXPECT_EQ(load(1), 0xFF800000u);
}

TEST_F(LoadStore, LanesAreFourRowsAndEverySecondColumn) {
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned c = 0; c < 16; ++c) cell(r, c) = static_cast<uint16_t>(100 * r + c);
  }
  for (const auto& [address, row, column] :
       {std::tuple{0u, 0u, 0u}, {1u, 0u, 0u}, {2u, 0u, 1u}, {4u, 4u, 0u}, {7u, 4u, 1u}}) {
    run("SFPLOAD lreg_ind=0, instr_mod0=6, dest_reg_addr=" + std::to_string(address));
    for (unsigned l = 0; l < kLanes; ++l) {
      EXPECT_EQ(get(0)[l], 100 * (row + l / 8) + column + 2 * (l % 8)) << "address " << address << " lane " << l;
    }
  }
}

TEST_F(LoadStore, DisabledLanesKeepRegisterAndCell) {
  set(0, numbered(7));
  set_flags(0x0000AAAA);
  run("SFPSTORE lreg_ind=0, instr_mod0=6, dest_reg_addr=2");
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(cell(l / 8, 2 * (l % 8) + 1), 0x0000AAAAu >> l & 1 ? 7 + 10 * l : 0) << l;
    EXPECT_EQ(cell(l / 8, 2 * (l % 8)), 0) << "the column beside it";
  }
  set(1, 5);
  run("SFPLOAD lreg_ind=1, instr_mod0=6, dest_reg_addr=2");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get(1)[l], 0x0000AAAAu >> l & 1 ? 7 + 10 * l : 5) << l;
}

TEST_F(LoadStore, InvalidRowsLoadAsZeroAndAStoreMakesTheirRowsValid) {
  for (unsigned c = 0; c < 16; ++c) cell(1, c) = 0x1234;
  state.dst.set_valid(0, 4, false);
  set(0, 99);
  run("SFPLOAD lreg_ind=0, instr_mod0=6");
  EXPECT_EQ(get(0)[8], 0u);
  set(0, 7);
  set_flags(1u << 9);  // row 1, column 2
  run("SFPSTORE lreg_ind=0, instr_mod0=6");
  EXPECT_FALSE(state.dst.valid(0));
  EXPECT_TRUE(state.dst.valid(1));
  EXPECT_EQ(cell(1, 2), 7);
  EXPECT_EQ(cell(1, 0), 0x1234) << "stale cells are visible again";
}

TEST_F(LoadStore, WideAccessesUseTwoRowsEightApart) {
  set(0, numbered(0x40490000));
  run("SFPSTORE lreg_ind=0, instr_mod0=4, dest_reg_addr=8");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get_32(8 + l / 8, 2 * (l % 8)), 0x40490000u + 10 * l);
  EXPECT_EQ(cell(24, 2), 10u) << "low half of lane 1: row 8 is stored at 16 and 24";
}

TEST_F(LoadStore, TheAddressAddsOffsetCounterAndBases) {
  set(0, 1);
  thread_config(tcfg::DEST_TARGET_REG_CFG_MATH_Offset, 64);
  config(cfg::DEST_REGW_BASE_Base, 4);
  config(cfg::DEST_SP_BASE_Base, 2);
  state.rwcs[kThread].dst = 16;
  run("SFPSTORE lreg_ind=0, instr_mod0=6, dest_reg_addr=1020");
  EXPECT_EQ(cell((1020 + 64 + 16 + 4) & 1023, 1), 1) << "bit 1 of the stack pointer's base chooses odd columns";
}

TEST_F(LoadStore, RemappedRowsAreFound) {
  set(0, 0x00050000);
  config(cfg::DEST_ACCESS_CFG_remap_addrs, 1);
  run("SFPSTORE lreg_ind=0, instr_mod0=15, dest_reg_addr=8");
  EXPECT_EQ(cell(32, 0), 5);
  config(cfg::DEST_ACCESS_CFG_swizzle_32b, 1);
  run("SFPSTORE lreg_ind=0, instr_mod0=7, dest_reg_addr=4");
  EXPECT_EQ(cell(16, 0), 5);
  run("SFPLOAD lreg_ind=1, instr_mod0=4, dest_reg_addr=4");
  EXPECT_EQ(lane0(1), math::decode_32(0x00050000));
}

TEST_F(LoadStore, TheModifierStepsCountersButNotThePhase) {
  thread_config({tcfg::ADDR_MOD_DST_SEC0_DestIncr.word, 0, 16}, 2 | 1u << 13);  // and a fidelity step
  run("SFPLOAD lreg_ind=0, sfpu_addr_mode=0\nSFPSTORE lreg_ind=0, sfpu_addr_mode=0\nSFPLOAD lreg_ind=9, "
      "sfpu_addr_mode=0");
  EXPECT_EQ(state.rwcs[kThread].dst, 6);
  EXPECT_EQ(state.rwcs[kThread].fidelity, 0);
  run("SFPSTORE lreg_ind=13, sfpu_addr_mode=0");
  EXPECT_EQ(state.rwcs[kThread].dst, 8) << "a template, but the counters move";
}

TEST_F(LoadStore, ModeTenIsAStack) {
  thread_config(tcfg::SFPU_STACK_Incr, 4);
  config(cfg::DEST_SP_BASE_Base, 128);
  state.rwcs[kThread].dst = 64;  // only its low two bits would count
  const auto put = [&](u32 v) {
    run("SFPENCC instr_mod1=10, imm12=3\nSFPLOADI lreg_ind=2, instr_mod0=2, imm16=" + std::to_string(v) +
        "\nSFPENCC instr_mod1=10, imm12=1\nSFPSTORE lreg_ind=2, instr_mod0=10");
  };
  put(11);
  put(22);
  EXPECT_EQ(get_32(128, 0), 11u);
  EXPECT_EQ(get_32(132, 0), 22u);
  run("SFPLOAD lreg_ind=3, instr_mod0=10");
  EXPECT_EQ(lane0(3), 22u);
  run("SFPLOAD lreg_ind=3, instr_mod0=10");
  EXPECT_EQ(lane0(3), 11u);
  run("SFPLOAD lreg_ind=3, instr_mod0=10");
  EXPECT_EQ(lane0(3), 11u) << "an empty stack is not popped";
}

TEST_F(LoadStore, ModeZeroFollowsTheConfiguredFormat) {
  cell(0, 0) = 0x3F81;
  const auto with_format = [&](unsigned f) {
    config(cfg::ALU_FORMAT_SPEC_REG1_SrcB, f);
    return load(0);
  };
  const u32 as_bf16 = load(2), as_fp16 = load(1), as_fp32 = load(3);
  for (const unsigned f : {0u, 4u, 5u, 6u, 7u, 8u, 9u, 15u}) EXPECT_EQ(with_format(f), as_bf16) << f;
  for (const unsigned f : {1u, 2u, 3u, 10u, 11u, 12u, 13u, 14u}) EXPECT_EQ(with_format(f), as_fp16) << f;
  config(cfg::ALU_FORMAT_SPEC_REG_SrcB_override, 1);
  config(cfg::ALU_FORMAT_SPEC_REG_SrcB_val, 5);
  EXPECT_EQ(load(0), as_bf16);
  thread_config(tcfg::SFPU_DEST_FMT_Enable, 1);
  thread_config(tcfg::SFPU_DEST_FMT_Base, 1);
  EXPECT_EQ(load(0), as_fp16);
  config(cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled, 1);
  EXPECT_EQ(load(0), as_fp32);
}

TEST_F(LoadStore, LaneConfigBlocksAndExchangesColumns) {
  for (unsigned c = 0; c < 16; ++c) cell(0, c) = static_cast<uint16_t>(c);
  const auto configure = [&](u32 bits, unsigned column) {
    run("SFPLOADI lreg_ind=0, instr_mod0=2, imm16=" + std::to_string(bits) +
        "\nSFPCONFIG config_dest=15, instr_mod1=8, imm16_math=" + std::to_string(1u << 2 * column));
  };
  configure(1u << 5, 1);  // BLOCK_SFPU_RD_FROM_DEST
  configure(1u << 6, 2);  // DEST_RD_COL_EXCHANGE
  set(3, 77);
  cell(0, 2) = 2;
  run("SFPLOAD lreg_ind=3, instr_mod0=6");
  EXPECT_EQ(get(3)[0], 0u);
  EXPECT_EQ(get(3)[1], 0u) << "as before";
  EXPECT_EQ(get(3)[2], 5u);
  EXPECT_EQ(get(3)[3], 6u);
  configure(1u << 4, 4);  // BLOCK_DEST_WR_FROM_SFPU
  configure(1u << 7, 5);  // DEST_WR_COL_EXCHANGE
  run("SFPLOADI lreg_ind=3, instr_mod0=2, imm16=99\nSFPSTORE lreg_ind=3, instr_mod0=6");
  EXPECT_EQ(cell(0, 8), 8u);
  EXPECT_EQ(cell(0, 10), 10u);
  EXPECT_EQ(cell(0, 11), 99u);
  EXPECT_EQ(cell(0, 12), 99u);
}

TEST_F(LoadStore, LoadsMayCaptureTheirPlace) {
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=0xC\nSFPLOAD lreg_ind=1, instr_mod0=6, dest_reg_addr=6");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get(5)[l], (4 + l / 8) << 4 | (2 * (l % 8) + 1));
}

TEST_F(LoadStore, ConstantsCanBeStored) {
  run("SFPSTORE lreg_ind=10, instr_mod0=4");
  EXPECT_EQ(get_32(0, 0), 0x3F800000u);
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=2\nSFPSTORE lreg_ind=15, instr_mod0=4");
  EXPECT_EQ(get_32(3, 14), 62u);
}

TEST_F(LoadStore, SfploadiModes) {
  const struct {
    unsigned mode, imm;
    u32 value;
  } vectors[] = {{0, 0xC049, 0xC0490000}, {1, 0, 0x38000000},  {1, 0xFC00, 0xC7800000}, {2, 0xFFFF, 0xFFFF},
                 {4, 0x8000, 0xFFFF8000}, {4, 0x7FFF, 0x7FFF}, {8, 0xABCD, 0xABCD2222}, {10, 0xABCD, 0x1111ABCD}};
  for (const auto& v : vectors) {
    set(0, 0x11112222);
    run("SFPLOADI lreg_ind=0, " + mode(v.mode) + ", imm16=" + std::to_string(v.imm));
    EXPECT_EQ(lane0(0), v.value) << "mode " << v.mode;
  }
  EXPECT_NE(refusal("SFPLOADI lreg_ind=0, instr_mod0=3"), "");
}

}  // namespace
}  // namespace kerr::emu::tensix

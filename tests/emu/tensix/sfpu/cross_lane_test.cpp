// Moves between lanes and registers, swaps, configuration, random numbers.   docs/hardware/tensix-math.md 9.3, 9.4,
// 10.7 to 10.9
#include "tests/emu/tensix/sfpu/vector_unit.hpp"

namespace kerr::emu::tensix {
namespace {

using CrossLane = VectorUnit;

TEST_F(CrossLane, SfptranspTurnsRegistersIntoRows) {
  for (unsigned r = 0; r < 8; ++r) set(r, numbered(1000 * r));
  run("SFPTRANSP");
  for (unsigned r = 0; r < 8; ++r) {
    for (unsigned l = 0; l < kLanes; ++l) {
      const unsigned from = (r & 4) + l / 8, lane = (r & 3) * 8 + l % 8;
      EXPECT_EQ(get(r)[l], 1000 * from + 10 * lane) << "LReg " << r << " lane " << l;
    }
  }
}

TEST_F(CrossLane, SfptranspAsksTheDestinationLane) {
  for (unsigned r = 0; r < 4; ++r) set(r, numbered(1000 * r));
  set_flags(0x000000FF);  // row 0
  run("SFPTRANSP");
  for (unsigned r = 0; r < 4; ++r) {
    EXPECT_EQ(get(r)[3], 10 * (8 * r + 3)) << "row 0 of LReg " << r << " is row " << r << " of LReg 0";
    EXPECT_EQ(get(r)[8], 1000 * r + 80);
  }
}

TEST_F(CrossLane, SfpswapExchanges) {
  set(0, 5);
  set(1, 3);
  set_flags(0xFFFF0000);
  run("SFPSWAP lreg_dest=0, lreg_src_c=1");
  EXPECT_EQ(get(0)[0], 5u);
  EXPECT_EQ(get(0)[31], 3u);
  EXPECT_EQ(get(1)[31], 5u);
}

TEST_F(CrossLane, SfpswapOrdersSignMagnitudeNumbers) {
  const struct {
    unsigned mod;
    u32 d, c, d_after, c_after;
  } vectors[] = {{1, 0, 0x80000000, 0x80000000, 0},
                 {9, 0x80000000, 0, 0, 0x80000000},
                 {1, 0x7FC00000, 0xFFC00000, 0xFFC00000, 0x7FC00000},
                 {1, 3, 5, 3, 5},
                 {15, 3, 5, 5, 3}};
  for (const auto& v : vectors) {
    set(0, v.d);
    set(1, v.c);
    run("SFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=" + std::to_string(v.mod));
    EXPECT_EQ(lane0(0), v.d_after) << v.mod;
    EXPECT_EQ(lane0(1), v.c_after) << v.mod;
  }
}

TEST_F(CrossLane, SfpswapModesChooseWhereTheMinimumGoes) {
  const LaneMask minimum_in_vd[] = {kAllLanes,  0x0000FFFF, 0x00FF00FF, 0xFF0000FF, 0x000000FF,
                                    0x0000FF00, 0x00FF0000, 0xFF000000, 0};
  for (unsigned mod = 1; mod <= 9; ++mod) {
    set(0, 7);
    set(1, 2);
    run("SFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=" + std::to_string(mod));
    for (unsigned l = 0; l < kLanes; ++l)
      EXPECT_EQ(get(0)[l], minimum_in_vd[mod - 1] >> l & 1 ? 2u : 7u) << mod << " " << l;
  }
}

TEST_F(CrossLane, SfpswapCarriesIndicesAlong) {
  set(0, 7);
  set(1, 2);
  set(4, 100);
  set(5, 101);
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=4\nSFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=1");
  EXPECT_EQ(lane0(0), 2u);
  EXPECT_EQ(lane0(1), 7u);
  EXPECT_EQ(lane0(4), 101u);
  EXPECT_EQ(lane0(5), 100u);
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=0x104\nSFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=1");
  EXPECT_EQ(lane0(0), 7u) << "the comparison is inverted";
  EXPECT_EQ(lane0(4), 100u);
}

// Measured on four P150 and an N300 (ttsim issue 12, tt-isa-documentation issue 62): mode 1 exchanges the indices of
// equal negative numbers, mode 9 those of equal positive ones.
TEST_F(CrossLane, SfpswapTakesANegativeNumberAsSmallerThanItsEqual) {
  const LaneMask minimum_in_vd[] = {kAllLanes,  0x0000FFFF, 0x00FF00FF, 0xFF0000FF, 0x000000FF, 0x0000FF00, 0x00FF0000,
                                    0xFF000000, 0,          0,          0,          0,          0,          0,
                                    0};
  for (const bool inverted : {false, true}) {
    for (const u32 value : {0x41200000u, 0xC1200000u, 0x80000000u, 0u, 0x7FC00000u, 0xFFC00000u, 1u, 0x80000001u}) {
      for (unsigned mod = 1; mod <= 15; ++mod) {
        set(0, value);
        set(1, value);
        set(4, 0xAAAA1111);
        set(5, 0xBBBB2222);
        run(std::string("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=") + (inverted ? "0x104" : "4"));
        run("SFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=" + std::to_string(mod));
        for (unsigned l = 0; l < kLanes; ++l) {
          const bool negative = value >> 31, minimum = minimum_in_vd[mod - 1] >> l & 1;
          const bool swaps = (negative == minimum) != inverted;
          ASSERT_EQ(get(4)[l], swaps ? 0xBBBB2222u : 0xAAAA1111u) << mod << " lane " << l << std::hex << " " << value;
          ASSERT_EQ(get(5)[l], swaps ? 0xAAAA1111u : 0xBBBB2222u) << mod << " lane " << l << std::hex << " " << value;
          ASSERT_EQ(get(0)[l], value);
          ASSERT_EQ(get(1)[l], value);
        }
      }
    }
  }
}

TEST_F(CrossLane, SfpswapPutsMinusZeroBeforeZeroAndTheirIndicesToo) {
  const struct {
    unsigned mod;
    u32 d, c;
    bool swaps;
  } vectors[] = {
      {1, 0, 0x80000000, true}, {1, 0x80000000, 0, false}, {9, 0, 0x80000000, false}, {9, 0x80000000, 0, true}};
  for (const auto& v : vectors) {
    set(0, v.d);
    set(1, v.c);
    set(4, 100);
    set(5, 101);
    run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=4");
    run("SFPSWAP lreg_dest=0, lreg_src_c=1, instr_mod1=" + std::to_string(v.mod));
    EXPECT_EQ(lane0(0), v.swaps ? v.c : v.d) << v.mod;
    EXPECT_EQ(lane0(4), v.swaps ? 101u : 100u) << v.mod;
    EXPECT_EQ(lane0(5), v.swaps ? 100u : 101u) << v.mod;
  }
}

TEST_F(CrossLane, WritingIndexRegistersWhileIndicesFollowIsUndefined) {
  run("SFPCONFIG config_dest=15, instr_mod1=1, imm16_math=4");
  for (const char* line :
       {"SFPMOV lreg_dest=4, lreg_c=9", "SFPIADD lreg_dest=7, lreg_c=9", "SFPSHFT2 lreg_dest=5, instr_mod1=3",
        "SFPMAD lreg_dest=6", "SFP_STOCH_RND lreg_dest=4", "SFPCAST lreg_dest=4, instr_mod1=1",
        "SFPLE lreg_dest=4, lreg_c=9, instr_mod1=8", "SFPLUT lreg_ind=4"}) {
    EXPECT_NE(refusal(line).find("TEN-2932"), std::string::npos) << line;
  }
  run("SFPMOV lreg_dest=3, lreg_c=9\nSFPLOADI lreg_ind=4, imm16=1\nSFPLOAD lreg_ind=5\nSFPTRANSP\n"
      "SFPLE lreg_dest=4, lreg_c=9, instr_mod1=1");
}

TEST_F(CrossLane, Sfpshft2MovesRegistersAndLanes) {
  const auto fill = [&] {
    for (unsigned r = 0; r < 4; ++r) set(r, numbered(1000 * r));
    set(5, numbered(7000));
  };
  fill();
  run("SFPSHFT2 instr_mod1=0");
  EXPECT_EQ(get(0)[3], 1030u);
  EXPECT_EQ(get(2)[3], 3030u);
  EXPECT_EQ(get(3)[3], 0u);
  fill();
  run("SFPSHFT2 instr_mod1=1");
  EXPECT_EQ(get(1)[9], 2090u);
  EXPECT_EQ(get(3)[9], 170u) << "the old LReg 0, eight lanes on";
  EXPECT_EQ(get(3)[24], 0u);
  fill();
  run("SFPSHFT2 instr_mod1=2, lreg_src_c=5");
  EXPECT_EQ(get(0)[0], 1000u);
  EXPECT_EQ(get(3)[8], 7150u);
  EXPECT_EQ(get(3)[9], 7080u);
  run("SFPSHFT2 instr_mod1=3, lreg_src_c=5, lreg_dest=5");
  EXPECT_EQ(get(5)[0], 7070u) << "in place";
  EXPECT_EQ(get(5)[7], 7060u);
  fill();
  run("SFPSHFT2 instr_mod1=4, lreg_src_c=5, lreg_dest=6");
  EXPECT_EQ(get(6)[16], 0u);
  EXPECT_EQ(get(6)[17], 7160u);
  set(0, 0x80000001);
  set(1, 0xFFFFFFFF);
  run("SFPSHFT2 instr_mod1=5, imm12=0, lreg_src_c=1, lreg_dest=2");
  EXPECT_EQ(lane0(2), 0x40000000u);
  set(3, 0x00000010);
  run("SFPSHFT2 instr_mod1=6, imm12=3, lreg_dest=2");
  EXPECT_EQ(lane0(2), 0x80u);
  EXPECT_NE(refusal("SFPSHFT2 instr_mod1=7"), "");
}

TEST_F(CrossLane, IndirectRegistersComeFromLreg7LaneByLane) {
  LReg selector;
  for (unsigned l = 0; l < kLanes; ++l) selector[l] = 0xF0 | (l % 2 ? 1 : 2);
  set(7, selector);
  set(1, 0x40000000);
  set(2, 0x40400000);
  run("SFPMAD lreg_src_a=5, lreg_src_b=10, lreg_src_c=9, lreg_dest=0, instr_mod1=4");
  EXPECT_EQ(get(0)[0], 0x40400000u);
  EXPECT_EQ(get(0)[1], 0x40000000u);
  run("SFPADDI lreg_dest=0, imm16_math=0, instr_mod1=8");
  EXPECT_EQ(get(1)[0], 0x40000000u);
  EXPECT_EQ(get(2)[0], 0x40400000u);
  set(1, 7);
  set(2, 7);
  run("SFPMUL24 lreg_src_a=0, lreg_src_b=9, lreg_src_c=9, lreg_dest=0, instr_mod1=8");
  EXPECT_EQ(get(1)[0], 7u);
  EXPECT_EQ(get(1)[1], 0u);
  EXPECT_EQ(get(2)[0], 0u);
  set(7, 9);
  run("SFPMULI lreg_dest=0, imm16_math=0x3F80, instr_mod1=8");  // LReg 9 cannot be written
  EXPECT_EQ(lane0(9), 0u);
}

TEST_F(CrossLane, TheThreeEntryTableOfHalvesWritesIndirectly) {
  set(0, 0x40003C00);  // 2x + 1
  set(3, 0x3F000000);
  set(7, 6);
  run("SFPLUTFP32 lreg_dest=5, instr_mod1=10");
  EXPECT_EQ(lane0(6), 0x40000000u);
  EXPECT_EQ(lane0(5), 0u);
}

TEST_F(CrossLane, TheFullTableTakesWholeRegisters) {
  set(1, 0x40000000);
  set(5, 0x3F800000);
  set(3, 0xBFC00000);
  run("SFPLUTFP32 lreg_dest=2, instr_mod1=0");
  EXPECT_EQ(lane0(2), 0x40800000u) << "2 * 1.5 + 1";
  run("SFPLUTFP32 lreg_dest=2, instr_mod1=4");
  EXPECT_EQ(lane0(2), 0xC0800000u);
}

TEST_F(CrossLane, SfpconfigBroadcastsTheFirstRow) {
  set(0, numbered(500));
  run("SFPCONFIG config_dest=12");
  for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get(12)[l], 500 + 10 * (l % 8));
  run("SFPCONFIG config_dest=12, instr_mod1=1");
  EXPECT_EQ(lane0(12), 0x3B000000u);
  set_flags(0x00000002);
  run("SFPCONFIG config_dest=14");
  EXPECT_EQ(get(14)[9], 510u);
  EXPECT_EQ(get(14)[8], 0xBEB08FF9u);
  // Only bits 0, 2, 4, ... of the mask count.
  run("SFPENCC instr_mod1=10, imm12=3\nSFPCONFIG config_dest=13, instr_mod1=8, imm16_math=0x8");
  EXPECT_EQ(get(13)[1], 0xBF2CC4C7u);
  run("SFPCONFIG config_dest=13, instr_mod1=8, imm16_math=0x4\nSFPCONFIG config_dest=9\nSFPCONFIG config_dest=10");
  EXPECT_EQ(get(13)[1], 510u);
  EXPECT_EQ(get(13)[2], 0xBF2CC4C7u);
}

TEST_F(CrossLane, SfpconfigCombinesBits) {
  const auto misc = [&] {
    run("SFPMOV lreg_dest=1, lreg_c=8, instr_mod1=8");
    return lane0(1);
  };
  run("SFPCONFIG config_dest=8, instr_mod1=1, imm16_math=0xF123");
  EXPECT_EQ(misc(), 0x123u) << "twelve bits";
  run("SFPCONFIG config_dest=8, instr_mod1=3, imm16_math=0x00C");
  EXPECT_EQ(misc(), 0x12Fu);
  run("SFPCONFIG config_dest=8, instr_mod1=5, imm16_math=0x0FF");
  EXPECT_EQ(misc(), 0x02Fu);
  run("SFPCONFIG config_dest=8, instr_mod1=7, imm16_math=0xF00");
  EXPECT_EQ(misc(), 0xF2Fu);
  set(0, 0x00030001);
  run("SFPCONFIG config_dest=15\nSFPCONFIG config_dest=15, instr_mod1=1, imm16_math=2\n"
      "SFPMOV lreg_dest=1, lreg_c=15, instr_mod1=8");
  EXPECT_EQ(lane0(1), 0x00030002u) << "an immediate does not reach the upper bits";
  set(0, 0xABCDEF01);
  run("SFPCONFIG config_dest=6\nSFPMOV lreg_dest=1, lreg_c=6, instr_mod1=8");
  EXPECT_EQ(lane0(1), 0xABCDEF01u);
  run("SFPCONFIG config_dest=6, instr_mod1=1, imm16_math=0x1234\nSFPMOV lreg_dest=1, lreg_c=6, instr_mod1=8");
  EXPECT_EQ(lane0(1), 0x1234u);
  run("SFPMOV lreg_dest=1, lreg_c=12, instr_mod1=8");
  EXPECT_EQ(lane0(1), 0u);
}

// ---------------------------------------------------------------- random numbers

TEST_F(CrossLane, TheSeedGivesEachLaneItsState) {
  const struct {
    u32 seed, lane_0, lane_1, lane_31, next_0;
  } vectors[] = {{0x00000000, 0xC5CF309E, 0x173CC27A, 0x02233355, 0xE2E7984F},
                 {0x00000001, 0x8B9E613D, 0x2E7984F4, 0x044666AA, 0xC5CF309E},
                 {0x12345678, 0x837EE01D, 0x0DFB8074, 0x4E0D6479, 0x41BF700E}};
  for (const auto& v : vectors) {
    config(arch::global_config::PRNG_SEED_Seed_Val, v.seed);
    run("SFPMOV lreg_dest=0, lreg_c=9, instr_mod1=8");
    EXPECT_EQ(get(0)[0], v.lane_0);
    EXPECT_EQ(get(0)[1], v.lane_1);
    EXPECT_EQ(get(0)[31], v.lane_31);
    run("SFPMOV lreg_dest=0, lreg_c=9, instr_mod1=8");
    EXPECT_EQ(get(0)[0], v.next_0);
  }
}

TEST_F(CrossLane, OnlyEnabledLanesDrawNumbers) {
  config(arch::global_config::PRNG_SEED_Seed_Val, 1);
  set_flags(0xFFFFFFFE);
  run("SFP_STOCH_RND lreg_dest=1, lreg_src_c=9, instr_mod1=1\nSFPCAST lreg_dest=1, lreg_src_c=9, instr_mod1=1\n"
      "SFPCAST lreg_dest=1, lreg_src_c=9, instr_mod1=3");
  run("SFPENCC instr_mod1=10, imm12=3\nSFPMOV lreg_dest=0, lreg_c=9, instr_mod1=8");
  EXPECT_EQ(get(0)[0], 0x8B9E613Du);
  u32 lane_1 = 0x2E7984F4;
  for (int n = 0; n < 2; ++n) lane_1 = lane_1 >> 1 | (~(lane_1 ^ lane_1 >> 1 ^ lane_1 >> 21 ^ lane_1 >> 31) & 1) << 31;
  EXPECT_EQ(get(0)[1], lane_1) << "one number for each of the first two";
}

TEST_F(CrossLane, StochasticRoundingComparesWithTheLanesNumber) {
  LReg numbers;
  for (const char* line : {"SFP_STOCH_RND lreg_dest=0, lreg_src_c=1, instr_mod1=7, rnd_mode=1",
                           "SFP_STOCH_RND lreg_dest=0, lreg_src_c=1, instr_mod1=7, rnd_mode=3"}) {
    config(arch::global_config::PRNG_SEED_Seed_Val, 77);
    run("SFPMOV lreg_dest=2, lreg_c=9, instr_mod1=8");
    numbers = get(2);
    config(arch::global_config::PRNG_SEED_Seed_Val, 77);
    set(1, 0x3FC00000);  // 1.5
    run(line);
    for (unsigned l = 0; l < kLanes; ++l) EXPECT_EQ(get(0)[l], (numbers[l] & 0x7FFFFF) <= 0x400000 ? 2u : 1u) << l;
  }
  config(arch::global_config::PRNG_SEED_Seed_Val, 77);
  set(1, 0x02000003);
  run("SFPCAST lreg_dest=0, lreg_src_c=1, instr_mod1=1");
  for (unsigned l = 0; l < kLanes; ++l) {
    EXPECT_EQ(get(0)[l], 0xC0u > (numbers[l] >> 9 & 0xFE) ? 0x4C000001u : 0x4C000000u) << l;
  }
}

TEST_F(CrossLane, SfpStochRndFindsTheBitOfTheAmountOddInModesThatTakeNone) {
  for (const unsigned mod : {8u, 9u, 10u, 11u, 14u, 15u}) {
    EXPECT_EQ(issue("SFP_STOCH_RND lreg_dest=0, instr_mod1=" + std::to_string(mod)).kind(), Issue::Kind::Odd);
  }
}

}  // namespace
}  // namespace kerr::emu::tensix

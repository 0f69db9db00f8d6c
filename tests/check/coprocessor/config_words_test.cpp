#include "check/coprocessor/config_words.hpp"

#include <gtest/gtest.h>

#include "arch/tensix_config.hpp"

namespace kerr::check {
namespace {

namespace cfg = arch::global_config;

TEST(SharedBits, BelongToTheUnitsThatReadThem) {
  struct Of {
    arch::ConfigField field;
    Lane reader;
  };
  constexpr Of kOf[] = {
      {cfg::ALU_FORMAT_SPEC_REG0_SrcA, Lane::Matrix},
      {cfg::ALU_FORMAT_SPEC_REG1_SrcB, Lane::Matrix},
      {cfg::ALU_ACC_CTRL_Fp32_enabled, Lane::Matrix},
      {cfg::ALU_ACC_CTRL_INT8_math_enabled, Lane::Matrix},
      {cfg::ALU_ACC_CTRL_SFPU_Fp32_enabled, Lane::Vector},
      {cfg::ALU_FORMAT_SPEC_REG2_Dstacc, Lane::Packer},
      {cfg::ALU_FORMAT_SPEC_REG_SrcA_val, Lane::Matrix},
      {cfg::ALU_FORMAT_SPEC_REG_Dstacc_val, Lane::Packer},
      {cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src, Lane::Matrix},
      {cfg::STACC_RELU_ApplyRelu, Lane::Packer},
      {cfg::STACC_RELU_ReluThreshold, Lane::Packer},
      {cfg::PCK_DEST_RD_CTRL_Read_32b_data, Lane::Packer},
  };
  for (const Of& of : kOf) {
    for (const Lane lane : {Lane::Matrix, Lane::Vector, Lane::Packer}) {
      EXPECT_EQ(shared_bits(of.field.word, lane) & of.field.mask(), lane == of.reader ? of.field.mask() : 0)
          << "word " << of.field.word << ", bits " << std::hex << of.field.mask() << ", " << name(lane);
    }
  }
}

TEST(SharedBits, AreNoneOfAWordThatOneUnitHas) {
  for (const Lane lane : {Lane::Matrix, Lane::Vector, Lane::Packer}) {
    EXPECT_EQ(shared_bits(cfg::THCON_SEC0_REG2_Out_data_format.word, lane), 0u);
  }
}

}  // namespace
}  // namespace kerr::check

// Configuration words by the names of their fields.   docs/hardware/tensix-datapath.md 6, 7
#include "kernels/blocks/config.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "isa/disassembler.hpp"

namespace kerr::kernels {
namespace {

using namespace isa::reg;
using arch::DataFormat;

constexpr Windows kWindows{s0, s1, s2};

std::string text_of(const Stream& a) {
  const isa::Code code = a.finish();
  std::string text;
  for (uint32_t at = code.base; at < code.end(); at += 4) text += isa::disassemble(code.word_at(at)) + '\n';
  return text;
}

template <class Body>
std::string refusal(Body body) {
  try {
    body();
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Config, StoresTheFieldsOfAWordTogetherInTheOrderOfWords) {
  Stream a;
  store_config(a, kWindows,
               {{cfg::THCON_SEC0_REG2_Out_data_format, DataFormat::Bf16},
                {cfg::THCON_SEC0_REG1_Exp_section_size, 4},
                {cfg::THCON_SEC0_REG2_Throttle_mode, 2}});
  Stream by_number;
  by_number.li(t0, 0x25);
  by_number.sw(t0, s0, 4 * 72);
  by_number.li(t0, 4 << 16);
  by_number.sw(t0, s0, 4 * 68);
  EXPECT_EQ(text_of(a), text_of(by_number));
}

TEST(Config, ModifiesOnlyTheBytesThatItsFieldsTouch) {
  Stream a;
  modify_config(a,
                {{cfg::THCON_SEC0_REG1_Out_data_format, DataFormat::Int8}, {cfg::THCON_SEC0_REG1_In_data_format, 8}});
  Stream by_number;
  by_number.tensix(isa::tensix::RMWCIB0{.cfg_reg_addr = 70, .data = 0xE0, .mask = 0xF0});
  by_number.tensix(isa::tensix::RMWCIB1{.cfg_reg_addr = 70, .data = 0x08, .mask = 0x0F});
  EXPECT_EQ(text_of(a), text_of(by_number));
}

TEST(Config, NamesTheFieldThatDoesNotHoldItsValue) {
  Stream a;
  EXPECT_EQ(refusal([&] {
              modify_config(a, {{cfg::THCON_SEC0_REG2_Throttle_mode, 4}});
            }),
            "THCON_SEC0_REG2_Throttle_mode has 2 bits: it does not hold 0x4");
  EXPECT_EQ(refusal([&] {
              set_thread_config(a, {{thread_cfg::ADDR_MOD_AB_SEC0_SrcAIncr, 64}});
            }),
            "ADDR_MOD_AB_SEC0_SrcAIncr has 6 bits: it does not hold 0x40");
  EXPECT_EQ(refusal([&] {
              modify_config(
                  a, {{joined(cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx0, cfg::THCON_SEC0_REG2_Unpack_if_sel_cntx1), 4}});
            }),
            "bit 4 and up of configuration word 73 has 2 bits: it does not hold 0x4");
}

TEST(Config, NamesTheFieldThatIsSetTwice) {
  Stream a;
  EXPECT_EQ(refusal([&] {
              modify_config(a, {{cfg::THCON_SEC0_REG2_Throttle_mode, 1}, {cfg::THCON_SEC0_REG2_Throttle_mode, 2}});
            }),
            "THCON_SEC0_REG2_Throttle_mode is set twice");
}

}  // namespace
}  // namespace kerr::kernels

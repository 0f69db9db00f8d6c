// kerr disasm, and kerr asm, as a shell sees it.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/cli/command.hpp"

namespace kerr::cli {
namespace {

TEST(DisasmCommand, DisassemblesWhatItAssembledBytesBehindTheLastWordIncluded) {
  const Scratch source("nop\n.byte 0x13, 7\n");
  const std::string binary = source.path() + ".bin";
  ASSERT_EQ(kerr("asm " + source.path() + " -o " + binary).status, 0);
  EXPECT_EQ(kerr("disasm " + binary).text, "       0:  00000013  nop\n       4:  00000713  .byte 0x13, 0x07\n");
  std::filesystem::remove(binary);
}

TEST(DisasmCommand, DisassemblesStrayBitsAndTakesThemBack) {
  EXPECT_NE(kerr("disasm --tensix 38220000").text.find("INCRWC rwc_d=8 ; stray 0x200000"), std::string::npos);
  const Scratch source("INCRWC rwc_d=8 ; stray 0x200000\n");
  EXPECT_NE(kerr("asm " + source.path()).text.find("INCRWC rwc_d=8 ; stray 0x200000"), std::string::npos);
}

TEST(DisasmCommand, DisassemblesSectionsOfAnElfFileWithItsSymbols) {
  const std::string firmware = KERR_FIRMWARE "/brisc.elf";
  if (!std::filesystem::exists(firmware)) GTEST_SKIP();
  const Outcome outcome = kerr("disasm " + firmware);
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(outcome.text.starts_with("section .text\n")) << outcome.text.substr(0, 200);
  EXPECT_EQ(outcome.text.find("464c457f"), std::string::npos) << "the ELF header";
  EXPECT_NE(outcome.text.find("_start:\n"), std::string::npos);
  EXPECT_NE(kerr("disasm --base 0x100 " + firmware).text.find("which has its own addresses"), std::string::npos);
}

}  // namespace
}  // namespace kerr::cli

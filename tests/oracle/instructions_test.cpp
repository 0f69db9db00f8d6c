// Replays the recorded instruction cases on our tile, and holds that there are enough of them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>

#include "emu/math/cpu_targets.hpp"
#include "emu/math/dot_product_kernels.hpp"
#include "emu/tensix/sfpu/lane_kernels.hpp"
#include "isa/tensix/table.hpp"
#include "oracle/coverage.hpp"
#include "oracle/instructions/instruction_case.hpp"
#include "oracle/instructions/recorded_case.hpp"
#include "oracle/local_tile.hpp"
#include "oracle/run.hpp"

namespace kerr::oracle {
namespace {

const std::filesystem::path kVectors = KERR_SOURCE_DIR "/tests/oracle/vectors";
constexpr unsigned kCasesWanted = 200;

std::string listing(const InstructionCase& c) {
  std::string out = c.mode.empty() ? "" : c.mode + "\n";
  for (const std::string& line : c.tile.text) out += line + "\n";
  return out;
}

void replay(const RecordedCase& recorded) {
  const InstructionCase c = make_instruction_case(recorded.mnemonic, recorded.seed);
  ASSERT_EQ(program_checksum(c.tile), recorded.program)
      << recorded.mnemonic << " seed " << recorded.seed << ": the generator has changed; record the vectors anew";
  ASSERT_EQ(c.executions, recorded.executions);
  std::vector<uint8_t> result;
  try {
    LocalTile tile;
    result = run_case(tile, c.tile);
  } catch (const std::exception& error) {
    FAIL() << recorded.mnemonic << " seed " << recorded.seed << ": " << error.what() << "\n" << listing(c);
  }
  EXPECT_EQ(crc32(result), recorded.result) << recorded.mnemonic << " seed " << recorded.seed << "\n" << listing(c);
}

TEST(InstructionVectors, OurTileGivesTheRecordedResults) {
  std::ifstream in(kVectors / "instructions.txt");
  ASSERT_TRUE(in);
  unsigned replayed = 0;
  for (RecordedCase c; read(in, c);) {
    if (!c.refusal.empty()) continue;
    replay(c);
    ++replayed;
  }
  EXPECT_GT(replayed, 3000u);
}

TEST(InstructionVectors, EveryInstructionHasCasesOrIsRefusedByTheReference) {
  const auto all = coverage(kVectors);
  for (const isa::tensix::Row& row : isa::tensix::rows()) {
    const Coverage& c = all.at(std::string(row.mnemonic));
    if (c.refusal.empty()) {
      EXPECT_GE(c.cases, kCasesWanted) << row.mnemonic;
    } else {
      EXPECT_EQ(c.cases, 0u) << row.mnemonic << " is listed as refused: " << c.refusal;
    }
  }
}

TEST(InstructionVectors, OneGeneratorMakesOneCaseOfASeed) {
  for (const char* mnemonic : {"MVMUL", "UNPACR", "PACR", "SFPMAD", "SETADC", "MOP"}) {
    EXPECT_EQ(program_checksum(make_instruction_case(mnemonic, 5).tile),
              program_checksum(make_instruction_case(mnemonic, 5).tile));
    EXPECT_NE(program_checksum(make_instruction_case(mnemonic, 5).tile),
              program_checksum(make_instruction_case(mnemonic, 6).tile));
  }
  EXPECT_THROW(make_instruction_case("ADDSUB", 1), std::out_of_range);
}

// CMakeLists.txt runs this program once for each level: they must be different ones.
TEST(SimdLevel, IsTheOneThatTheEnvironmentNames) {
  const char* const text = std::getenv("KERR_SIMD");
  if (text == nullptr) GTEST_SKIP() << "KERR_SIMD is not set: the best of this machine";
  const std::map<std::string, const char*> names{
      {"scalar", "definition"}, {"baseline", "baseline"}, {"sse4", "SSE4"}, {"avx2", "AVX2"}};
  const auto found = names.find(text);
  ASSERT_NE(found, names.end()) << text;
  EXPECT_EQ(emu::math::kDefinitionsOnly, found->first == "scalar");
  if ((found->first == "sse4" && !emu::math::cpu_has_sse4()) || (found->first == "avx2" && !emu::math::cpu_has_avx2()))
    GTEST_SKIP() << "this machine does not have " << text;
  EXPECT_STREQ(emu::tensix::lane_kernels()[0].name, found->second);
  if (!emu::math::kDefinitionsOnly) {
    EXPECT_STREQ(emu::math::dot_kernels()[0].name, found->second);
  }
}

}  // namespace
}  // namespace kerr::oracle

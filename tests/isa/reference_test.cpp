// The reference page says what the tables say.
#include "isa/tensix/reference.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "isa/tensix/instructions.hpp"
#include "isa/tensix/table.hpp"
#include "isa/text/assemble.hpp"
#include "tests/reference_page.hpp"

namespace kerr::isa::tensix {
namespace {

std::string read(const char* path) {
  std::ifstream in(std::string(KERR_SOURCE_DIR "/") + path);
  EXPECT_TRUE(in) << path;
  std::stringstream all;
  all << in.rdbuf();
  return all.str();
}

TEST(ReferencePage, HoldsTheTablesThatKerrIsaPrints) {
  EXPECT_EQ(generated_part(KERR_SOURCE_DIR "/docs/reference/instructions.md", "kerr isa"), reference_tables())
      << "Put the output of `kerr isa` between the two marks of docs/reference/instructions.md.";
}

TEST(ReferencePage, HasTheOperandsInTheOrderOfTheirMembers) {
  EXPECT_EQ(generated_part(KERR_SOURCE_DIR "/docs/reference/operands.md", "kerr isa --operands"), operand_tables())
      << "Put the output of `kerr isa --operands` between the two marks of docs/reference/operands.md.";
  EXPECT_NE(
      operand_tables().find("| 0x26 | MVMUL | `dst` 9:0, `addr_mode` 16:14, `instr_mod19` 19, `clear_dvalid` 23:22 |"),
      std::string::npos);
}

TEST(ReferencePage, ShowsInstructionsThatAreTheSameInCppAndText) {
  EXPECT_EQ((MVMUL{.dst = 8, .addr_mode = 1, .clear_dvalid = 3}.encode()), 0x26C04008u);  // operands.md
  EXPECT_EQ(assemble_tensix("MVMUL clear_dvalid=3, addr_mode=1, dst=8"), 0x26C04008u);
  EXPECT_EQ((MVMUL{.dst = 8, .addr_mode = 1}.encode()), 0x26004008u);  // guide/tensix-by-hand.md
  EXPECT_EQ(assemble_tensix("MVMUL addr_mode=1, dst=8"), 0x26004008u);
}

TEST(ReferencePage, AnswersForEveryMnemonic) {
  ASSERT_EQ(answers().size(), rows().size());
  const std::string tables = reference_tables();
  for (const Row& row : rows()) {
    EXPECT_NE(tables.find("| " + std::string(row.mnemonic) + " |"), std::string::npos) << row.mnemonic;
  }
  for (const Answer& a : answers()) {
    EXPECT_EQ(a.modes.starts_with("none"), a.checked == evidence::Nothing) << find(a.opcode)->mnemonic;
  }
}

TEST(ReferencePage, CountsTheSimulatorsRulesByTheirStanding) {
  ASSERT_FALSE(simulator_rules().empty());
  size_t counts[3] = {};
  std::set<std::string_view> mnemonics;
  for (const Row& row : rows()) mnemonics.insert(row.mnemonic);
  for (const SimulatorRule& r : simulator_rules()) {
    ++counts[static_cast<int>(r.standing)];
    std::istringstream names{std::string(r.instructions)};
    for (std::string name; names >> name;) EXPECT_TRUE(mnemonics.contains(name)) << name << ": " << r.rule;
    const std::string file(r.place.substr(0, r.place.find(' ')));
    EXPECT_FALSE(read(("docs/hardware/" + file).c_str()).empty()) << r.place;
  }
  const std::string tables = reference_tables();
  const std::string line = std::to_string(simulator_rules().size()) + " rules: " + std::to_string(counts[0]) +
                           " confirmed by other public sources, " + std::to_string(counts[1]) + " contradicted, " +
                           std::to_string(counts[2]) + " open (SIM only).";
  EXPECT_NE(tables.find(line), std::string::npos) << line;
}

TEST(ReferencePage, NamesTheOpenRulesOfAnInstructionInItsRow) {
  const std::string tables = reference_tables();
  for (size_t i = 0; i < simulator_rules().size(); ++i) {
    const SimulatorRule& r = simulator_rules()[i];
    for (const Row& row : rows()) {
      const size_t at = tables.find("| " + std::string(row.mnemonic) + " |");
      ASSERT_NE(at, std::string::npos);
      const std::string line = tables.substr(at, tables.find('\n', at) - at);
      const size_t open = line.find("SIM only: rule ");
      const std::string numbers =
          open == std::string::npos ? "" : line.substr(open + 15, line.find(" |", open) - open - 15);
      const bool told = (", " + numbers + ",").find(", " + std::to_string(i + 1) + ",") != std::string::npos;
      EXPECT_EQ(told, r.standing == Standing::Open && r.concerns(row.mnemonic)) << row.mnemonic << " rule " << i + 1;
    }
  }
}

// "ttsim cases" is claimed for what the vectors hold and the simulator did not refuse.
TEST(ReferencePage, ClaimsCasesThatExist) {
  std::set<std::string> recorded;
  std::istringstream lines(read("tests/oracle/vectors/instructions.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("#") && line.find(" refused ") == std::string::npos)
      recorded.insert(line.substr(0, line.find(' ')));
  }
  for (const Answer& a : answers()) {
    const std::string name(find(a.opcode)->mnemonic);
    EXPECT_EQ((a.checked & evidence::Cases) != 0, recorded.contains(name)) << name;
  }
}

// "ttsim lanes" is claimed for those instructions that the vectors hold, and for no others.
TEST(ReferencePage, ClaimsVectorsThatExist) {
  std::set<std::string> recorded;
  std::istringstream lines(read("tests/oracle/vectors/sfpu.txt"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("# ")) continue;
    for (const Row& row : rows()) {
      if (row.unit != Unit::Sfpu) continue;
      const std::string name(row.mnemonic);
      for (const std::string after : {" ", ";", ""}) {
        const size_t at = line.find(" " + name + after);
        if (at == std::string::npos) continue;
        const size_t next = at + 1 + name.size();
        if (next == line.size() || line[next] == ' ' || line[next] == ';') recorded.insert(name);
      }
    }
  }
  for (const Answer& a : answers()) {
    const std::string name(find(a.opcode)->mnemonic);
    EXPECT_EQ((a.checked & evidence::Lanes) != 0, recorded.contains(name)) << name;
  }
}

}  // namespace
}  // namespace kerr::isa::tensix

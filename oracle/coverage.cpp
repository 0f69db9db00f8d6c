#include "oracle/coverage.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

#include "isa/tensix/table.hpp"
#include "oracle/instructions/instruction_case.hpp"
#include "oracle/instructions/recorded_case.hpp"
#include "oracle/vectors.hpp"

namespace kerr::oracle {
namespace {

std::ifstream open(const std::filesystem::path& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no " + path.string());
  return in;
}

void count_instructions(const std::filesystem::path& path, std::map<std::string, Coverage>& all) {
  std::ifstream in = open(path);
  for (RecordedCase c; read(in, c);) {
    Coverage& entry = all.at(c.mnemonic);
    if (!c.refusal.empty()) {
      entry.refusal = c.refusal;
      continue;
    }
    ++entry.programs;
    entry.cases += c.executions;
    const InstructionCase made = make_instruction_case(c.mnemonic, c.seed);
    entry.words.insert(made.words.begin(), made.words.end());
    if (!made.mode.empty()) entry.modes.insert(made.mode);
  }
}

void count_matrix_unit(const std::filesystem::path& path, std::map<std::string, Coverage>& all) {
  std::ifstream in = open(path);
  for (FpuVector v; read(in, v);) {
    const std::string mode = describe(v.block);
    Coverage& entry = all.at(mode.substr(0, mode.find(' ')));
    ++entry.cases, ++entry.programs;
    entry.modes.insert(mode.substr(mode.find(' ') + 1));
  }
}

void count_vector_unit(const std::filesystem::path& path, std::map<std::string, Coverage>& all) {
  std::ifstream in = open(path);
  for (SfpuVector v; read(in, v);) {
    std::set<std::string> named;
    for (const uint32_t word : v.block.words) {
      const isa::tensix::Row* const row = isa::tensix::row_of(word);
      Coverage& entry = all.at(std::string(row->mnemonic));
      ++entry.cases;
      entry.words.insert(word);
      named.insert(std::string(row->mnemonic));
    }
    for (const std::string& mnemonic : named) ++all.at(mnemonic).programs;
  }
}

}  // namespace

std::map<std::string, Coverage> coverage(const std::filesystem::path& vectors) {
  std::map<std::string, Coverage> all;
  for (const isa::tensix::Row& row : isa::tensix::rows()) all[std::string(row.mnemonic)];
  count_instructions(vectors / "instructions.txt", all);
  count_matrix_unit(vectors / "fpu.txt", all);
  count_vector_unit(vectors / "sfpu.txt", all);
  return all;
}

std::string coverage_table(const std::map<std::string, Coverage>& all) {
  std::string out = "mnemonic        cases  programs  words  modes\n";
  unsigned total = 0, covered = 0, refused = 0;
  for (const isa::tensix::Row& row : isa::tensix::rows()) {
    const Coverage& c = all.at(std::string(row.mnemonic));
    char line[96];
    std::snprintf(line, sizeof line, "%-14s %6u  %8u  %5zu  %5zu", std::string(row.mnemonic).c_str(), c.cases,
                  c.programs, c.words.size(), c.modes.size());
    out += c.refusal.empty() ? std::string(line) + "\n" : std::string(row.mnemonic) + " refused: " + c.refusal + "\n";
    total += c.cases;
    ++(c.refusal.empty() ? covered : refused);
  }
  return out + std::to_string(total) + " cases of " + std::to_string(covered) + " instructions; " +
         std::to_string(refused) + " are always refused\n";
}

}  // namespace kerr::oracle

// How many recorded cases there are for each mnemonic, over all files of tests/oracle/vectors/.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

namespace kerr::oracle {

struct Coverage {
  unsigned cases = 0;           ///< recorded executions
  unsigned programs = 0;        ///< that they are spread over
  std::set<uint32_t> words;     ///< different instruction words among them
  std::set<std::string> modes;  ///< different formats and the like
  std::string refusal;          ///< the reference simulator's words if it never accepts the instruction
};

/// Counts what the folder's instructions.txt, fpu.txt and sfpu.txt hold. Every mnemonic of the instruction table has an
/// entry.
std::map<std::string, Coverage> coverage(const std::filesystem::path& vectors);

/// One line a mnemonic, in the order of the instruction table, and the totals.
std::string coverage_table(const std::map<std::string, Coverage>& all);

}  // namespace kerr::oracle

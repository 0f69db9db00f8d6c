// kerr_oracle_instructions LIBRARY [CASES [MNEMONIC...]] [--record FILE]: instruction cases on a library and on our
// tile, until each mnemonic has CASES executions (some have
// more) that the library accepted. Says which differ and what the library refused.
// With --record, cases whose results agree go to FILE (tests/oracle/vectors/instructions.txt), CASES executions of each
// mnemonic. Look at those that it names as different: README.md lists what differs on purpose.
// kerr_oracle_instructions LIBRARY show MNEMONIC SEED: one case, its steps, and where the results differ.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "isa/tensix/table.hpp"
#include "oracle/instructions/instruction_case.hpp"
#include "oracle/instructions/recorded_case.hpp"
#include "oracle/isolate.hpp"
#include "oracle/local_tile.hpp"
#include "oracle/run.hpp"
#include "oracle/tools/tool.hpp"

namespace {

using namespace kerr::oracle;

constexpr unsigned kTries = 40, kTriesWithoutSuccess = 40;  // programs for each wanted execution, at most; in all

// Instructions with many formats get more cases.
unsigned weight(std::string_view mnemonic) {
  if (mnemonic == "UNPACR" || mnemonic == "PACR") return 6;
  for (const char* name : {"MVMUL", "ELWMUL", "ELWADD", "ELWSUB", "GAPOOL", "GMPOOL", "SFPMAD", "SFPADD", "SFPMUL"})
    if (mnemonic == name) return 3;
  return 1;
}

Outcome on_library(const char* path, const TileCase& c) {
  return isolate([&] {
    Device device(path);
    return run_case(device, c);
  });
}

// Empty `bytes` and a sentence if we refuse.
std::vector<uint8_t> on_tile(const TileCase& c, std::string& refusal) {
  try {
    LocalTile tile;
    return run_case(tile, c);
  } catch (const std::exception& error) {
    refusal = error.what();
    return {};
  }
}

// "UnsupportedFunctionality: tensix_decode_rareb" out of "[351] ERROR: ...".
std::string words_of(const std::string& message) {
  std::string line = message.substr(0, message.find_last_not_of("\n ") + 1);
  if (const size_t end = line.rfind('\n'); end != std::string::npos) line = line.substr(end + 1);
  if (const size_t at = line.find("ERROR: "); at != std::string::npos) return line.substr(at + 7, 160);
  return line.find(" seconds (") != std::string::npos ? "the program does not finish" : line.substr(0, 160);
}

struct Tally {
  unsigned executions = 0, programs = 0, tries = 0, different = 0, refused_by_us = 0;
  std::map<std::string, unsigned> refusals;
};

Tally run_mnemonic(const char* path, std::string_view mnemonic, unsigned wanted, std::ostream* record) {
  Tally tally;
  for (unsigned seed = 1; tally.executions < wanted; ++seed) {
    if (++tally.tries > (tally.programs ? kTries * wanted : kTriesWithoutSuccess)) break;
    const InstructionCase c = make_instruction_case(mnemonic, seed);
    if (c.executions == 0) continue;
    const Outcome theirs = on_library(path, c.tile);
    if (!theirs.finished) {
      ++tally.refusals[words_of(theirs.message)];
      continue;
    }
    ++tally.programs;
    std::string refusal;
    const std::vector<uint8_t> ours = on_tile(c.tile, refusal);
    const bool agrees = refusal.empty() && ours == theirs.bytes;
    if (agrees || record == nullptr) tally.executions += c.executions;
    if (!refusal.empty()) {
      ++tally.refused_by_us;
      std::printf("%s seed %u: only we refuse: %s\n", std::string(mnemonic).c_str(), seed, refusal.c_str());
    } else if (!agrees) {
      ++tally.different;
      std::printf("%s seed %u DIFFERS (%s)\n", std::string(mnemonic).c_str(), seed, c.mode.c_str());
    }
    if (record != nullptr && agrees) {
      write(*record, {std::string(mnemonic), seed, c.executions, program_checksum(c.tile), crc32(theirs.bytes), {}});
    }
  }
  return tally;
}

int show(const char* path, const std::string& mnemonic, unsigned seed) {
  const InstructionCase c = make_instruction_case(mnemonic, seed);
  for (const std::string& line : c.tile.text) std::printf("%s\n", line.c_str());
  std::printf("mode: %s\n", c.mode.c_str());
  const Outcome theirs = on_library(path, c.tile);
  if (!theirs.finished) {
    std::printf("the library refuses: %s\n", theirs.message.c_str());
    return 1;
  }
  std::string refusal;
  const std::vector<uint8_t> ours = on_tile(c.tile, refusal);
  if (!refusal.empty()) {
    std::printf("we refuse: %s\n", refusal.c_str());
    return 1;
  }
  size_t start = 0;
  unsigned shown = 0;
  for (const TileCase::Region& r : c.tile.after) {
    for (size_t n = 0; n < r.bytes && shown < 40; n += 4) {
      uint32_t a = 0, b = 0;
      std::memcpy(&a, &theirs.bytes[start + n], 4);
      std::memcpy(&b, &ours[start + n], 4);
      if (a == b) continue;
      std::printf("0x%05zX (byte %zu): library %08X, ours %08X\n", r.address + n, n, a, b);
      ++shown;
    }
    start += r.bytes;
  }
  return shown != 0;
}

int run(int argc, char** argv) {
  const char* path = argv[1];
  std::ofstream record;
  if (argc > 3 && std::strcmp(argv[argc - 2], "--record") == 0) {
    record.open(argv[argc - 1]);
    argc -= 2;
    record << "# Recorded by kerr_oracle_instructions from the reference simulator ttsim 1.10.0 (Blackhole): mnemonic, "
              "seed, executions, CRC-32 of the program and of its result. oracle/README.md\n";
  }
  if (argc == 5 && std::strcmp(argv[2], "show") == 0) return show(path, argv[3], number(argc, argv, 4, 1));
  const unsigned wanted = number(argc, argv, 2, 200);
  std::vector<std::string_view> mnemonics(argv + std::min(argc, 3), argv + argc);
  if (mnemonics.empty()) {
    for (const kerr::isa::tensix::Row& row : kerr::isa::tensix::rows()) mnemonics.push_back(row.mnemonic);
  }
  bool all_equal = true;
  for (const std::string_view mnemonic : mnemonics) {
    const Tally t = run_mnemonic(path, mnemonic, wanted * weight(mnemonic), record.is_open() ? &record : nullptr);
    all_equal &= t.different == 0 && t.refused_by_us == 0;
    if (t.executions == 0 && record.is_open()) {
      const auto common = std::max_element(t.refusals.begin(), t.refusals.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
      RecordedCase refused;
      refused.mnemonic = mnemonic;
      refused.refusal = common == t.refusals.end() ? "no case was made" : common->first;
      write(record, refused);
    }
    std::printf("%-14s %4u executions in %3u programs of %4u, %u differ, %u refused by us\n",
                std::string(mnemonic).c_str(), t.executions, t.programs, t.tries, t.different, t.refused_by_us);
    for (const auto& [why, count] : t.refusals) std::printf("    %u refused: %s\n", count, why.c_str());
    std::fflush(stdout);
  }
  return all_equal ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  return tool_main(argc, argv, "kerr_oracle_instructions LIBRARY.so [CASES [MNEMONIC...]] [--record FILE]", 1, run);
}

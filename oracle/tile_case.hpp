// A program for a tile with its data and the memory that shows what it did: what two libraries are compared on.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/device.hpp"
#include "oracle/program.hpp"

namespace kerr::oracle {

struct TileCase {
  struct Memory {
    uint32_t address;
    std::vector<uint8_t> bytes;
  };
  struct Region {
    uint32_t address, bytes;
  };
  std::vector<Memory> before;
  std::map<Hart, Program> programs;
  std::vector<Region> after;
  std::vector<std::string> text;  ///< the steps, for a person
};

/// The regions' bytes after the programs have run. Throws std::runtime_error if they do not finish.
std::vector<uint8_t> run_case(Chip& device, const TileCase& c);

/// CRC-32 of a case's data and steps: tells whether a generator still makes the case that a result was recorded for.
uint32_t checksum(const TileCase& c);

/// A sequence of matrix unit instructions on one thread, then all that was written to Dst packed: moves, clears,
/// counters and address modifiers, bank hand-over, in a random format and Dst width. Keeps to what the reference
/// simulator accepts.
TileCase random_tensix_case(std::mt19937& random);

/// Straight-line RV32 code on one hart with forward branches, then all registers stored: integer, multiply, bit
/// manipulation, loads and stores of every width, atomics.
TileCase random_rv32_case(std::mt19937& random);
/// The same with the scalar floating-point subset.
TileCase random_rv32_float_case(std::mt19937& random);

/// The generators by name: tensix, rv32, rv32f. nullptr for another name.
using MakeCase = TileCase (*)(std::mt19937&);
MakeCase case_generator(std::string_view name);

}  // namespace kerr::oracle

// Small random programs around one Tensix instruction: the unit of the recorded coverage. Each program sets a tile up,
// executes the instruction a few times with operands of its own choice, and copies what it may have changed to L1.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/tile_case.hpp"

namespace kerr::oracle {

struct InstructionCase {
  TileCase tile;                ///< `text` lists the executed words, disassembled
  unsigned executions = 0;      ///< of the instruction that the case is about
  std::vector<uint32_t> words;  ///< those executions
  std::string mode;             ///< formats and the like: "BF16 x TF32, FP32 Dst, phase 2"
};

/// The same mnemonic and seed make the same case. A case may well be one that the reference simulator refuses:
/// recording drops it. A mnemonic without a generator of its own is executed with any operands. Throws
/// std::out_of_range for one that does not exist.
InstructionCase make_instruction_case(std::string_view mnemonic, unsigned seed);

/// CRC-32 of everything that a case puts into the tile: tells whether a generator still makes the recorded case.
uint32_t program_checksum(const TileCase& c);

}  // namespace kerr::oracle

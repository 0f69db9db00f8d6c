// Small programs for TRISCs as data, with the values that silicon leaves: tests/emu/tile/programs/*.prog.
//
// One operation a line, numbers hexadecimal, # to the end of the line is a comment:
//   fill ADDRESS BYTES HEX   L1 from ADDRESS on holds the bytes of HEX, again and again
//   thread N                 what follows is for TRISC N
//   ins WORD                 pushes a Tensix word; or an instruction as the assembler writes it
//   cfg W VALUE              stores a word of configuration bank 0
//   raw WORD                 an RV32 instruction
//   sync                     waits until the thread has nothing under way
//   want ADDRESS SIZE VALUE  what L1 holds in the end
//   remark TEXT              a part of a remark that the run leaves
// What a line of sync or raw holds more is not looked at.
#pragma once

#include <string>
#include <vector>

#include "tests/emu/tile/world.hpp"

namespace kerr::emu {

struct ProgramFile {
  struct Want {
    uint32_t address, bytes, value;
    std::string line;
  };
  struct Fill {
    uint32_t address, bytes;
    std::vector<uint8_t> pattern;
  };
  std::vector<Fill> fills;
  std::array<std::vector<uint32_t>, kThreads> code;  // RV32 words, as far as there are any
  std::vector<Want> wants;
  std::vector<std::string> remarks;

  /// Throws std::runtime_error with file and line.
  static ProgramFile read(const std::string& path);
  /// All names in tests/emu/tile/programs, without ".prog", in order.
  static std::vector<std::string> names();
  static std::string path_of(const std::string& name);

  /// Runs it on the tile and expects what it wants, and no fault.
  void run(World& world) const;
};

}  // namespace kerr::emu

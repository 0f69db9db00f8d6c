// The file in which a debugger's client finds symbols and lines of code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "debug/program.hpp"

namespace kerr::debug {

struct SymbolFile {
  std::string name;
  std::string contents;            // an ELF file
  std::vector<uint32_t> segments;  // where each PT_LOAD lies on the machine
};

/// Its own ELF file if the code came from one, otherwise one that is made of the image: bytes, symbols and lines.
SymbolFile symbol_file(const Code& code);

}  // namespace kerr::debug

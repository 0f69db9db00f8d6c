// The line table of DWARF 2 to 5.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "isa/code.hpp"

namespace kerr::image {

/// The sections .debug_line, .debug_line_str and .debug_str of a file; empty: it has none.
struct LineSections {
  std::span<const uint8_t> lines, line_texts, texts;
};

/// The lines of one compilation unit.
struct LineUnit {
  uint64_t offset = 0;             // in .debug_line, by which the unit's description names it
  std::vector<std::string> files;  // by the numbers of the unit; 1 is its own, from DWARF 5 on 0 too
  std::vector<isa::LineEntry> lines;
};

/// As far as they can be read.
std::vector<LineUnit> read_line_units(const LineSections& sections);

/// All of them by address, each address once; line 0: no source from here on.
std::vector<isa::LineEntry> merged_lines(std::vector<LineUnit> units);

}  // namespace kerr::image

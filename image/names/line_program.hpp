// The line table of DWARF 2 to 5.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "isa/code.hpp"

namespace kerr::image {

/// The sections .debug_line, .debug_line_str and .debug_str of a file; empty: it has none.
struct LineSections {
  std::span<const uint8_t> lines, line_texts, texts;
};

/// By address, each address once; line 0: no source from here on. As far as it can be read.
std::vector<isa::LineEntry> read_line_programs(const LineSections& sections);

}  // namespace kerr::image

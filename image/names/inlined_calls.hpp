// Which call brought inlined code to where it is, by the descriptions of DWARF 3 to 5.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "image/names/line_program.hpp"

namespace kerr::image {

/// The sections .debug_info, .debug_abbrev, .debug_ranges and .debug_rnglists of a file; empty: it has none.
struct CallSections {
  std::span<const uint8_t> info, abbreviations, ranges, range_lists;
};

/// A line of another file belongs to the call in the unit's own file that brought it there, and becomes the inner one
/// of two. As far as the descriptions can be read.
void name_callers(const CallSections& sections, std::vector<LineUnit>& units);

}  // namespace kerr::image

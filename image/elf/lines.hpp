#pragma once

#include <vector>

#include "image/image.hpp"

struct Elf;

namespace kerr::image {

/// The DWARF line table, by address. Empty if the file has none, or one that libdw cannot read: lines are a
/// convenience, and a program runs without them.
std::vector<LineEntry> read_lines(Elf* elf);

}  // namespace kerr::image

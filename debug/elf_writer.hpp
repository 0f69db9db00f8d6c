// An ELF file of an image: what assembler text has no file for.
#pragma once

#include <string>

#include "image/image.hpp"

namespace kerr::debug {

/// A 32-bit RISC-V file with the image's executable segments at their addresses, its symbols, and DWARF 4 of its lines.
/// `folder`: where its source files lie that have no folder of their own; empty: nobody knows.
std::string elf_of(const image::Image& image, const std::string& folder);

}  // namespace kerr::debug

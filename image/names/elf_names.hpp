// Names of functions and lines of an ELF file, read without libelf and libdw: for a library that needs libc only.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "image/image.hpp"

namespace kerr::image {

/// Name, entry, loadable segments, symbols and lines of an executable of the machine. Files from anywhere are safe to
/// read: what lies outside the file is not there. Names and lines that cannot be read are left out; of an
/// inlined function the line is that of the call, if it stands in the unit's own file. (image/elf/reader.hpp reads all
/// of a file, and says what is wrong with it.)
/// Throws Error for what is no such executable.
Image read_elf_names(std::span<const uint8_t> bytes, std::string name);

}  // namespace kerr::image

#pragma once

#include <string>
#include <vector>

#include "image/image.hpp"

struct Elf;

namespace kerr::image {

/// The relocations of sections that are loaded, if the file was linked with --emit-relocs. Throws Error naming file and
/// section if a table lies: symbols that are not there, or more entries than any program has.
std::vector<Relocation> read_relocations(Elf* elf, const std::string& name);

/// The section .kerr.uses: pairs of words, kind and value. Kinds that this version does not know are left out. Throws
/// Error for a section of half a pair.
std::vector<Use> read_uses(Elf* elf, const std::string& name);

/// The section .kerr.prints (device/print.hpp), as remarks on the prints' instructions: isa/print.hpp. Throws Error for
/// a section that is damaged.
std::vector<Comment> read_prints(Elf* elf, const std::string& name);

}  // namespace kerr::image

// Code for one hart, from a file of whatever kind.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "arch/memory_map.hpp"
#include "image/image.hpp"

namespace kerr::jobs {

struct RunKernel;

/// image::read_elf, which needs libelf and libdw, or a function that refuses ELF files.
using ReadElf = image::Image (*)(std::span<const uint8_t> bytes, std::string name);

/// An ELF file by its first bytes; text is assembled (isa/text/assemble.hpp); anything else is code as it is, entered
/// at its first byte. `name`: of the file, for messages. `base`: where text and raw code begin, which matters only to
/// code that is not position-independent. Throws std::runtime_error with a sentence, of text with its line.
image::Image read_code(std::string_view content, const std::string& name, uint32_t base, ReadElf read_elf);
/// With image::read_elf.
image::Image read_code(std::string_view content, const std::string& name, uint32_t base);

/// What a debugger is told of the file that a kernel was read from.
void remember_file(RunKernel& kernel, const std::string& content, const std::string& path);

/// "brisc", "NCRISC", "trisc0" ... Throws std::invalid_argument.
arch::Hart parse_hart(std::string_view text);
/// "brisc"
std::string hart_name(arch::Hart hart);

}  // namespace kerr::jobs

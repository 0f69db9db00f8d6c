#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "image/error.hpp"
#include "image/image.hpp"

// ELF files into images. Only what the machine can run: 32-bit little-endian RISC-V, linked (executable or shared).
// Files from anywhere are safe to read: every offset and size is checked against the file.

namespace kerr::image {

/// Loadable segments, entry, symbols, the DWARF line table if the file has one that can be read, relocations if the
/// linker has left them there, and what the program says that it uses.
/// Throws Error naming the file and what is wrong with it.
Image read_elf(const std::filesystem::path& file);

/// The same for bytes in memory; `name` stands for the file in messages.
Image read_elf(std::span<const uint8_t> bytes, std::string name);

/// The three programs of a compute kernel, for TRISC0, TRISC1 and TRISC2: `base`.unpack.elf, .math.elf and .pack.elf,
/// which kerr_add_kernel of CMake makes.
std::array<Image, 3> read_compute(const std::filesystem::path& base);

/// Code in a file: an executable section that is loaded.
struct CodeSection {
  std::string name;
  uint32_t address = 0;
  std::vector<uint8_t> bytes;
};

/// In the order of addresses. Segments begin with headers that a linker put there; sections hold code alone. Empty for
/// a file without section headers. Throws Error.
std::vector<CodeSection> read_code_sections(std::span<const uint8_t> bytes, const std::string& name);

/// Whether the bytes start like an ELF file.
bool is_elf(std::span<const uint8_t> bytes);

}  // namespace kerr::image

// Code as lines, for kerr asm and kerr disasm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kerr::cli {

inline constexpr uintmax_t kLargestCodeFile = 64u << 20;

struct CodeLine {
  uint32_t address, word;
  std::string text;
  std::string section;               // that begins here, of an ELF file
  std::vector<std::string> symbols;  // likewise
};

/// As text, or as JSON.
void print_lines(const std::vector<CodeLine>& lines, bool json);

/// `tensix`: the word is a raw Tensix instruction, not a hart's code.
std::string disassembled(uint32_t word, uint32_t address, bool tensix);
std::vector<CodeLine> lines_of(const uint8_t* bytes, size_t count, uint32_t address, bool tensix);

}  // namespace kerr::cli

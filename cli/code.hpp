// kerr asm and kerr disasm: text to words and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kerr::cli {

struct AsmRequest {
  std::string file;
  std::string output;  // raw bytes go here; empty: a listing on standard output
  uint32_t base = 0;   // address of the first byte
  bool json = false;
};
int asm_command(const AsmRequest& request);

struct DisasmRequest {
  std::vector<std::string> what;  // a file (ELF or raw words), or words in hexadecimal
  bool tensix = false;            // words are raw Tensix instructions, not a hart's code
  std::optional<uint32_t> base;   // address of a raw file's first byte; an ELF file has its own
  bool json = false;
};
int disasm_command(const DisasmRequest& request);

}  // namespace kerr::cli

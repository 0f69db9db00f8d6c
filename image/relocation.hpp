#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Places of an image that hold an address, or a part of one: what has to be rewritten when code and data move apart,
// and what a linker leaves behind when it is asked for (--emit-relocs).

namespace kerr::image {

struct Relocation {
  enum class Kind : uint8_t {
    Word,     // all 32 bits
    Hi20,     // lui
    Lo12I,    // the immediate of addi, lw, ... behind a lui
    Lo12S,    // of sw, ...
    PcHi20,   // auipc
    PcLo12I,  // the lower half of an auipc, whose address is the target
    PcLo12S,
    Near,    // call, jump or branch: relative to the instruction
    Global,  // relative to gp
    Table,   // by way of a global offset table, or of thread-local storage
    Unknown,
  };

  Kind kind = Kind::Unknown;
  uint32_t address = 0;   // of the word that is rewritten
  uint32_t target = 0;    // what the word leads to; of PcLo12I and PcLo12S the address of the auipc
  uint32_t type = 0;      // the number of the ELF file
  std::string symbol{};   // for messages
  std::string section{};  // where the symbol is, for messages
  friend bool operator==(const Relocation&, const Relocation&) = default;
};

/// The instruction or word with (part of) `target` in it, as Word, Hi20, Lo12I or Lo12S say. Others return it
/// unchanged.
uint32_t with_target(uint32_t word, Relocation::Kind kind, uint32_t target);

/// Rewrites `bytes`, which began at `base` and now begin `delta` above it, so that words that lead to themselves do so
/// again. Relocations outside the bytes are skipped.
void relocate(std::span<uint8_t> bytes, uint32_t base, std::span<const Relocation> relocations, uint32_t delta);

}  // namespace kerr::image

// Which memory is meant: "l1:0x10000+64:bf16=x.npy".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "arch/grid.hpp"
#include "jobs/run/elements.hpp"

namespace kerr::jobs {

struct Place {
  enum class Area : uint8_t {
    Buffer,      // by its name: L1 of a core, or pages of DRAM in their order
    L1,          // by address
    Dram,        // by address in one bank
    Registers,   // of harts
    Semaphores,  // of the program
  };
  Area area = Area::L1;
  std::string name;                    // Buffer
  std::optional<arch::NocCoord> core;  // translated; none: each core of the run. Not of Dram
  uint32_t bank = 0;                   // Dram: logical
  uint64_t address = 0;                // L1, Dram
  std::optional<uint64_t> bytes;       // none: all there are
};

/// A place, what is in it, and a file.
struct PlacedData {
  Place place;
  std::optional<Element> element;  // none: a hexadecimal word, or bytes as they are
  std::string file;                // empty: none
  std::string text;                // as it was written, for messages
};

/// PLACE[:ELEMENT][=FILE], where PLACE is
///
///   NAME, NAME+64, NAME@1,2        a buffer of the run; its first 64 bytes; that of one core
///   l1:0x10000+64, l1@1,2:0x10000+64
///   dram:0x40+64, dram@3:0x40+64   bank 0, bank 3
///   reg, reg@1,2, sem, sem@1,2
///
/// Throws std::invalid_argument with a sentence that quotes the text.
PlacedData parse_placed_data(std::string_view text);

}  // namespace kerr::jobs

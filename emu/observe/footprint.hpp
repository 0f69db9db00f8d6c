// What an instruction of a coprocessor thread did to state that threads share.   docs/architecture.md "Observing"
#pragma once

#include <array>
#include <cstdint>

namespace kerr::emu {

/// Banks are bits: 0 and 1 of SrcA, 2 and 3 of SrcB.
struct Footprint {
  /// Rows of Dst as they are stored, of 1,024.
  struct Rows {
    uint16_t first = 0, count = 0;
  };

  // The 32-bit view: the high halves and the low ones, unless they lie together.
  std::array<Rows, 2> rows{};
  uint8_t valid_rows = 0;   // of the first 8 of rows[0], one bit each: those that were valid before
  bool reads_dst = false;   // those rows
  bool writes_dst = false;  // likewise
  bool clears_dst = false;  // only their flags, to invalid
  bool wide_dst = false;    // an UNPACR that writes to Dst: to the 32-bit view
  bool scattered = false;   // reads or writes rows of Dst, and it is not told which
  uint8_t banks_read = 0, banks_written = 0;
  uint8_t banks_given = 0;     // to the matrix unit
  uint8_t banks_released = 0;  // to the unpackers
  std::array<uint8_t, 2>
      fpu_banks{};  // afterwards: the bit of the bank of SrcA, and of SrcB, that the matrix unit uses next
  std::array<uint8_t, 2> next_banks{};  // likewise of the unpackers
  uint8_t banks_valid = 0;              // afterwards: those that the matrix unit owns

  // Configuration words of a bank: those that an instruction of the configuration unit writes, and the one that has the
  // address of an UNPACR.
  struct Words {
    uint8_t bank = 0, first = 0, count = 0;
    bool whole = false;  // written as whole words, not only some bits of them
    std::array<uint32_t, 4> before{}, after{};
  };
  Words config;
  uint8_t base_word = 0, base_bank = 0;  // 0: none

  // Instructions of the sync unit.
  std::array<uint8_t, 8> semaphores{};  // the values before
  uint8_t without_effect = 0;           // semaphores, one bit each: a post at 15, a get at 0
};

}  // namespace kerr::emu

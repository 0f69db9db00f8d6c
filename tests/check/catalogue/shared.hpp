// What the kernels of the catalogue and the test that runs them agree on.
#pragma once

#include <stdint.h>

namespace kerr::catalogue {

// Runtime arguments of every kernel.
enum Argument : uint32_t {
  kSelector,    // 2 * number of the row, + 1: with its mistake; 0: nothing
  kPhase,       // which of the row's launches this is
  kTile,        // which of the tiles below runs the kernel
  kScratch,     // L1 address of kSlots slots, filled with pattern() on every tile
  kUntouched,   // L1 address of kUntouchedBytes that nobody has written
  kResult,      // L1 address of the word where a tile leaves its result; 0 at first
  kEnd,         // behind the L1 that the program has
  kDramPages,   // address of a DRAM buffer of kDramPageCount pages, filled with dram_pattern()
  kFreedPages,  // of another one, which the host has freed if that is the row's mistake
  kHostMid,     // NoC address of a page of host memory, filled with dram_pattern(): bits 63:32
  kHostLow,     // ... bits 31:0
  kHostTile,    // ... its tile, y << 6 | x
  kArguments
};

// Three tiles side by side: A at (1,2), B, C.
enum Tile : uint32_t { kA, kB, kC };
inline constexpr uint32_t kFirstX = 1, kRow = 2;

// Harts that a row needs, as bits; of a tile that is only read or written, its L1.
inline constexpr uint32_t kBriscOfA = 1, kNcriscOfA = 2, kBriscOfB = 4, kBriscOfC = 8, kTriscsOfA = 16;
inline constexpr uint32_t kMemoryOfB = 32, kMemoryOfC = 64;
inline constexpr uint32_t kBriscs = kBriscOfA | kBriscOfB | kBriscOfC;

inline constexpr uint32_t kSlots = 16, kSlotBytes = 64;
inline constexpr uint32_t kPageBytes = 2048, kPages = 2, kDramPageCount = 4, kUntouchedBytes = 2 * kPageBytes;
inline constexpr uint32_t kSemaphores = 4;
// Circular buffers of tile A: the first two may be filled by any hart, the last one by the packer.
inline constexpr uint32_t kFirstBuffer = 0, kSecondBuffer = 1, kPackedBuffer = 16, kNoBuffer = 5;

/// Word `word` of slot `slot` of a tile; words of DRAM.
constexpr uint32_t pattern(uint32_t tile, uint32_t slot, uint32_t word = 0) {
  return 1000 * (tile + 1) + 20 * slot + word;
}
constexpr uint32_t dram_pattern(uint32_t word) { return 0x3F80'3F80 + 0x10001 * (word % 64); }

}  // namespace kerr::catalogue

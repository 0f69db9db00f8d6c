// The five instruction streams of a vector product. All cores run the same ones, whatever the shape.
//
// Dst has 8 tiles of FP32. The upper half holds the sums of a tile of C, four for each element; the lower half two
// slots, each of a tile of A and a tile of B. A step takes both, or the last tile of an odd K alone.
#pragma once

#include <cstdint>

#include "arch/firmware_layout.hpp"
#include "kernels/format.hpp"
#include "kernels/stream/stream.hpp"

namespace kerr::kernels::vector_product {

inline constexpr Format kFormat = Format::Fp32;

// Tiles of A and B in turn; tiles of C.
inline constexpr uint8_t kBufferIn = 0, kBufferOut = 1;
inline constexpr uint32_t kPagesIn = 8, kPagesOut = 2;

// Runtime arguments, byte offsets. Per core: its first tile of C, how many it makes, the shape, and how many steps
// take two tiles of K, and one.
inline constexpr int kArgFirst = 0, kArgTiles = 4, kArgKTiles = 8, kArgNTiles = 12, kArgMTiles = 16,
                     kArgDoubleSteps = 20, kArgOdd = 24;
// Common: the addresses.
inline constexpr int kCommonA = 0, kCommonB = 4, kCommonC = 8;

inline constexpr int kReaderNoc = 0, kWriterNoc = 1;

inline constexpr uint32_t kUpperHalf = 1;  // of Dst, where sums are
inline constexpr uint32_t kTilesOfSlot = 2;

/// Calls `body(slots)` in loops over the steps of a tile of C: slots = 2, then 1. `count` is the loops' register,
/// `twos` and `ones` hold how many there are.
template <class Body>
void for_each_step(Stream& a, isa::Reg count, isa::Reg twos, isa::Reg ones, Body&& body) {
  const auto skip = [&](isa::Reg steps, auto&& emit) {
    const isa::Label none = a.label();
    a.beqz(steps, none);
    emit();
    a.bind(none);
  };
  skip(twos, [&] {
    a.mv(count, twos);
    a.repeat_argument(count, kArgDoubleSteps, [&] { body(2); });
  });
  skip(ones, [&] {
    const auto turns = a.turns_argument(kArgOdd);
    body(1);
  });
}

Kernel reader(const arch::FirmwareLayout& layout);  // NCRISC
Kernel writer(const arch::FirmwareLayout& layout);  // BRISC
Kernel unpack();                                    // TRISC0
Kernel math();                                      // TRISC1
Kernel pack();                                      // TRISC2

}  // namespace kerr::kernels::vector_product

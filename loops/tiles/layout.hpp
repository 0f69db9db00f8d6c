// Where the elements of a matrix lie in scratch memory.
#pragma once

#include <cstdint>
#include <vector>

namespace kerr::loops::tiles {

/// A part of an element's batch, row or column number: (number / stride) % extent.
struct Digit {
  enum class Of : uint8_t { Batch, Row, Column };
  Of of;
  uint32_t extent, stride;
};

/// The digits that count through memory, the slowest first. Together they give each element one place.
struct Layout {
  std::vector<Digit> digits;

  uint64_t elements() const {
    uint64_t out = 1;
    for (const Digit& digit : digits) out *= digit.extent;
    return out;
  }
  /// One more than the largest number.
  uint64_t extent(Digit::Of of) const {
    uint64_t out = 1;
    for (const Digit& digit : digits)
      if (digit.of == of) out *= digit.extent;
    return out;
  }
};

/// Matrices of tiles of 32 x 32, row-major over the tiles; a tile is four faces of 16 x 16.
inline Layout faces(uint32_t batch, uint32_t row_tiles, uint32_t column_tiles) {
  using enum Digit::Of;
  return {{{Batch, batch, 1},
           {Row, row_tiles, 32},
           {Column, column_tiles, 32},
           {Row, 2, 16},
           {Column, 2, 16},
           {Row, 16, 1},
           {Column, 16, 1}}};
}

}  // namespace kerr::loops::tiles

// Where the elements of a matrix lie in scratch memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace kerr::loops::tiles {

/// A part of an element's batch, row or column number: (number / stride) % extent.
struct Digit {
  enum class Of : uint8_t { Batch, Row, Column };
  Of of;
  uint32_t extent, stride;
  /// Another digit of the same extent, which is a power of two: memory counts what is left of that one without this
  /// one, modulo the extent. None: it counts this one.
  std::optional<uint32_t> from = {};
};

inline constexpr uint32_t kTileDigits = 3;  // the first ones of the layouts here: they count tiles

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

/// The layouts of a product's factors and result.
struct ProductLayouts {
  Layout a, b, c;
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

/// The layouts of kernels/vector_product.
inline ProductLayouts pairs(uint32_t batch, uint32_t m_tiles, uint32_t n_tiles, uint32_t k_tiles) {
  using enum Digit::Of;
  const auto pairs_of_rows = [&](uint32_t rows, uint32_t columns) {
    return Layout{
        {{Batch, batch, 1}, {Row, rows, 32}, {Column, columns, 32}, {Row, 16, 2}, {Column, 32, 1}, {Row, 2, 1}}};
  };
  const Layout b{{{Batch, batch, 1},
                  {Column, n_tiles, 32},
                  {Row, k_tiles, 32},
                  {Column, 2, 16},
                  {Row, 8, 1, 6},
                  {Row, 4, 8},
                  {Column, 8, 1},
                  {Column, 2, 8}}};
  return {pairs_of_rows(m_tiles, k_tiles), b, pairs_of_rows(m_tiles, n_tiles)};
}

}  // namespace kerr::loops::tiles

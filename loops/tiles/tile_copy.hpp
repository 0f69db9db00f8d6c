// Memory that factors load again and again, copied once into the order of tiles.
//
// A factor loads element stride * u + v. Here u counts the elements of a tile, or of a group of tiles, and v, which is
// below the stride, says which group it is. Transposed convolutions do so: u counts images and channels, v is the place
// in an image. Elements of a tile are far apart, and many tiles load the same ones. The copy has a tile for each v, whose
// elements lie as the tile's do in the matrix.
#pragma once

#include <optional>

#include "loops/tiles/gather.hpp"

namespace kerr::loops::tiles {

/// Nothing: the load is none of this kind, or few elements are loaded more than once.
std::optional<TileCopy> find_tile_copy(const Program& bound, const Gathered& what);
/// The program that makes the copy, in kCopy: a tile for each v, of one tile of the group after the other.
Made tile_copy(const Program& bound, const Gathered& what);

}  // namespace kerr::loops::tiles

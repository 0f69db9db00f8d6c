// Places in memory of a factor's elements, from tables for each tile.
//
// The load's address is a sum of what rows say and of what columns say: 32 numbers of each are computed for a tile, and
// added for its 1024 elements. So divisions, which count in several loops at once, are made for numbers only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "loops/tiles/gather.hpp"

namespace kerr::loops::tiles {

/// The line of the load. Nothing: the address is no such sum, or easily computed, or
/// the load has a gate.
std::optional<uint32_t> find_tile_tables(const Program& bound, const Gathered& what);

/// The tables of a gathering program. Used in this order: fill() in the loops of tiles, look_up() in each loop inside.
class TileTables {
 public:
  TileTables(const Program& bound, const Gathered& what, uint32_t load);
  /// `counts`: of the layout's digits, so far those of tiles.
  void fill(Maker& maker, const std::vector<Operand>& counts);
  /// `digit`: the one whose loop has begun, or has one iteration.
  void look_up(Maker& maker, const std::vector<Operand>& counts, size_t digit);
  /// What the load is.
  Operand loaded(Maker& maker) const;

 private:
  const std::vector<uint32_t>& loops_of(Digit::Of axis) const;

  const Program& bound_;
  const Gathered& what_;
  const Instruction& load_;
  std::array<uint32_t, 2> table_{};  // of rows, of columns
  std::array<Operand, 2> part_{};    // of the element's place
};

}  // namespace kerr::loops::tiles

// The program that computes a factor of a contraction for all its loops' iterations, and stores it as a matrix.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "loops/program.hpp"
#include "loops/tiles/contraction.hpp"
#include "loops/tiles/layout.hpp"
#include "loops/tiles/maker.hpp"

namespace kerr::loops::tiles {

/// A part of a contraction: some iterations of one of its loops. Programs for it have the first of them as variable.
struct Chunk {
  uint32_t loop = ~0u;  // its line; none: all
  uint64_t size = 0;
};
/// Iterations of the loop in a chunk.
uint64_t extent_of(const Program& program, uint32_t loop, const Chunk& chunk);
uint64_t extent_of(const Program& program, const std::vector<uint32_t>& loops, const Chunk& chunk);

// Parameters of a gathering program.
inline constexpr uint32_t kMatrix = kScratch, kFlags = kScratch + 1, kCopy = kScratch + 2;

/// How what a factor loads is copied into the order of tiles (tile_copy.hpp).
struct TileCopy {
  struct Loop {
    uint32_t line;
    uint64_t step;  // elements from one iteration to the next
  };
  uint32_t load = 0;        // its line
  std::vector<Loop> loops;  // whose iterations are inside of a group of tiles
  uint64_t stride = 1;  // the smallest step: elements are a multiple of it apart in a group, and so many groups differ
  Digit::Of whole{};    // the axis all of whose tiles are one group
  uint64_t whole_tiles = 1;  // of the group, along this axis ...
  uint64_t part_tiles = 1;   // ... and along the other one

  uint64_t elements() const { return stride * whole_tiles * part_tiles * 1024; }
};

/// The product of `factors`, or 0 where one of `gates` is not so, for iterations of loops: some of them for each axis.
struct Gathered {
  std::vector<Operand> factors;
  std::vector<Gate> gates;
  std::vector<uint32_t> batch, rows, columns;  // lines of loops, the outermost first
  Layout layout;                               // at least as large as they
  Type type = Type::F32;                       // that is stored; Bf16: of one factor that is bf16, or was
  /// The first so many digits' iterations each have a word of kFlags, which is not 0 if one of their elements has the
  /// exponent of infinities and NaN.
  std::optional<size_t> flag_digits;
  // How its program is quicker; the matrix is the same.
  std::optional<TileCopy> copy = {};
  std::optional<uint32_t> tables = {};  // the line of a load whose places come from tables (tile_tables.hpp)
};

/// Elements of the layout that no iteration has are 0.
Made gather(const Program& bound, const Gathered& what, const Chunk& chunk);
uint64_t flags_of(const Gathered& what);

}  // namespace kerr::loops::tiles

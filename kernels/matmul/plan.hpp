// Which core computes which tiles of C = A x B, and in what blocks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "kernels/format.hpp"

namespace kerr::kernels {

enum class Fidelity : std::uint8_t { LoFi = 1, HiFi2, HiFi3, HiFi4 };  // the value is the number of phases

inline constexpr std::uint32_t kLargestSize = 1u << 20;  // of M, N and K
inline constexpr std::uint32_t kTileDim = 32;

struct MatmulOptions {
  Fidelity fidelity = Fidelity::HiFi2;
  bool fp32_accumulate = false;  // Dst in fp32 instead of bf16
  Format in = Format::Bf16;      // of A and B
  Format out = Format::Bf16;     // of C
  bool zones = false;            // kernels mark where their time goes

  constexpr bool int8() const { return in == Format::Int8; }
  /// Dst holds 32 bits a datum: asked for, or because nothing narrower keeps the sums of such operands.
  constexpr bool dst32() const { return fp32_accumulate || in == Format::Fp32 || int8(); }
};

/// The packer's intermediate format (a code) between Dst and C. Throws std::invalid_argument with a sentence when these formats do
/// not go together.
std::uint32_t packer_input(const MatmulOptions& options);

/// A is m x k, B is k x n, C is m x n. Counts of tiles are of 32 x 32 elements and include the padding.
///
/// Cores form a logical grid_rows x grid_columns grid, each with core_rows x core_columns tiles of C, which it computes in
/// sub-blocks of sub_rows x sub_columns. Two dataflows:
///   direct     any cores; each reads its own operands from DRAM, k_block tiles of K at a time; a sub-block stays in Dst over
///              the whole of K.
///   multicast  a rectangle of cores; the first of each row reads A's block of the row and multicasts it along the row,
///              the first of each column B's; sub-blocks are added up in L1 from one K block to the next
///              (docs/hardware/kernels.md 4.3).
struct MatmulPlan {
  std::uint32_t m = 0, n = 0, k = 0;  // as requested
  MatmulOptions options;
  std::uint32_t m_tiles = 0, n_tiles = 0, k_tiles = 0;
  std::uint32_t grid_rows = 0, grid_columns = 0;
  std::uint32_t core_rows = 0, core_columns = 0;
  std::uint32_t sub_rows = 0, sub_columns = 0;
  std::uint32_t k_block = 0;
  std::vector<arch::NocCoord> placement;  // of the multicast dataflow: the grid's cores, row by row; else empty

  bool multicast() const { return !placement.empty(); }
  std::uint32_t cores() const { return grid_rows * grid_columns; }
  std::uint32_t sub_blocks() const { return core_rows / sub_rows * (core_columns / sub_columns); }
  std::uint32_t sub_tiles() const { return sub_rows * sub_columns; }
  std::uint32_t in_bytes() const { return tile_bytes(options.in); }  // a tile
  std::uint32_t out_bytes() const { return tile_bytes(options.out); }
  std::uint32_t k_blocks() const { return k_tiles / k_block; }
  std::uint32_t executed_m() const { return m_tiles * kTileDim; }
  std::uint32_t executed_n() const { return n_tiles * kTileDim; }
  std::uint32_t executed_k() const { return k_tiles * kTileDim; }
  /// MVMULs that the plan issues on all cores.
  std::uint64_t mvmuls() const;
  /// "6 x 16 cores, 1 x 3 tiles each, ...": one line for a person.
  std::string text() const;
};

/// Chooses among all grids of at most `cores` cores: fewest tiles on a core, then least padding, then fewest tiles read from
/// DRAM, then fewest cores. Throws std::invalid_argument with a sentence for a size of zero or above 2^20, zero cores, or
/// formats that do not go together.
MatmulPlan plan_matmul(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint32_t cores,
                       MatmulOptions options = {});

/// The choice, for the multicast dataflow, of the program whose times on silicon are known: same grid, tiles and executed
/// shape (docs/hardware/kernels.md 5.2). `workers`: the cores that there are, in translated coordinates; `l1_bytes`: for circular buffers. Throws
/// std::invalid_argument as plan_matmul() does, and if nothing fits.
MatmulPlan plan_matmul_compat(std::uint64_t m, std::uint64_t n, std::uint64_t k,
                              std::span<const arch::NocCoord> workers, std::uint32_t l1_bytes,
                              MatmulOptions options = {});

}  // namespace kerr::kernels

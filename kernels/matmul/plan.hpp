// Which core computes which tiles of C = A x B, and in what blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/grid.hpp"
#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/matmul/product.hpp"

namespace kerr::host {
class Chip;
}

namespace kerr::kernels {

enum class Fidelity : uint8_t { LoFi = 1, HiFi2, HiFi3, HiFi4 };  // the value is the number of phases

inline constexpr uint32_t kLargestBatch = 4096;

/// What is done to each element of a product in Dst, before it is packed.
struct MatmulEpilogue {
  Expression expression;  // of the sum, which is input 0, and the operands: 1 and up
  // By operand: a matrix like C, or one row (of which each tile holds 32 copies) for all of its rows.
  std::vector<bool> operands_have_rows;
  bool even_bf16 = false;  // the result is rounded to bf16, halves to the even number; of sums in fp32
};

struct MatmulOptions {
  Fidelity fidelity = Fidelity::HiFi2;
  bool fp32_accumulate = false;  // Dst in fp32 instead of bf16
  Format in = Format::Bf16;      // of A and B
  Format out = Format::Bf16;     // of C
  bool zones = false;            // kernels mark where their time goes
  std::shared_ptr<const MatmulEpilogue> epilogue = nullptr;
  bool flat = false;   // matrices lie in pages of 4 KiB, as flat buffers do: of 16 bits a number two tiles each
  uint32_t batch = 1;  // products in one launch: of matrices that lie one after the other

  constexpr bool int8() const { return in == Format::Int8; }
  /// Dst holds 32 bits a datum: asked for, or because nothing narrower keeps the sums of such operands.
  constexpr bool dst32() const { return fp32_accumulate || in == Format::Fp32 || int8(); }
};

/// The format, as precise as Dst, of sums that wait in L1 for the next block of K. Nothing if the packer cannot add
/// them: fp16 for a defect of the silicon (docs/hardware/kernels.md 3.7); integers because no source has seen it do so.
constexpr std::optional<Format> partial_format(const MatmulOptions& options) {
  if (options.int8() || (options.in == Format::Fp16 && !options.dst32())) return std::nullopt;
  return options.dst32() ? Format::Fp32 : Format::Bf16;
}

/// The format of an epilogue's operands, as Dst holds them; nothing where there can be no epilogue.
constexpr std::optional<Format> operand_format(const MatmulOptions& options) { return partial_format(options); }

/// Whether half of Dst holds at least one sum, its operands, and what the epilogue's code keeps there.
bool has_room_for_epilogue(const MatmulOptions& options);

/// The packer's intermediate format between Dst and C. Throws std::invalid_argument with a sentence when these formats
/// do not go together.
arch::DataFormat packer_input(const MatmulOptions& options);

/// A is m x k, B is k x n, C is m x n; a batch has several of each. A tile has 32 x 32 elements, padding included.
///
/// Cores form a logical grid_rows x grid_columns grid, each with core_rows x core_columns tiles of C, which it computes
/// in sub-blocks of sub_rows x sub_columns. Two dataflows:
///   direct     any cores; each reads its own operands from DRAM, k_block tiles of K at a time; a sub-block stays in
///              Dst over the whole of K.
///   multicast  a rectangle of cores; the first of each row reads A's block of the row and multicasts it along the row,
///              the first of each column B's. A core with one sub-block keeps it in Dst over the whole of K; with more,
///              they are added up in L1 from one K block to the next (docs/hardware/kernels.md 4.3).
struct MatmulPlan {
  uint32_t m = 0, n = 0, k = 0;  // as requested
  MatmulOptions options;
  uint32_t m_tiles = 0, n_tiles = 0, k_tiles = 0;
  uint32_t grid_rows = 0, grid_columns = 0;
  uint32_t core_rows = 0, core_columns = 0;
  uint32_t sub_rows = 0, sub_columns = 0;
  uint32_t k_block = 0;
  uint32_t groups = 1;                    // direct: grids, each of which makes every groups-th product of the batch
  bool compat = false;                    // sums wait in L1 even of a core with one sub-block
  std::vector<arch::NocCoord> placement;  // of the multicast dataflow: the grid's cores, row by row; else empty

  bool multicast() const { return !placement.empty(); }
  /// The cores of a row, and of a column, of the grid of the multicast dataflow.
  std::vector<arch::NocCoord> row_cores(uint32_t row) const;
  std::vector<arch::NocCoord> column_cores(uint32_t column) const;
  uint32_t grid_cores() const { return grid_rows * grid_columns; }
  uint32_t cores() const { return groups * grid_cores(); }
  uint32_t batch() const { return options.batch; }
  uint32_t sub_blocks() const { return core_rows / sub_rows * (core_columns / sub_columns); }
  uint32_t sub_tiles() const { return sub_rows * sub_columns; }
  uint32_t operands() const {  // of the epilogue
    return options.epilogue ? static_cast<uint32_t>(options.epilogue->operands_have_rows.size()) : 0;
  }
  uint32_t in_bytes() const { return tile_bytes(options.in); }  // a tile
  uint32_t in_tiles_of_page() const { return tiles_of_page(options.in); }
  uint32_t out_tiles_of_page() const { return tiles_of_page(options.out); }
  uint32_t out_bytes() const { return tile_bytes(options.out); }
  uint32_t k_blocks() const { return k_tiles / k_block; }
  /// Sub-blocks are added up in L1.
  bool has_partials() const { return multicast() && k_blocks() > 1 && (sub_blocks() > 1 || compat); }
  ProductShape requested() const { return {m, n, k}; }
  ProductShape executed() const { return {executed_m(), executed_n(), executed_k()}; }
  uint32_t executed_m() const { return m_tiles * kTileDim; }
  uint32_t executed_n() const { return n_tiles * kTileDim; }
  uint32_t executed_k() const { return k_tiles * kTileDim; }
  /// MVMULs that the plan issues on all cores.
  uint64_t mvmuls() const;
  /// "6 x 16 cores, 1 x 3 tiles each, ...": one line for a person.
  std::string text() const;

 private:
  uint32_t tiles_of_page(Format format) const { return options.flat && tile_bytes(format) == 2048 ? 2 : 1; }
};

/// The cores that there are, in translated coordinates, and the bytes of L1 that their circular buffers may take.
struct MatmulCores {
  std::span<const arch::NocCoord> workers;
  uint32_t l1_bytes;
};

/// All workers of a chip, and the L1 that its firmware leaves. The chip must outlive them.
MatmulCores matmul_cores(const host::Chip& chip);

/// The direct or the multicast plan, whichever estimate() (cost.hpp) finds quicker. All planners throw
/// std::invalid_argument: a size of zero or above 2^20, no cores, formats that do not go together, nothing fits.
MatmulPlan plan_matmul(const ProductShape& shape, const MatmulCores& cores, MatmulOptions options = {});

/// The direct dataflow, on a grid of at most `cores` cores: fewest tiles on a core, then least padding, then fewest
/// tiles read from DRAM, then fewest cores.
MatmulPlan plan_matmul_direct(const ProductShape& shape, uint32_t cores, MatmulOptions options = {});

/// The multicast dataflow: of all rectangles in which no row or column computes padding alone, fewest estimated cycles,
/// then fewest bytes read from DRAM, then fewest cores.
MatmulPlan plan_matmul_multicast(const ProductShape& shape, const MatmulCores& cores, MatmulOptions options = {});

/// The multicast plan that the program with known times on silicon uses: same grid, tiles and executed shape
/// (docs/hardware/kernels.md 5.2). BF16 matrices only.
MatmulPlan plan_matmul_compat(const ProductShape& shape, const MatmulCores& cores, MatmulOptions options = {});

}  // namespace kerr::kernels

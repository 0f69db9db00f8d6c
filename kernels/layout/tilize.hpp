// Matrices that lie row by row in DRAM to tiles and back, as host::Programs: the unpacker's tilize mode, and the packer
// row by row. docs/hardware/kernels.md 3.10
#pragma once

#include <cstdint>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/format.hpp"

namespace kerr::kernels {

/// `format`: 16 or 32 bits a datum; FP16 denormals become 0. The matrix has whole tiles. As rows: pages of 32 elements
/// (row_page_bytes()), row after row, go round the banks. As tiles: a page each, row by row.
struct TilizeShape {
  Format format;
  uint32_t tile_rows, tile_columns;
};
constexpr uint32_t row_page_bytes(Format format) { return tile_bytes(format) / 32; }

/// Throw std::invalid_argument: another format, no tiles, no cores.
host::Program tilize_program(const TilizeShape& shape, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t rows, uint32_t tiles);
host::Program untilize_program(const TilizeShape& shape, const arch::FirmwareLayout& layout,
                               std::span<const arch::NocCoord> cores, uint32_t tiles, uint32_t rows);

}  // namespace kerr::kernels

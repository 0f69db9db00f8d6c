// The transpose of a BF16 matrix as a host::Program: tiles change places on their way, elements in the unpacker.
// docs/hardware/kernels.md 3.10
#pragma once

#include <cstdint>
#include <span>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"

namespace kerr::kernels {

/// `input` has tile_rows x tile_columns tiles, `output` tile_columns x tile_rows. Throws std::invalid_argument: no
/// tiles, no cores.
host::Program transpose_program(uint32_t tile_rows, uint32_t tile_columns, const arch::FirmwareLayout& layout,
                                std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output);

}  // namespace kerr::kernels

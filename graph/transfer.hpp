// Matrices from the host to a chip's DRAM and back, in tiles of 32 x 32: a page each, round the banks.
#pragma once

#include <cstdint>
#include <optional>

#include "graph/tensor.hpp"
#include "host/runtime/chip.hpp"

namespace kerr::graph {

/// A matrix in DRAM: as many tiles as it needs, row-major. `padding`: what lies beside it in them; none: anything.
struct DeviceMatrix {
  uint32_t rows = 0, columns = 0;
  Format format = Format::Bf16;
  host::Buffer buffer;
  std::optional<double> padding{};
};

/// Memory for so many tiles.
host::Buffer allocate(host::Chip& chip, Format format, uint64_t tiles);

/// Memory with the tensor in it: at least its own tile_rows() x tile_columns() tiles, or more of which the rest is
/// `padding`. Of a batch as to_tiles() says, and `tile_rows` are those of one matrix.
host::Buffer upload(host::Chip& chip, const Tensor& tensor, uint32_t tile_rows, uint32_t tile_columns,
                    float padding = 0, uint32_t batch = 1);
host::Buffer upload(host::Chip& chip, const Tensor& tensor);

/// The numbers of a tensor of known shape and format, from the upper left of such tiles.
Tensor download(host::Chip& chip, const host::Buffer& buffer, Tensor shape, uint32_t tile_columns, uint32_t batch = 1);
/// The same of a buffer that holds no more tiles than the tensor needs.
Tensor download(host::Chip& chip, const host::Buffer& buffer, Tensor shape);

}  // namespace kerr::graph

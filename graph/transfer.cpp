#include "graph/transfer.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace kerr::graph {

host::Buffer allocate(host::Chip& chip, Format format, uint64_t tiles) {
  const uint32_t page = kernels::tile_bytes(format);
  return chip.allocate(host::Memory::Dram, tiles * page, page);
}

host::Buffer upload(host::Chip& chip, const Tensor& tensor, uint32_t tile_rows, uint32_t tile_columns, float padding,
                    uint32_t batch) {
  host::Buffer buffer = allocate(chip, tensor.format, uint64_t{batch} * tile_rows * tile_columns);
  chip.write(buffer, to_tiles(tensor, tile_rows, tile_columns, padding, batch));
  return buffer;
}

host::Buffer upload(host::Chip& chip, const Tensor& tensor) {
  return upload(chip, tensor, tensor.tile_rows(), tensor.tile_columns());
}

Tensor download(host::Chip& chip, const host::Buffer& buffer, Tensor shape, uint32_t tile_columns, uint32_t batch) {
  std::vector<std::byte> tiles(buffer.bytes());
  chip.read(buffer, tiles);
  from_tiles(tiles, tile_columns, shape, batch);
  return shape;
}

Tensor download(host::Chip& chip, const host::Buffer& buffer, Tensor shape) {
  const uint32_t tile_columns = shape.tile_columns();
  return download(chip, buffer, std::move(shape), tile_columns);
}

}  // namespace kerr::graph

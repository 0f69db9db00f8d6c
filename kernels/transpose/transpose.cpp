#include "kernels/transpose/transpose.hpp"

#include <stdexcept>

#include "kernels/elementwise/tile_reader.hpp"

namespace kerr::kernels {

using namespace isa::reg;

namespace {

// Tile (row, column) of the output is tile (column, row) of the input.
Kernel reader(uint32_t tile_rows, uint32_t tile_columns, const elementwise::Traffic& traffic,
              const arch::FirmwareLayout& layout) {
  const auto first = [&](Stream& a, isa::Reg output, isa::Reg tile) {
    a.li(t1, tile_rows);  // of the input: columns of the output
    a.divu(t2, output, t1);
    a.remu(tile, output, t1);
    a.li(t1, tile_columns);
    a.mul(tile, tile, t1);
    a.add(tile, tile, t2);
  };
  return elementwise::tile_reader("transpose_reader", traffic, layout, {.first = first});
}

}  // namespace

host::Program transpose_program(uint32_t tile_rows, uint32_t tile_columns, const arch::FirmwareLayout& layout,
                                std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output) {
  if (tile_rows == 0 || tile_columns == 0) throw std::invalid_argument("a matrix without tiles");
  if (cores.empty()) throw std::invalid_argument("no cores");
  const elementwise::Traffic traffic{.format = Format::Bf16, .inputs = 1, .transposed = true};
  CheckedProgram program("transpose", layout);
  elementwise::add_streams(program, traffic, reader(tile_rows, tile_columns, traffic, layout),
                           elementwise::math(traffic, {}), tile_rows * tile_columns, cores,
                           {.inputs = {input}, .output = output});
  return std::move(program).finish();
}

}  // namespace kerr::kernels

#include "kernels/reduce/reduce.hpp"

#include <stdexcept>

#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/tile_reader.hpp"
#include "kernels/reduce/streams.hpp"

namespace kerr::kernels {

// Row by row the tiles follow each other; down a column they are a row apart.
Kernel reduce::reader(const ReduceShape& shape, const elementwise::Traffic& traffic,
                      const arch::FirmwareLayout& layout) {
  const bool rows = shape.along == Along::Row;
  return elementwise::tile_reader(
      "reduce_reader", traffic, layout,
      {.first =
           [&](Stream& a, isa::Reg output, isa::Reg tile) {
             a.li(isa::reg::t1, rows ? shape.tile_columns : 1);
             a.mul(tile, output, isa::reg::t1);
           },
       .next = [&](Stream& a, isa::Reg tile) { add_constant(a, tile, rows ? 1 : shape.tile_columns); }});
}

host::Program reduce_program(const ReduceShape& shape, Format format, const arch::FirmwareLayout& layout,
                             std::span<const arch::NocCoord> cores, uint32_t input, uint32_t output) {
  if (shape.tile_rows == 0 || shape.tile_columns == 0) throw std::invalid_argument("a matrix without tiles");
  if (cores.empty()) throw std::invalid_argument("no cores");
  const elementwise::Traffic traffic{
      .format = format, .inputs = 1, .passes = shape.inputs_of_output(), .result = reduced_format(format)};
  CheckedProgram program("reduce", layout);
  elementwise::add_streams(program, traffic, reduce::reader(shape, traffic, layout), reduce::math(shape, traffic),
                           shape.outputs(), cores, {.inputs = {input}, .output = output});
  return std::move(program).finish();
}

}  // namespace kerr::kernels

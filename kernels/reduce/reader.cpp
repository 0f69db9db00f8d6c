#include "kernels/blocks/frame.hpp"
#include "kernels/elementwise/tile_reader.hpp"
#include "kernels/reduce/streams.hpp"

namespace kerr::kernels::reduce {

// Row by row the tiles follow each other; down a column they are a row apart.
Kernel reader(const ReduceShape& shape, const elementwise::Traffic& traffic, const arch::FirmwareLayout& layout) {
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

}  // namespace kerr::kernels::reduce

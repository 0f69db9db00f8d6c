#include "kernels/reduce/reduce.hpp"

#include <stdexcept>

#include "kernels/reduce/streams.hpp"

namespace kerr::kernels {

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

#include "kernels/transpose/transpose.hpp"

#include <stdexcept>

#include "kernels/elementwise/streams.hpp"
#include "kernels/emit/dataflow.hpp"
#include "kernels/emit/frame.hpp"

namespace kerr::kernels {

using namespace isa::reg;

namespace {

// Tile (row, column) of the output is tile (column, row) of the input.
Kernel reader(std::uint32_t tile_rows, std::uint32_t tile_columns, const elementwise::Traffic& traffic,
              const arch::FirmwareLayout& layout) {
  constexpr isa::Reg kInterface = a0, kOutput = a2, kOutputs = a3, kBase = a4;
  const DataflowBuffer buffer{elementwise::kBufferIn, traffic.pages_in(), s1, s3, kInterface};
  const DramTiles dram{layout, arch::Hart::kNcrisc, elementwise::kReaderNoc, traffic.tile_bytes(), s0, s7, s5};
  Stream a;
  a.function("transpose_reader");
  enter(a);
  a.lw(kOutput, a0, elementwise::kArgFirst);
  a.lw(kBase, a1, elementwise::kCommonInputs);
  a.lw(t0, a0, elementwise::kArgTiles);
  a.mv(kInterface, a3);
  a.mv(kOutputs, t0);
  buffer.open_for_writing(a);
  dram.open_for_reading(a);
  a.repeat_argument(kOutputs, elementwise::kArgTiles, [&] {
    buffer.reserve_back(a, 1);
    a.li(t1, tile_rows);  // of the input: columns of the output
    a.divu(t2, kOutput, t1);
    a.remu(t0, kOutput, t1);
    a.li(t1, tile_columns);
    a.mul(t0, t0, t1);
    a.add(t0, t0, t2);
    dram.read(a, 1, kBase, buffer.pointer);
    dram.read_barrier(a);
    buffer.push_back(a, 1);
    a.addi(kOutput, kOutput, 1);
  });
  leave(a);
  return Kernel::from(a);
}

}  // namespace

host::Program transpose_program(std::uint32_t tile_rows, std::uint32_t tile_columns, const arch::FirmwareLayout& layout,
                                std::span<const arch::NocCoord> cores, std::uint32_t input, std::uint32_t output) {
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

// An expression over elements as a host::Program: every core computes a run of tiles.
// docs/hardware/kernels.md 4.2, 6.5
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/runtime/program/program.hpp"
#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/shards.hpp"
#include "kernels/vector/emit.hpp"

namespace kerr::kernels {

/// `in`: the format of all operands; FP32 and INT32 may be mixed, by each operand's type. `out`: of the result.
/// Computation is in FP32 and in integers of 32 bits; the result is rounded once.
struct ElementwiseFormats {
  Format in, out;
};

/// Most operands: what half of Dst holds, of which the operands take one tile each.
constexpr uint32_t most_operands(ElementwiseFormats formats) {
  if (is_wide(formats.in)) return 4;
  return formats.out == Format::Bf16 || formats.out == Format::Int16 || formats.out == Format::Uint16 ? 8 : 6;
}
constexpr uint32_t dst_tiles(Format format) { return most_operands({format, format}); }

/// Tensors of `tiles` tiles, one tile a page, pages round the banks or in shards; multiples of 64.
struct ElementwiseBuffers {
  std::vector<uint32_t> inputs;  // by number in the expression
  uint32_t output = 0;
  std::vector<Shards> input_shards{};  // by number; those beyond its end have none
  Shards output_shards{};
};

/// An operand with fewer elements than the result, which are repeated: one row, one column, or one element.
enum class Repeat : uint8_t { Nothing, Row, Column, Element };

/// The shape of the output. Index, Random and repeated operands need its width (at most 2^20).
struct ElementwiseShape {
  uint32_t tiles = 0;
  uint32_t tile_columns = 0, columns = 0;
  std::vector<Repeat> repeats{};  // by operand; those beyond its end are not repeated
  Repeat repeat(uint32_t operand) const { return operand < repeats.size() ? repeats[operand] : Repeat::Nothing; }
  bool repeats_any() const;
};

/// The program on the first min(tiles, cores.size()) of `cores` (translated coordinates), the first of which take one
/// tile more if they do not come out even. Throws std::invalid_argument: small shards, types that the formats do not
/// hold, too many operands, no tiles, no cores; std::length_error: more values at once than registers and Dst hold.
host::Program elementwise_program(const Expression& expression, ElementwiseFormats formats,
                                  const ElementwiseShape& shape, const arch::FirmwareLayout& layout,
                                  std::span<const arch::NocCoord> cores, const ElementwiseBuffers& buffers);
/// All of one format.
host::Program elementwise_program(const Expression& expression, Format format, uint32_t tiles,
                                  const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores,
                                  const ElementwiseBuffers& buffers);

/// What the vector unit executes for each 32 elements; `columns` as in ElementwiseShape.
vector::Emitted vector_code(const Expression& expression, ElementwiseFormats formats, uint32_t columns = 0);

}  // namespace kerr::kernels

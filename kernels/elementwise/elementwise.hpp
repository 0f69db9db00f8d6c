// An expression over elements as a host::Program: every core computes a run of tiles.   docs/hardware/kernels.md 4.2, 6.5
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arch/firmware_layout.hpp"
#include "arch/grid.hpp"
#include "host/program/program.hpp"
#include "kernels/expression/expression.hpp"
#include "kernels/format.hpp"
#include "kernels/vector/emit.hpp"

namespace kerr::kernels {

/// The formats of element-wise programs are BF16 and FP32. Computed is always in FP32; a BF16 result is rounded once, to nearest.
/// Most tiles that Dst can hold at once, of which the operands take one each:
constexpr std::uint32_t dst_tiles(Format format) { return format == Format::Bf16 ? 8 : 4; }

/// Tensors of `tiles` tiles, one tile a page, pages round the banks; multiples of 64.
struct ElementwiseBuffers {
  std::vector<std::uint32_t> inputs;  // by number in the expression
  std::uint32_t output = 0;
};

/// The program on the first min(tiles, cores.size()) of `cores` (translated coordinates), the first of which take one tile more if
/// they do not come out even. Throws std::invalid_argument: another format, no or too many operands, no tiles, no cores; std::length_error: more
/// values at once than registers and Dst hold.
host::Program elementwise_program(const Expression& expression, Format format, std::uint32_t tiles,
                                  const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores,
                                  const ElementwiseBuffers& buffers);

/// What the vector unit executes for each 32 elements.
vector::Emitted vector_code(const Expression& expression, Format format);

}  // namespace kerr::kernels

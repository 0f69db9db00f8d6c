#include "kernels/elementwise/elementwise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "kernels/elementwise/streams.hpp"

namespace kerr::kernels {

namespace {

void check(const Expression& expression, Format format, std::uint32_t tiles, std::size_t cores, std::size_t buffers) {
  if (format != Format::Bf16 && format != Format::Fp32) {
    throw std::invalid_argument(
        fmt::format("element-wise programs compute with bf16 and fp32, not with {}", info(format).name));
  }
  const std::uint32_t most = dst_tiles(format);
  if (expression.inputs() == 0)
    throw std::invalid_argument(fmt::format("{} has no operand: there is nothing to run", expression.text()));
  if (expression.inputs() > most) {
    throw std::invalid_argument(
        fmt::format("{} operands, and half of Dst holds {} tiles: split the expression", expression.inputs(), most));
  }
  if (buffers < expression.inputs()) {
    throw std::invalid_argument(fmt::format("{} operands, but {} buffers", expression.inputs(), buffers));
  }
  if (tiles == 0) throw std::invalid_argument("tensors without tiles");
  if (cores == 0) throw std::invalid_argument("no cores");
}

}  // namespace

vector::Emitted vector_code(const Expression& expression, Format format) {
  const bool bf16 = format == Format::Bf16;
  return vector::emit(lower(expression, bf16),
                      {.dst32 = !bf16, .first_spill = expression.inputs(), .tiles = dst_tiles(format)});
}

host::Program elementwise_program(const Expression& expression, Format format, std::uint32_t tiles,
                                  const arch::FirmwareLayout& layout, std::span<const arch::NocCoord> cores,
                                  const ElementwiseBuffers& buffers) {
  check(expression, format, tiles, cores.size(), buffers.inputs.size());
  const elementwise::Traffic traffic{.format = format, .inputs = expression.inputs()};
  CheckedProgram program("elementwise", layout);
  elementwise::add_streams(program, traffic, elementwise::reader(traffic, layout),
                           elementwise::math(traffic, vector_code(expression, format)), tiles, cores, buffers);
  return std::move(program).finish();
}

void elementwise::add_streams(CheckedProgram& program, const Traffic& traffic, const Kernel& reader_code,
                              const Kernel& math_code, std::uint32_t tiles, std::span<const arch::NocCoord> cores,
                              const ElementwiseBuffers& buffers) {
  const auto used = cores.first(std::min<std::size_t>(tiles, cores.size()));
  program->add_circular_buffer({.id = kBufferIn, .pages = traffic.pages_in(), .page_bytes = traffic.tile_bytes()});
  program->add_circular_buffer({.id = kBufferOut, .pages = traffic.pages_out(), .page_bytes = traffic.tile_bytes()});
  const auto add = [&](arch::Hart hart, const Kernel& stream, const char* role) {
    return program.add_kernel(hart, stream, fmt::format("{}_{}", program->name(), role), used, {.noc = kWriterNoc});
  };
  const host::Program::KernelId kernels[] = {
      add(arch::Hart::kNcrisc, reader_code, "reader"),
      add(arch::Hart::kBrisc, writer(traffic, program->layout()), "writer"),
      add(arch::Hart::kTrisc0, unpack(traffic), "unpack"),
      add(arch::Hart::kTrisc1, math_code, "math"),
      add(arch::Hart::kTrisc2, pack(traffic), "pack"),
  };
  std::vector<std::uint32_t> common{buffers.output};
  common.insert(common.end(), buffers.inputs.begin(), buffers.inputs.begin() + traffic.inputs);
  const auto count = static_cast<std::uint32_t>(used.size());
  for (const auto id : kernels) {
    program->set_common_args(id, common);
    std::uint32_t first = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t share = tiles / count + (i < tiles % count);
      program->set_args(id, used[i], {first, share, share / kBlock, share % kBlock});
      first += share;
    }
  }
}

}  // namespace kerr::kernels
